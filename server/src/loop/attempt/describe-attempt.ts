// An attempt as its readers see it: its row, with what it has cost and how far its training is.
import type { Attempt, AttemptInList } from '#contract/attempt.ts'
import type { App } from '../../app.ts'
import type { TrainingProgress } from '../../compute/compute.ts'
import { formatUsd, type Picodollars } from '../../lib/money.ts'
import type { Charges } from '../../wallet/reserve.ts'
import { describeLiveSpan } from '../version/describe-version.ts'
import type { LiveSpan } from '../version/version-store.ts'
import type { AttemptMove, AttemptRow } from './attempt.ts'
import { canRetest } from './can-retest.ts'
import { costLimit } from './cost-limit.ts'
import { explain } from './explain.ts'
import { isStalledTest } from './failing.ts'

export type AttemptExtra = {
  charges: Charges
  /** While compute has its training; null before and after. */
  progress: TrainingProgress | null
  /** Attempts that train on its machine before it does. */
  queued: number
  /** Since when and until when it was live; null where it never was. */
  live: LiveSpan | null
  /** Answers or readings of its test, while they are asked for; null before and after. */
  asked: { done: number; of: number } | null
}

type Ports = Pick<App, 'catalog'>

export function describeAttempt(
  app: Ports,
  row: AttemptRow,
  extra: AttemptExtra & { moves: readonly AttemptMove[] },
): Attempt {
  return {
    ...describeAttemptInList(app, row, extra),
    skipped_rows: row.skipped_rows,
    verdict: row.verdict,
    moves: extra.moves.map(({ to, why, at }) => ({ to, why, at: at.toISOString() })),
  }
}

export function describeAttemptInList(
  app: Ports,
  row: AttemptRow,
  { charges, progress, queued, live, asked }: AttemptExtra,
): AttemptInList {
  const { phase } = row.state
  const { training, serving } = charges
  const scoring = charges.scoring + charges.retest
  const canTestAgain = canRetest(row, charges.scoring)
  const total = training + serving + scoring
  // Steps are known once the trainer has read its rows.
  const trains = phase === 'training' && progress !== null && progress.steps > 0 ? progress : null
  const step = trains && { at: trains.step, of: trains.steps }
  return {
    id: row.id,
    rule_id: row.pipeline_id,
    attempt_no: row.attempt_no,
    version_no: row.version_no,
    reason: row.reason,
    result: row.result,
    phase,
    decision: row.decision,
    available_actions: actionsOf(row),
    can_retest: canTestAgain,
    train_rows: row.train_rows,
    holdout_rows: row.holdout_rows,
    candidate_pass_rate: row.candidate_pass_rate,
    incumbent_pass_rate: row.incumbent_pass_rate,
    explanation: explain(
      {
        ...row,
        phase,
        canTestAgain,
        isEnding: row.state.closing !== undefined,
        isStalled: isStalledTest(row),
        isAway: 'away' in row.state && row.state.away !== undefined,
      },
      { queued, step, asked, charged: total },
    ),
    error_code: row.error_code,
    lineage: {
      model: row.model,
      revision: row.model_revision,
      builds_on: row.builds_on,
      samples: { new: newRows(row), replayed: row.replayed_rows },
      parents: [],
    },
    settings: row.settings,
    progress: trains
      ? {
          step: trains.step,
          steps: trains.steps,
          loss: trains.loss,
          seconds_left: trains.secondsLeft,
        }
      : asked && { step: asked.done, steps: asked.of, loss: null, seconds_left: null },
    benchmark_scores: [],
    costs: {
      training_usd: formatUsd(training),
      serving_usd: formatUsd(serving),
      scoring_usd: formatUsd(scoring),
      total_usd: formatUsd(total),
      limit_usd: formatUsd(limitOf(app, row)),
    },
    created_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    ended_at: row.ended_at?.toISOString() ?? null,
    decide_by: row.decide_by?.toISOString() ?? null,
    ...describeLiveSpan(live),
  }
}

function actionsOf({
  result,
  cancelled_at,
  decide_by,
}: AttemptRow): AttemptInList['available_actions'] {
  if (decide_by !== null) return ['approve', 'reject']
  return result === 'running' && cancelled_at === null ? ['stop'] : []
}

function newRows({ train_rows, replayed_rows }: AttemptRow): number | null {
  return train_rows === null ? null : train_rows - (replayed_rows ?? 0)
}

function limitOf({ catalog }: Ports, row: AttemptRow): Picodollars {
  const machine = catalog.machines.find(({ name }) => name === row.machine)
  return costLimit({
    training: BigInt(row.training_price_per_hour),
    // A machine that has left the catalog serves nothing.
    serving: machine?.serving_usd_per_hour ?? 0n,
  })
}
