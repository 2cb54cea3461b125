// What an attempt would do if it started now: the plan that a dry run answers.
import { z } from 'zod'
import { platformErrors, type PlatformErrorCode } from './errors.ts'
import { usd } from './route.ts'

const platformCodes = Object.keys(platformErrors) as [PlatformErrorCode]

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

export const skippedRows = z.array(
  z.object({ reason: z.enum(skipReasons), count: z.number().int() }),
)

export const runPipelineBody = z.strictObject({
  dry_run: z.boolean().optional().describe('Answers what would be done, and starts nothing'),
})

/** What an attempt would train on and cost if it started now. */
export const runPlan = z.object({
  /** Those kept aside for checks included. */
  train_rows: z.number().int(),
  holdout_rows: z.number().int(),
  skipped_rows: skippedRows,
  have: z.number().int(),
  need: z.number().int(),
  steps: z.number().int(),
  seconds: z.number().int(),
  /** Of the training. */
  cost_usd: usd,
  /** What the test costs as a rule. */
  test_usd: usd,
  /** What training and test can cost at most. */
  most_usd: usd,
  /** The code with which `run` would be refused, or why an attempt would end before its training. */
  blocked_by: z.enum(['TEST_NOT_AFFORDABLE', ...platformCodes]).nullable(),
})
export type RunPlan = z.infer<typeof runPlan>
