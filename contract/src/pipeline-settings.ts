// What members choose about a pipeline: the bodies that create and change one.
import { z } from 'zod'
import { conditions } from './dataset.ts'
import {
  heldBackPercentMax,
  maxVersionsMax,
  nameCharactersMax,
  pipelineDatasetsMax,
  useCaseCharactersMax,
} from './limits.ts'
import { idInput, text } from './route.ts'
import { tags } from './sample.ts'
import type { TrainingSettingName } from './training.ts'

export const promotionPolicies = [
  'holdout',
  'all',
  'primary',
  'k_of_n',
  'weighted',
  'manual',
] as const
export type PromotionPolicy = (typeof promotionPolicies)[number]

export const evidenceChoices = ['each', 'life'] as const
export type EvidenceChoice = (typeof evidenceChoices)[number]

export const buildsOnChoices = ['live', 'base'] as const
export type BuildsOn = (typeof buildsOnChoices)[number]

const weekdays = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const
export type Weekday = (typeof weekdays)[number]

/** In UTC. */
export const schedule = z
  .strictObject({
    every: z.enum(['day', 'week', 'month']),
    at: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 03:30'),
    weekday: z.enum(weekdays).optional().describe('With week; Monday where it is left out'),
    day: z
      .number()
      .int()
      .min(1)
      .max(31)
      .optional()
      .describe('With month: the last day of shorter months, the 1st where it is left out'),
  })
  .refine(({ every, weekday }) => weekday === undefined || every === 'week', {
    message: 'must be left out unless every is week',
    path: ['weekday'],
  })
  .refine(({ every, day }) => day === undefined || every === 'month', {
    message: 'must be left out unless every is month',
    path: ['day'],
  })
export type Schedule = z.infer<typeof schedule>

const settingNumber = z.number().nullable()
const trainingFields = {
  epochs: settingNumber,
  learning_rate: settingNumber,
  lora_rank: settingNumber,
  lora_alpha: settingNumber,
  replay_percent: settingNumber,
} satisfies Record<TrainingSettingName, z.ZodType>

/** Null is automatic. */
export const trainingChoice = z.object(trainingFields)
export type TrainingChoice = z.infer<typeof trainingChoice>

const modelReference = z.strictObject({ id: text.min(1).max(200) })

const supervised = /^(sft|lora|qlora|supervised([ _-]fine[ _-]?tuning)?)$/i

/**
 * Every training is supervised (spec 2, what the service does, 1). A body that asks for another method is told so by a code of its
 * own; one that names the only method there is, or none, is told to leave the field out.
 */
const otherMethod = z
  .unknown()
  .refine(
    (value) => value !== null && !(typeof value === 'string' && supervised.test(value.trim())),
    'must be left out, because every training is supervised',
  )
  .optional()
  .describe('Refused: only supervised training is available')

const methodFields = {
  training_method: otherMethod,
  rlhf_type: otherMethod,
  method: otherMethod,
  algorithm: otherMethod,
}
export const methodFieldNames = Object.keys(methodFields) as (keyof typeof methodFields)[]

const name = text.trim().min(1).max(nameCharactersMax)
const revision = z.number().int().min(1)

/** What create and update bodies share. A member that is left out keeps its value. */
const settingFields = {
  challenger_model: modelReference.nullable().optional(),
  tags: tags.optional(),
  conditions: conditions.nullable().optional(),
  datasets: z
    .array(idInput)
    .transform((list) => [...new Set(list)])
    .refine(
      (list) => list.length <= pipelineDatasetsMax,
      `must have at most ${pipelineDatasetsMax} different datasets`,
    )
    .optional(),
  use_case: text.max(useCaseCharactersMax).nullable().optional(),
  training: z
    .strictObject({ ...z.object(trainingFields).partial().shape, ...methodFields })
    .nullable()
    .optional()
    .describe('A null member is automatic, and null makes all of them automatic'),
  builds_on: z.enum(buildsOnChoices).optional(),
  schedule: schedule.nullable().optional(),
  holdout: z.strictObject({ percent: z.number().int().min(1).max(heldBackPercentMax) }).optional(),
  // The policy is any text and k any number here, because those that are refused have codes of their own.
  promotion: z
    .strictObject({
      policy: z.string().optional(),
      k: z.number().nullable().optional(),
      evidence: z
        .enum(evidenceChoices)
        .optional()
        .describe(
          'each: at most 1 in 20 by luck in each test; life: in all tests on one set together',
        ),
    })
    .optional(),
  auto_scoring: z.boolean().optional(),
  max_versions: z.number().int().min(1).max(maxVersionsMax).nullable().optional(),
  judge_model: modelReference.nullable().optional(),
  ...methodFields,
}

export const createPipelineBody = z.strictObject({
  name,
  model: modelReference,
  enabled: z.boolean().default(true),
  ...settingFields,
})

export const updatePipelineBody = z.strictObject({
  name: name.optional(),
  model: modelReference.optional(),
  enabled: z.boolean().optional(),
  ...settingFields,
  expected_revision: revision.optional(),
})

export type PipelineChange = z.infer<typeof updatePipelineBody>
