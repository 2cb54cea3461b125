// A pipeline as its readers see it: its row, with what its tag and its selection have gathered.
import { attemptsPerPipeline, attemptsPerPipelineInList } from '#contract/limits.ts'
import type { Pipeline } from '#contract/pipeline.ts'
import type { App } from '../../app.ts'
import { minEpochsDefault } from '../../compute/training-settings.ts'
import { inParallel } from '../../lib/in-parallel.ts'
import { obstacles } from '../attempt/obstacles.ts'
import { type AttemptsOfPipeline, readAttemptsOf } from '../attempt/read-attempts.ts'
import { type MonthCosts, readMonthCosts } from '../attempt/month-costs.ts'
import { moneyFactsOf, startFactsOf } from '../attempt/start-facts.ts'
import { readNotRecorded } from '../../samples/capture/capture-count-store.ts'
import { promotionChance } from '../test/verdict/policy-chance.ts'
import { countByTag } from '../../samples/stats/count-samples.ts'
import { readStorage } from '../../samples/stats/read-storage.ts'
import {
  describeVersions,
  type GatheredVersions,
  readGatheredVersions,
} from './describe-versions.ts'
import { nextReason } from './next-reason.ts'
import { needsRightAnswer } from '../pipeline/pick-judge.ts'
import { pipelineState } from '../pipeline/pipeline-state.ts'
import { namedModel, type PipelineRow } from '../pipeline/pipeline.ts'
import { scheduledAfter } from '../pipeline/scheduled-at.ts'
import { countNew, type NewCounts } from '../selection/count-new.ts'
import { countUsable, type UsableCounts } from '../selection/count-usable.ts'
import { forecast } from '../selection/forecast.ts'
import {
  countedFor,
  minimumsOf,
  type SampleCounts,
  shortfallSentence,
} from '../selection/minimums.ts'
import { pipelineSelection } from '../selection/pipeline-selection.ts'
import { trainingDefaults } from './training-defaults.ts'

/** As many long reads as a workspace has slots; more would only wait. */
const pipelinesAtOnce = 2

export async function describePipelines(
  app: App,
  rows: readonly PipelineRow[],
): Promise<Pipeline[]> {
  return inParallel(rows, pipelinesAtOnce, (row) =>
    describeInSlot(app, row, attemptsPerPipelineInList),
  )
}

export function describeInSlot(
  app: App,
  row: PipelineRow,
  attempts = attemptsPerPipeline,
): Promise<Pipeline> {
  return app.samples.longReads.run(row.workspace_id, async () =>
    describePipeline(app, row, await readGathered(app, row, attempts)),
  )
}

type Gathered = Pick<Pipeline, 'samples' | 'storage' | 'capture'> &
  AttemptsOfPipeline & {
    counts: UsableCounts & SampleCounts & Pick<NewCounts, 'heldBackLasting'>
    ofVersions: GatheredVersions
    monthCosts: MonthCosts
  }

/** For callers that hold a slot for long reads. One statement after another, because a slot is for one connection. */
export async function readGathered(
  app: App,
  row: PipelineRow,
  attempts = attemptsPerPipeline,
): Promise<Gathered> {
  const { workspace_id: workspaceId, tag } = row
  const { db } = app.storage
  const at = app.clock.now()
  const selection = await pipelineSelection(db, row, at)
  const ofAttempts = await readAttemptsOf(app, row.id, attempts)
  const counts = await countUsable(db, selection)
  // Before the first attempt, nothing was done with any of them.
  const done =
    ofAttempts.attempts_total === 0 && row.shortfall === null
      ? nothingDone(counts.usable)
      : await countNew(db, row, selection, null)
  return {
    samples: await countByTag(db, workspaceId, tag, at),
    storage: await readStorage(app, workspaceId, { tag }),
    capture: await readNotRecorded(db, workspaceId, tag),
    counts: { ...counts, ...done },
    ofVersions: await readGatheredVersions(app, row.id),
    monthCosts: await readMonthCosts(app, row.id),
    ...ofAttempts,
  }
}

export function describePipeline(app: App, row: PipelineRow, gathered: Gathered): Pipeline {
  const { counts, ofVersions, monthCosts, ...shown } = gathered
  const { active_run: active } = shown
  const [newest = null] = shown.attempts
  const now = app.clock.now()
  const versions = describeVersions(row, ofVersions, now)
  // What the texts of samples say against them is known once they were selected.
  const of = countedFor(row, versions.live_version)
  const minimums = minimumsOf(counts, of)
  const state = pipelineState({
    enabled: row.enabled,
    pausedForFunds: row.paused_for_funds,
    maxVersions: row.max_versions,
    versionsTotal: versions.versions_total,
  })
  const start = {
    ...startFactsOf(app, row, {
      running: active !== null,
      versions: versions.versions_total,
    }),
    ...moneyFactsOf(app, row, monthCosts),
    stoppedLive: ofVersions.stopped,
    samples: minimums,
  }
  const judge = app.catalog.find(row.judge_model)
  const promotion = {
    policy: row.promotion_policy,
    k: row.promotion_k,
    evidence: row.promotion_evidence,
  }
  const benchmarks: Pipeline['benchmarks'] = []
  return {
    rule_id: row.id,
    name: row.name,
    tag: row.tag,
    model_name: `loop-${row.tag}`,
    model: { id: namedModel(row) },
    challenger_model: row.challenger_model === null ? null : { id: row.challenger_model },
    tags: row.tags,
    conditions: row.conditions,
    datasets: row.datasets,
    use_case: row.use_case,
    enabled: row.enabled,
    state,
    revision: row.revision,
    consented_revision: row.consented_revision,
    training: row.training,
    training_defaults: trainingDefaults(
      counts.usable,
      app.catalog.find(row.model)?.training.min_epochs ?? minEpochsDefault,
    ),
    builds_on: row.builds_on,
    schedule: row.schedule,
    holdout: { percent: row.held_back_percent },
    promotion,
    promotion_chance: promotionChance(promotion, benchmarks.length),
    auto_scoring: row.auto_scoring,
    max_versions: row.max_versions,
    judge_model: { id: row.judge_model },
    judge: { model: row.judge_model, ...unmeasured },
    benchmarks,
    ...versions,
    second_model: row.challenger_model === null ? null : secondModel(row.challenger_model),
    minimums,
    next_reason: nextReason({
      obstacles: obstacles(start),
      selected: counts.selected,
      minimums,
      shortfall: shortfallSentence(counts, of),
      liveVersion: versions.live_version,
      forecast: forecast({
        now,
        have: minimums.have,
        need: minimums.need,
        recent: counts.recent,
        firstReviewAt: counts.firstReviewAt,
        firstAt: counts.firstAt,
        retentionDays: counts.retentionDays ?? 0,
      }),
      heldBack: { now: counts.heldBack, lasting: counts.heldBackLasting },
      active: active?.explanation ?? null,
      last: newest?.explanation.headline ?? null,
      scheduledAt: row.schedule === null ? null : scheduledAfter(row.schedule, now),
      autoScoring: row.auto_scoring,
      judge: {
        model: row.judge_model,
        isNamed: row.judge_named !== null,
        needsRightAnswer: needsRightAnswer(judge),
      },
    }),
    scoring_capped_until: monthCosts.cappedUntil?.toISOString() ?? null,
    needs_funds: active?.phase === 'waiting_for_funds',
    ...shown,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

/** No judge has been measured yet. */
const unmeasured = {
  agreement_with_people: null,
  pairs: 0,
  order_flips: null,
  passes_known_bad: null,
  prefers_longer: null,
}

function nothingDone(usable: number) {
  return { heldBack: 0, heldBackLasting: 0, unlearned: usable, unused: usable, arrived: 0 }
}

function secondModel(model: string): Pipeline['second_model'] {
  return { model, attempts_total: 0, versions_total: 0, last_result: null }
}
