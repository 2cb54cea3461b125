// Pipelines: a name, a base model, the tag under which conversations are recorded and the model is called, and how its versions
// are trained, tested and put live.
import { z } from 'zod'
import { attemptInList } from './attempt.ts'
import { deploymentStatuses } from './deployment.ts'
import type { PlatformErrorCode } from './errors.ts'
import { pipelinesPerList } from './limits.ts'
import {
  buildsOnChoices,
  createPipelineBody,
  evidenceChoices,
  promotionPolicies,
  schedule,
  trainingChoice,
  updatePipelineBody,
} from './pipeline-settings.ts'
import { nextCursor, pageQuery, route, timestamp, wholeNumber } from './route.ts'
import { version } from './version.ts'

const modelId = z.object({ id: z.string() })

export const storageUse = z.object({
  bytes: z.number().int(),
  objects: z.number().int(),
  where: z.enum(['platform', 'your_storage', 'both']),
  billed: z.boolean(),
})
export type StorageUse = z.infer<typeof storageUse>

/** Calls under one tag that became no sample, by reason. */
export const notRecorded = z.record(z.string(), z.number().int())

export const pipelineStates = ['paused', 'paused_for_funds', 'complete', 'enabled'] as const
export type PipelineState = (typeof pipelineStates)[number]

const minimums = z.object({
  have: z.number().int(),
  need: z.number().int(),
  /** Good and corrected samples that no attempt has used. */
  new_samples: z.number().int(),
  unreviewed: z.number().int(),
  ready: z.boolean(),
  /** What is missing; null when it is ready. */
  reason: z.string().nullable(),
})
export type Minimums = z.infer<typeof minimums>

export const pipeline = z.object({
  rule_id: z.uuid(),
  name: z.string(),
  tag: z.string(),
  /** What callers name as model; it never changes. */
  model_name: z.string(),
  model: modelId,
  challenger_model: modelId.nullable(),
  tags: z.array(z.string()),
  conditions: z.record(z.string(), z.unknown()).nullable(),
  datasets: z.array(z.uuid()),
  use_case: z.string().nullable(),
  enabled: z.boolean(),
  state: z.enum(pipelineStates),
  revision: z.number().int(),
  /** The revision whose settings a member has accepted by saving the pipeline. */
  consented_revision: z.number().int(),
  training: trainingChoice,
  training_defaults: z.object({
    epochs: z.number(),
    learning_rate: z.number(),
    lora_rank: z.number(),
    lora_alpha: z.number(),
    replay_percent: z.number(),
    min_epochs: z.number().int(),
    steps: z.number().int(),
  }),
  builds_on: z.enum(buildsOnChoices),
  schedule: schedule.nullable(),
  holdout: z.object({ percent: z.number().int() }),
  promotion: z.object({
    policy: z.enum(promotionPolicies),
    k: z.number().int().nullable(),
    evidence: z.enum(evidenceChoices),
  }),
  /** About how often a model that is no better than the live one would go live, with the benchmarks attached now. */
  promotion_chance: z.number(),
  auto_scoring: z.boolean(),
  max_versions: z.number().int().nullable(),
  judge_model: modelId,
  judge: z.object({
    model: z.string(),
    /** The share of answers reviewed by people on which the judge agrees; null until it was measured. */
    agreement_with_people: z.number().nullable(),
    /** Of pairs, the share in which the two orders disagree. */
    order_flips: z.number().nullable(),
    /** Of answers that people found bad, the share that it passes. */
    passes_known_bad: z.number().nullable(),
    /** Of pairs of unlike length, the share in which it takes the longer answer. */
    prefers_longer: z.number().nullable(),
    pairs: z.number().int(),
  }),
  benchmarks: z.array(
    z.object({
      benchmark_id: z.uuid(),
      name: z.string(),
      position: z.number().int(),
      scoring: z.enum(['judge', 'exact']),
      retired: z.boolean(),
    }),
  ),
  /** v1 first; of more than 100, the newest. */
  versions: z.array(version),
  versions_total: z.number().int(),
  /** The newest. */
  attempts: z.array(attemptInList),
  attempts_total: z.number().int(),
  /** The attempt under way, which may still wait. */
  active_run: attemptInList.nullable(),
  live_version: z.number().int().nullable(),
  live_deployment: z
    .object({
      status: z.enum(deploymentStatuses),
      checked_at: timestamp,
    })
    .nullable(),
  /** The live version, as the versions that it consists of; null when every version trains fresh, or none is live. */
  chain: z.array(z.object({ version_no: z.number().int(), merged: z.boolean() })).nullable(),
  second_model: z
    .object({
      model: z.string(),
      attempts_total: z.number().int(),
      versions_total: z.number().int(),
      last_result: z.string().nullable(),
    })
    .nullable(),
  minimums,
  next_reason: z.string(),
  scoring_capped_until: timestamp.nullable(),
  needs_funds: z.boolean(),
  /** All under the pipeline's own tag. */
  samples: z.object({
    total: z.number().int(),
    accepted: z.number().int(),
    edited: z.number().int(),
    rejected: z.number().int(),
    unreviewed: z.number().int(),
  }),
  storage: storageUse,
  capture: notRecorded,
  created_at: timestamp,
  updated_at: timestamp,
})
export type Pipeline = z.infer<typeof pipeline>

/** Spec 2: a list returns at most 20 pipelines. */
const pipelineQuery = pageQuery.extend({
  limit: wholeNumber(1, pipelinesPerList).default(pipelinesPerList),
})

export const trainableModel = z.object({
  id: z.string(),
  display_name: z.string(),
  recommended: z.boolean(),
})

const settingErrors = [
  'METHOD_NOT_ENABLED',
  'MODEL_NOT_TRAINABLE',
  'NO_GPU_FITS',
  'NO_JUDGE_MODEL',
  'TRAINING_SETTING_OUT_OF_RANGE',
  'PROMOTION_POLICY_UNKNOWN',
  'PROMOTION_K_REQUIRED',
  'PROMOTION_POLICY_NEEDS_BENCHMARK',
  'PROMOTION_K_UNREACHABLE',
  'MODEL_REVISION_UNAVAILABLE',
  'GPU_OPTIONS_UNAVAILABLE',
] as const satisfies PlatformErrorCode[]

export const pipelineRoutes = [
  route({
    name: 'listTrainableModels',
    tag: 'Pipelines',
    method: 'GET',
    path: '/api/loop/models',
    summary: 'Models that a pipeline can train, the recommended one first',
    access: { kind: 'caller', scope: 'loop:read' },
    tool: 'list_trainable_models',
    sdk: 'loop.models.list',
    status: 200,
    response: z.object({ models: z.array(trainableModel), next_cursor: nextCursor }),
    errors: ['MODELS_UNAVAILABLE'],
  }),
  route({
    name: 'createPipeline',
    tag: 'Pipelines',
    method: 'POST',
    path: '/api/loop/pipelines',
    summary: 'Create a pipeline; its tag is made from its name and never changes',
    access: { kind: 'caller', scope: 'loop:write' },
    tool: 'create_pipeline',
    sdk: 'loop.pipelines.create',
    body: createPipelineBody,
    status: 201,
    response: z.object({ pipeline }),
    errors: [
      ...settingErrors,
      'PIPELINE_NAME_TAKEN',
      'OWN_TAG_TAKEN',
      'RATE_LIMITED',
      'AGENT_COULD_NOT_START',
    ],
  }),
  route({
    name: 'listPipelines',
    tag: 'Pipelines',
    method: 'GET',
    path: '/api/loop/pipelines',
    summary: 'The pipelines of the workspace, newest first',
    access: { kind: 'caller', scope: 'loop:read' },
    tool: 'list_pipelines',
    sdk: 'loop.pipelines.list',
    loopOff: 'served',
    query: pipelineQuery,
    status: 200,
    response: z.object({ pipelines: z.array(pipeline), next_cursor: nextCursor }),
    errors: ['RATE_LIMITED'],
  }),
  route({
    name: 'getPipeline',
    tag: 'Pipelines',
    method: 'GET',
    path: '/api/loop/pipelines/{pipeline_id}',
    summary: 'One pipeline',
    access: { kind: 'caller', scope: 'loop:read' },
    tool: 'get_pipeline',
    sdk: 'loop.pipelines.get',
    loopOff: 'served',
    status: 200,
    response: z.object({ pipeline }),
    errors: ['RATE_LIMITED'],
  }),
  route({
    name: 'updatePipeline',
    tag: 'Pipelines',
    method: 'PUT',
    path: '/api/loop/pipelines/{pipeline_id}',
    summary:
      'Change a pipeline: its name, its settings, or whether it is paused. Saving it is consent to train and to charge for it',
    access: { kind: 'caller', scope: 'loop:write' },
    tool: 'update_pipeline',
    sdk: 'loop.pipelines.update',
    loopOff: 'pausing',
    body: updatePipelineBody,
    status: 200,
    response: z.object({ pipeline }),
    errors: [
      ...settingErrors,
      'REVISION_MISMATCH',
      'PIPELINE_NAME_TAKEN',
      'RUN_ACTIVE',
      'RATE_LIMITED',
    ],
  }),
  route({
    name: 'deletePipeline',
    tag: 'Pipelines',
    method: 'DELETE',
    path: '/api/loop/pipelines/{pipeline_id}',
    summary: 'Delete a pipeline; its samples stay, and its name and tag stay taken',
    access: { kind: 'caller', scope: 'loop:write' },
    tool: 'delete_pipeline',
    sdk: 'loop.pipelines.delete',
    loopOff: 'served',
    status: 204,
    response: null,
    errors: [],
  }),
] as const
