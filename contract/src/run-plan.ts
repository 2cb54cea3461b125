// Train now, and what it would do: the plan of an attempt that a dry run answers.
import { z } from 'zod'
import { platformErrors, type PlatformErrorCode } from './errors.ts'
import { route, usd } from './route.ts'

export const skipReasons = [
  'redacted_answer',
  'too_long',
  'image',
  'empty_answer',
  'in_benchmark',
  'unreadable',
  'template',
] as const
export type SkipReason = (typeof skipReasons)[number]

export const runPipelineBody = z.strictObject({
  dry_run: z.boolean().optional().describe('Answers what would be done, and starts nothing'),
})

/** What an attempt would train on and cost if it started now. */
export const runPlan = z.object({
  /** Those kept aside for checks included. */
  train_rows: z.number().int(),
  holdout_rows: z.number().int(),
  skipped_rows: z.array(z.object({ reason: z.enum(skipReasons), count: z.number().int() })),
  have: z.number().int(),
  need: z.number().int(),
  steps: z.number().int(),
  seconds: z.number().int(),
  cost_usd: usd,
  /** The code with which `run` would be refused. */
  blocked_by: z.enum(Object.keys(platformErrors) as [PlatformErrorCode]).nullable(),
})
export type RunPlan = z.infer<typeof runPlan>

export const runPipelineRoute = route({
  name: 'runPipeline',
  tag: 'Pipelines',
  method: 'POST',
  path: '/api/loop/pipelines/{pipeline_id}/run',
  summary: 'What a training would learn from, how long it would take and what it would cost',
  access: { kind: 'caller', scope: 'loop:write' },
  tool: 'run_pipeline',
  sdk: 'loop.pipelines.run',
  body: runPipelineBody,
  status: 200,
  response: z.object({ plan: runPlan }),
  errors: ['TRAINING_NOT_ENABLED', 'RATE_LIMITED'],
})
