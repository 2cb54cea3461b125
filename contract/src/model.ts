// The model catalog as clients see it: one superset row that both kinds of SDK can read.
import { z } from 'zod'
import { nextCursor, route, timestamp } from './route.ts'

export const priceBand = z.object({ min: z.number(), max: z.number() })

export const effortNames = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const

export const modelRow = z.object({
  id: z.string(),
  object: z.literal('model'),
  /** The same as `object`, under the name the messages dialect reads. */
  type: z.literal('model'),
  created: z.number().int(),
  created_at: timestamp,
  owned_by: z.string(),
  display_name: z.string(),
  /** Required by strict clients of the messages dialect; what is in the catalog is in use. */
  lifecycle: z.literal('active'),
  /** USD per 1M tokens; a band because several routes may serve one model. */
  pricing: z.object({
    input: priceBand,
    output: priceBand,
    cache_read: priceBand.optional(),
    cache_write_5m: priceBand.optional(),
    cache_write_1h: priceBand.optional(),
  }),
  supports_vision: z.boolean(),
  supports_tools: z.boolean(),
  context_window: z.number().int(),
  max_output_tokens: z.number().int(),
  max_input_tokens: z.number().int(),
  max_tokens: z.number().int(),
  reasoning_efforts: z.array(z.enum(effortNames)),
  reasoning_default: z.enum(effortNames).nullable(),
  /** True when this model's reasoning cannot be turned off. */
  reasoning_required: z.boolean(),
  prompt_caching: z.object({
    type: z.enum(['explicit', 'automatic', 'none']),
    min_tokens: z.number().int(),
    /** Every prompt that is long enough is billed as a cache write, marked or not. */
    bills_writes: z.boolean(),
  }),
})
export type ModelRow = z.infer<typeof modelRow>

const modelList = z.object({ object: z.literal('list'), data: z.array(modelRow) })
const modelPage = z.object({
  data: z.array(modelRow),
  has_more: z.boolean(),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
})

export const modelRoutes = [
  route({
    name: 'listModels',
    tag: 'Models',
    method: 'GET',
    path: '/v1/models',
    summary:
      'The catalog, and for a key the deployments that it may call; with the header `anthropic-version`, as a page in the messages dialect, of `limit` models behind `after_id` or before `before_id`',
    access: { kind: 'public' },
    status: 200,
    response: z.union([modelList, modelPage]),
    errors: ['unavailable'],
  }),
  route({
    name: 'getModel',
    tag: 'Models',
    method: 'GET',
    path: '/v1/models/{model}',
    summary: 'One row of the catalog; the slug may hold slashes',
    access: { kind: 'public' },
    status: 200,
    response: modelRow,
    errors: ['model_not_found', 'unavailable'],
  }),
  route({
    name: 'listPlatformModels',
    tag: 'Models',
    method: 'GET',
    path: '/api/models',
    summary: 'The catalog, for the platform API',
    // Whoever may call models may see which there are (spec 1, scopes).
    access: { kind: 'caller', scope: 'models:read', orScope: 'serverless' },
    tool: 'list_models',
    sdk: 'models.list',
    status: 200,
    response: z.object({ models: z.array(modelRow), next_cursor: nextCursor }),
    errors: [],
  }),
] as const
