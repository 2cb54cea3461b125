// Which calls become samples without being asked to one by one, and how many did or did not.
import { z } from 'zod'
import { retentionDaysMax } from './limits.ts'
import { route, timestamp } from './route.ts'
import { tags } from './sample.ts'

export const captureConfigBody = z.strictObject({
  enabled: z.boolean(),
  tags: tags.default([]),
  /** Share of the calls that is kept. */
  sample_rate: z.number().min(0).max(1).nullish(),
  retention_days: z.number().int().min(1).max(retentionDaysMax).nullish(),
})

export const captureConfig = z.object({
  deployment_id: z.string(),
  enabled: z.boolean(),
  tags: z.array(z.string()),
  sample_rate: z.number(),
  /** Null means the default of 30 days. */
  retention_days: z.number().int().nullable(),
  updated_at: timestamp.nullable(),
})
export type CaptureConfig = z.infer<typeof captureConfig>

/** What can become of a call that could have been recorded. */
export const captureOutcomes = [
  'recorded',
  'unknown_tag',
  /** Recorded, but not under this tag: the sample has as many as it may. */
  'too_many_tags',
  'too_large',
  'repeated',
  'not_redacted',
  'overloaded',
  'storage_unavailable',
  'own_storage_unavailable',
] as const
export type CaptureOutcome = (typeof captureOutcomes)[number]

export const captureRoutes = [
  route({
    name: 'getCaptureConfig',
    tag: 'Recording',
    method: 'GET',
    path: '/api/loop/configs/{deployment_id}',
    summary:
      'How calls to one source are recorded: `serverless`, a model, a deployment or a pipeline',
    access: { kind: 'caller', scope: 'loop:read' },
    tool: 'get_capture_config',
    sdk: 'loop.configs.get',
    status: 200,
    response: z.object({ config: captureConfig }),
    errors: [],
  }),
  route({
    name: 'putCaptureConfig',
    tag: 'Recording',
    method: 'PUT',
    path: '/api/loop/configs/{deployment_id}',
    summary: 'Switch the recording of a source on or off, with tags, a share and a retention',
    access: { kind: 'caller', scope: 'loop:write' },
    tool: 'put_capture_config',
    sdk: 'loop.configs.put',
    body: captureConfigBody,
    status: 200,
    response: z.object({ config: captureConfig }),
    errors: [],
  }),
  route({
    name: 'deleteCaptureConfig',
    tag: 'Recording',
    method: 'DELETE',
    path: '/api/loop/configs/{deployment_id}',
    summary: 'Forget how a source is recorded; it is then recorded only where a call asks for it',
    access: { kind: 'caller', scope: 'loop:write' },
    sdk: 'loop.configs.delete',
    status: 204,
    response: null,
    errors: [],
  }),
] as const
