// Attempts: one training of a pipeline each, from its samples to its result.
import { z } from 'zod'
import { nextCursor, pageQuery, route, timestamp, usd } from './route.ts'
import { runPipelineBody, runPlan, skippedRows } from './run-plan.ts'
import { trainingSettingNames } from './training.ts'
import { benchmarkScore, verdict } from './verdict.ts'

export const attemptReasons = ['data', 'schedule', 'manual', 'challenger', 'rebuild'] as const
export type AttemptReason = (typeof attemptReasons)[number]

export const attemptResults = [
  'running',
  'became_version',
  'not_better',
  'inconclusive',
  'not_tested',
  'waiting_for_review',
  'stopped',
  'failed',
] as const
export type AttemptResult = (typeof attemptResults)[number]

export const attemptPhases = [
  'waiting_for_funds',
  'waiting_for_gpu',
  'waiting_for_service',
  'waiting_for_room',
  'waiting_for_storage',
  'preparing',
  'training',
  'merging',
  'starting_machine',
  'answering',
  'scoring',
  'deciding',
  'promoting',
  'ended',
] as const
export type AttemptPhase = (typeof attemptPhases)[number]

export const attemptDecisions = ['rejected', 'expired', 'auto_rejected'] as const
export type AttemptDecision = (typeof attemptDecisions)[number]
/** `stop` is the route `cancel`. */
export const attemptActions = ['approve', 'reject', 'rollback', 'stop'] as const

export const explanation = z.object({
  headline: z.string(),
  detail: z.string(),
  /** What happens or can be done next; null when nothing follows. */
  next: z.string().nullable(),
})
export type Explanation = z.infer<typeof explanation>

const count = z.number().int()
const rate = z.number().nullable()

/** What was built on, and what was trained on. */
export const lineage = z.object({
  model: z.string(),
  revision: z.string(),
  /** The version that it builds on; null for the base model. */
  builds_on: count.nullable(),
  samples: z.object({ new: count.nullable(), replayed: count.nullable() }),
  parents: z.array(count),
})
export type Lineage = z.infer<typeof lineage>

export const attemptInList = z.object({
  id: z.uuid(),
  rule_id: z.uuid(),
  attempt_no: count,
  /** Set only if it went live. */
  version_no: count.nullable(),
  reason: z.enum(attemptReasons),
  result: z.enum(attemptResults),
  phase: z.enum(attemptPhases),
  decision: z.enum(attemptDecisions).nullable(),
  available_actions: z.array(z.enum(attemptActions)),
  can_retest: z.boolean(),
  /** Those that the trainer keeps aside for its own checks included; null until the rows were selected. */
  train_rows: count.nullable(),
  holdout_rows: count.nullable(),
  candidate_pass_rate: rate,
  incumbent_pass_rate: rate,
  explanation,
  error_code: z.string().nullable(),
  lineage,
  /** The numbers it trains with; `custom` where a member chose any of them. */
  settings: z.object({
    custom: z.boolean(),
    ...(Object.fromEntries(trainingSettingNames.map((name) => [name, z.number()])) as Record<
      (typeof trainingSettingNames)[number],
      z.ZodNumber
    >),
  }),
  /** While it trains; then, while it is tested, the answers or readings that are there, of all. */
  progress: z
    .object({
      step: count,
      steps: count,
      loss: z.number().nullable(),
      seconds_left: z.number().nullable(),
    })
    .nullable(),
  benchmark_scores: z.array(benchmarkScore),
  costs: z.object({
    training_usd: usd,
    serving_usd: usd,
    scoring_usd: usd,
    total_usd: usd,
    /** The most that it may cost. */
    limit_usd: usd,
  }),
  created_at: timestamp,
  started_at: timestamp.nullable(),
  ended_at: timestamp.nullable(),
  decide_by: timestamp.nullable(),
  live_from: timestamp.nullable(),
  live_until: timestamp.nullable(),
})
export type AttemptInList = z.infer<typeof attemptInList>

export const attempt = attemptInList.extend({
  skipped_rows: skippedRows,
  verdict: verdict.nullable(),
  moves: z.array(z.object({ to: z.enum(attemptPhases), why: z.string(), at: timestamp })),
})
export type Attempt = z.infer<typeof attempt>

export const approveBody = z.strictObject({
  force: z.boolean().optional().describe('Approve also what its test could not decide'),
  expected_revision: z
    .number()
    .int()
    .min(1)
    .optional()
    .describe('The revision of the pipeline that the decision is about'),
})
export type ApproveBody = z.infer<typeof approveBody>

/** The mean loss between points, and the loss on the rows kept aside where it was checked. */
export const curvePoint = z.object({
  step: count,
  loss: z.number().nullable(),
  check_loss: z.number().nullable(),
})
export type CurvePoint = z.infer<typeof curvePoint>

export const attemptRoutes = [
  route({
    name: 'runPipeline',
    tag: 'Pipelines',
    method: 'POST',
    path: '/api/loop/pipelines/{pipeline_id}/run',
    summary:
      'Train now; with dry_run, what a training would learn from, how long it would take and what it would cost',
    access: { kind: 'caller', scope: 'loop:write' },
    tool: 'run_pipeline',
    sdk: 'loop.pipelines.run',
    body: runPipelineBody,
    status: 201,
    response: z.object({ attempt }),
    instead: {
      asked: (body) => (body as z.infer<typeof runPipelineBody>).dry_run === true,
      status: 200,
      response: z.object({ plan: runPlan }),
    },
    errors: [
      'NO_GPU_FITS',
      'RULE_PAUSED',
      'RUN_ACTIVE',
      'PIPELINE_NEEDS_SAVE',
      'VERSION_LIMIT_REACHED',
      'MONTHLY_LIMIT_REACHED',
      'SCORING_CAPPED',
      'AGENT_OFF',
      'LIVE_VERSION_STOPPED',
      'NOT_ENOUGH_SAMPLES',
      'RATE_LIMITED',
      'GPU_OPTIONS_UNAVAILABLE',
      'AGENT_COULD_NOT_START',
    ],
  }),
  route({
    name: 'listAttempts',
    tag: 'Attempts',
    method: 'GET',
    path: '/api/loop/pipelines/{pipeline_id}/attempts',
    summary: 'The attempts of a pipeline, newest first',
    access: { kind: 'caller', scope: 'loop:read' },
    tool: 'list_attempts',
    sdk: 'loop.pipelines.attempts',
    query: pageQuery.extend({
      result: z.enum(attemptResults).optional().describe('Only those with this result'),
    }),
    status: 200,
    response: z.object({ attempts: z.array(attemptInList), next_cursor: nextCursor }),
    errors: [],
  }),
  route({
    name: 'getAttempt',
    tag: 'Attempts',
    method: 'GET',
    path: '/api/loop/training-runs/{attempt_id}',
    summary: 'One attempt, with its moves from phase to phase',
    access: { kind: 'caller', scope: 'loop:read' },
    tool: 'get_attempt',
    sdk: 'loop.trainingRuns.get',
    status: 200,
    response: z.object({ attempt }),
    errors: [],
  }),
  route({
    name: 'cancelAttempt',
    tag: 'Attempts',
    method: 'POST',
    path: '/api/loop/training-runs/{attempt_id}/cancel',
    summary:
      'Stop an attempt; only the GPU time used is charged, and its samples go to the next one',
    access: { kind: 'caller', scope: 'loop:write' },
    tool: 'cancel_attempt',
    sdk: 'loop.trainingRuns.cancel',
    loopOff: 'served',
    status: 200,
    response: z.object({ attempt }),
    errors: ['RUN_FINISHED'],
  }),
  route({
    name: 'approveAttempt',
    tag: 'Attempts',
    method: 'POST',
    path: '/api/loop/training-runs/{attempt_id}/approve',
    summary: 'Put an attempt live that waits for a decision, as the next version of its pipeline',
    access: { kind: 'caller', scope: 'loop:write' },
    tool: 'approve_attempt',
    sdk: 'loop.trainingRuns.approve',
    body: approveBody,
    status: 200,
    response: z.object({ attempt }),
    errors: [
      'NOT_TESTED',
      'NOT_REVIEWABLE',
      'INCONCLUSIVE_REQUIRES_FORCE',
      'CANDIDATE_MISSING',
      'CONSENT_CHANGED',
    ],
  }),
  route({
    name: 'rejectAttempt',
    tag: 'Attempts',
    method: 'POST',
    path: '/api/loop/training-runs/{attempt_id}/reject',
    summary: 'Turn down an attempt that waits for a decision; nothing changes for callers',
    access: { kind: 'caller', scope: 'loop:write' },
    tool: 'reject_attempt',
    sdk: 'loop.trainingRuns.reject',
    status: 200,
    response: z.object({ attempt }),
    errors: ['NOT_REVIEWABLE'],
  }),
  route({
    name: 'retestAttempt',
    tag: 'Attempts',
    method: 'POST',
    path: '/api/loop/training-runs/{attempt_id}/retest',
    summary:
      'Test an inconclusive attempt again, once: the judge is asked only for readings that are missing, and nothing is trained',
    access: { kind: 'caller', scope: 'loop:write' },
    tool: 'retest_attempt',
    sdk: 'loop.trainingRuns.retest',
    status: 200,
    response: z.object({ attempt }),
    errors: [
      'CANNOT_TEST_AGAIN',
      'RUN_ACTIVE',
      'SCORING_CAPPED',
      'AGENT_OFF',
      'AGENT_COULD_NOT_START',
    ],
  }),
  route({
    name: 'getAttemptCurve',
    tag: 'Attempts',
    method: 'GET',
    path: '/api/loop/training-runs/{attempt_id}/curve',
    summary: 'The loss of an attempt over its steps',
    access: { kind: 'caller', scope: 'loop:read' },
    tool: 'get_attempt_curve',
    sdk: 'loop.trainingRuns.curve',
    status: 200,
    response: z.object({ points: z.array(curvePoint) }),
    errors: ['TRAINING_CURVE_UNAVAILABLE'],
  }),
] as const
