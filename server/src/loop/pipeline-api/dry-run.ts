// The dry run of train now: it says what an attempt would do, and starts nothing.
import type { ReadFailure } from '#contract/own-storage.ts'
import type { RunPlan } from '#contract/run-plan.ts'
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import { Refusal } from '../../core/refusal.ts'
import { minEpochsDefault } from '../../compute/training-settings.ts'
import { readStartFacts, readTestMoney, renewKey } from '../attempt/start-facts.ts'
import type { PipelineRow } from '../pipeline/pipeline.ts'
import { requirePipeline } from '../pipeline/require-pipeline.ts'
import { trainingMachines } from '../pipeline/trainable-models.ts'
import { keepMeasured } from '../selection/keep-measured.ts'
import type { RowsSelection, SelectionSettings } from '../selection/rows-selection.ts'
import { selectionSettingsOf } from '../selection/selection-settings.ts'
import { StorageAway } from '../selection/storage-away.ts'
import { mostForSizes, usualForSizes } from '../test/judge/test-cost.ts'
import { shortOfMoney, type TestMoney, testSetupOf } from '../test/test-money.ts'
import { readVersions } from '../version/version-store.ts'
import { type PlannedTest, planRun, type RunFacts } from './plan-run.ts'

export async function dryRunPipeline(
  app: App,
  caller: Caller,
  id: string,
): Promise<{ plan: RunPlan }> {
  const row = await requirePipeline(app, caller, id)
  return { plan: await app.learning.rowSelector.dryRun(row.workspace_id, () => dryRun(app, row)) }
}

async function dryRun(app: App, row: PipelineRow): Promise<RunPlan> {
  const { catalog, storage } = app
  const settings = await selectionSettingsOf(app, row)
  const at = app.clock.now()
  const { selection, secondsPerToken } = settings ? await measured(app, settings, at) : nothing
  if (settings) {
    const keep = () => keepMeasured(storage.db, row, selection, at)
    await app.samples.longReads.run(row.workspace_id, keep)
  }
  const start = await readStartFacts(app, storage.db, row)
  const scoringKey = await renewKey(app, row, { keep: false })
  const versions = await readVersions(storage.db, row.id)
  return planRun({
    selection,
    secondsPerToken,
    training: row.training,
    heldBackPercent: row.held_back_percent,
    minEpochs: catalog.find(row.model)?.training.min_epochs ?? minEpochsDefault,
    trainingPricePerHour: trainingMachines(catalog)[0]?.training_usd_per_hour ?? 0n,
    hasVersion: versions.live !== null,
    test: plannedTest(app, row, selection.test, await readTestMoney(app, row.id)),
    start: { ...start, scoringKey },
  })
}

function plannedTest(
  { catalog }: App,
  row: PipelineRow,
  test: RowsSelection['test'],
  money: TestMoney,
): PlannedTest | null {
  const setup = testSetupOf(catalog, row)
  if (!setup || !test) return null
  return {
    samples: test.samples,
    usual: usualForSizes(test.sizes, setup),
    most: mostForSizes(test.sizes, setup),
    money: money.amount,
    unaffordable: shortOfMoney(test.firstSizes, setup, money),
  }
}

type Measured = {
  selection: RunFacts['selection'] & Pick<RowsSelection, 'test' | 'leftOut'>
  secondsPerToken: number
}

/** Without the files of a model nothing can be counted. */
const nothing: Measured = {
  selection: {
    trainRows: 0,
    holdoutRows: 0,
    unlearnedRows: 0,
    skipped: [],
    leftOut: 0,
    tokens: 0,
    test: null,
  },
  secondsPerToken: 0,
}

async function measured(app: App, settings: SelectionSettings, at: Date): Promise<Measured> {
  const atMs = at.getTime()
  try {
    const task = { settings, atMs, seed: 0, rowsFile: null, leavesOut: true }
    const selection = await app.learning.rowSelector.select(task)
    const { trainRows, tokens } = selection
    if (trainRows === 0) return { selection, secondsPerToken: 0 }
    const { modelFolder } = settings
    const pace = await app.learning.compute.secondsPerToken(modelFolder, tokens / trainRows)
    return { selection, secondsPerToken: pace }
  } catch (error) {
    if (error instanceof StorageAway) throw storageRefusal(error)
    app.log.warn({ err: error, pipeline_id: settings.pipelineId }, 'a dry run failed')
    throw new Refusal(
      'UNAVAILABLE',
      'What the pipeline would train on could not be read; try again in a moment.',
      { retryAfterSeconds: 5, cause: error },
    )
  }
}

function storageRefusal(cause: StorageAway): Refusal {
  const { reason } = cause
  const sentence = awaySentences[reason] ?? noAnswer
  return new Refusal('UNAVAILABLE', sentence, { retryAfterSeconds: 60, extra: { reason }, cause })
}

const noAnswer =
  "The workspace's own storage does not answer, so its samples could not be counted; try again when it does."

const awaySentences: Partial<Record<ReadFailure, string>> = {
  credentials:
    "The workspace's own storage no longer accepts its access key, so its samples could not be counted; connect it again with a valid one.",
  disconnected:
    "The workspace's own storage was disconnected, so its samples could not be counted; connect it again.",
}
