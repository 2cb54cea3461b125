// Attempts of a pipeline to train a better version: for now, what the next one would train on and cost.
import { z } from 'zod'
import { route, usd } from './route.ts'

export const runPipelineBody = z.strictObject({
  dry_run: z.boolean().optional().describe('Answers what would be done, and starts nothing'),
})

export const runPlan = z.object({
  /** Those that the trainer keeps aside for its checks included. */
  train_rows: z.number().int(),
  holdout_rows: z.number().int(),
  skipped_rows: z.array(z.object({ reason: z.string(), count: z.number().int() })),
  have: z.number().int(),
  need: z.number().int(),
  steps: z.number().int(),
  seconds: z.number().int(),
  cost_usd: usd,
  /** The code with which the run would be refused. */
  blocked_by: z.string().nullable(),
})
export type RunPlan = z.infer<typeof runPlan>

export const attemptRoutes = [
  route({
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
  }),
] as const
