// Pipelines: a name, a base model, and the tag under which conversations are recorded and the model is called.
import { z } from 'zod'
import { nameCharactersMax, pipelinesPerList } from './limits.ts'
import { nextCursor, pageQuery, route, text, timestamp, wholeNumber } from './route.ts'

const modelReference = z.strictObject({ id: text.min(1).max(200) })

export const storageUse = z.object({
  bytes: z.number().int(),
  objects: z.number().int(),
  where: z.enum(['platform', 'your_storage', 'both']),
  billed: z.boolean(),
})
export type StorageUse = z.infer<typeof storageUse>

/** Calls under one tag that became no sample, by reason. */
export const notRecorded = z.record(z.string(), z.number().int())

export const pipeline = z.object({
  rule_id: z.uuid(),
  name: z.string(),
  tag: z.string(),
  /** What callers name as model; it never changes. */
  model_name: z.string(),
  model: z.object({ id: z.string() }),
  enabled: z.boolean(),
  revision: z.number().int(),
  live_version: z.number().int().nullable(),
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

const name = text.trim().min(1).max(nameCharactersMax)
const revision = z.number().int().min(1)

export const createPipelineBody = z.strictObject({
  name,
  model: modelReference,
  enabled: z.boolean().default(true),
})

export const updatePipelineBody = z.strictObject({
  name: name.optional(),
  model: modelReference.optional(),
  enabled: z.boolean().optional(),
  expected_revision: revision.optional(),
})

/** Spec 2: a list returns at most 20 pipelines. */
const pipelineQuery = pageQuery.extend({
  limit: wholeNumber(1, pipelinesPerList).default(pipelinesPerList),
})

export const trainableModel = z.object({
  id: z.string(),
  display_name: z.string(),
  recommended: z.boolean(),
})

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
      'PIPELINE_NAME_TAKEN',
      'OWN_TAG_TAKEN',
      'METHOD_NOT_ENABLED',
      'MODEL_NOT_TRAINABLE',
      'RATE_LIMITED',
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
    summary: 'Rename, pause or resume a pipeline, or change its model',
    access: { kind: 'caller', scope: 'loop:write' },
    tool: 'update_pipeline',
    sdk: 'loop.pipelines.update',
    loopOff: 'pausing',
    body: updatePipelineBody,
    status: 200,
    response: z.object({ pipeline }),
    errors: [
      'PIPELINE_NAME_TAKEN',
      'REVISION_MISMATCH',
      'METHOD_NOT_ENABLED',
      'MODEL_NOT_TRAINABLE',
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
