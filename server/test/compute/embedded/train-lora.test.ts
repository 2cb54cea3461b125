import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TrainingEnd, TrainingJob } from '#server/compute/compute.ts'
import { JobFolder } from '#server/compute/embedded/job-folder.ts'
import { trainLora } from '#server/compute/embedded/train-lora.ts'
import { contentHash } from '#server/model-store/content-hash.ts'
import type { TrainingEvent } from '#server/compute/embedded/training-event.ts'
import { writeRowsFile } from '#test/support/write-rows-file.ts'
import { randomModel, randomNumbers, writeRandomModel } from '../../engine/llama/random-model.ts'
import { endOfTurn, folderOf, partnerRows, succeeded, trainingJob } from './training-fixture.ts'

async function train(
  job: TrainingJob,
  report: (event: TrainingEvent) => void = () => {},
): Promise<TrainingEnd> {
  const folder = new JobFolder(folderOf(job))
  return trainLora(job, { folder, threads: 1, report, signal: new AbortController().signal })
}

test('the folder of a job is for its owner alone, and so are those above it', async () => {
  const root = join(folderOf(await trainingJob({ rows: [] })), 'new')
  const folder = new JobFolder(join(root, 'job'))
  await folder.make()
  for (const path of [root, folder.path]) {
    assert.equal((await stat(path)).mode & 0o777, 0o700)
  }
})

test('training stops after three checks without improvement and keeps the best', async () => {
  // Answers without a rule: the better the rows are known by heart, the worse the ones kept aside.
  const random = randomNumbers(4)
  const rows = Array.from({ length: 120 }, () => {
    const inputIds = Array.from({ length: 6 }, () => Math.floor(random() * 60))
    return { inputIds, labels: [-100, -100, -100, -100, ...inputIds.slice(4)] }
  })
  const job = await trainingJob({ rows })
  const checks: { step: number; checkLoss: number }[] = []
  const outcome = succeeded(
    await train(job, (event) => {
      if (event.event === 'check') checks.push(event)
    }),
  )
  assert.equal(outcome.metrics.stoppedEarly, true)
  assert.ok(outcome.metrics.stepsRun < 15 * 8)
  const best = checks.slice(1).reduce((a, b) => (b.checkLoss < a.checkLoss ? b : a))
  assert.equal(outcome.bestStep, best.step)
  assert.equal(outcome.metrics.checkLoss, best.checkLoss)
  assert.equal(checks.length - 1 - checks.slice(1).indexOf(best), 4)
})

test('rows that cannot be learned from are counted with a reason', async () => {
  const rows = partnerRows(30)
  const long = Array.from({ length: 257 }, () => 4)
  rows.push({ inputIds: long, labels: long })
  rows.push({ inputIds: [4, 5], labels: [-100, -100] })
  // Only the first token is labelled, and nothing comes before it.
  rows.push({ inputIds: [4, 5], labels: [4, -100] })
  rows.push({ inputIds: [4, 61], labels: [-100, 5] })
  rows.push({ inputIds: [4, 5], labels: [-100] })
  const job = await trainingJob({ rows })
  job.settings.epochs = 1
  const { leftOut, metrics } = succeeded(await train(job))
  assert.deepEqual(leftOut, [
    { reason: 'too-long', count: 1 },
    { reason: 'nothing-to-learn', count: 2 },
    { reason: 'malformed', count: 2 },
  ])
  assert.equal(metrics.rowsTrained + metrics.rowsChecked, 30)
})

test('an adapter can be trained on top of another', async () => {
  const first = await trainingJob({})
  first.settings.epochs = 5
  const below = succeeded(await train(first))
  const second = await trainingJob({
    base: first.base,
    adapters: [below.adapterPath],
  })
  second.settings.epochs = 1
  const above = succeeded(await train(second))
  // The rows kept aside are the same, so it starts where the first ended.
  assert.ok(Math.abs(above.metrics.checkLossBefore - below.metrics.checkLoss) < 1e-3)
})

const failures: [string, string, RegExp, (job: TrainingJob) => Promise<void> | void][] = [
  [
    'epochs out of range',
    'BAD_SETTINGS',
    /epochs .* 1 to 15, not 16/,
    (job) => void (job.settings.epochs = 16),
  ],
  [
    'a rank between two',
    'BAD_SETTINGS',
    /lora_rank must be 4, 8/,
    (job) => void (job.settings.lora_rank = 12),
  ],
  [
    'a rate too high',
    'BAD_SETTINGS',
    /learning_rate/,
    (job) => void (job.settings.learning_rate = 0.02),
  ],
  [
    'an alpha too high',
    'BAD_SETTINGS',
    /lora_alpha/,
    (job) => void (job.settings.lora_alpha = 513),
  ],
  ['no rows', 'NO_ROWS', /No row has anything to learn/, (job) => writeRowsFile(job.rowsFile, [])],
  [
    'a missing model',
    'MODEL_UNREADABLE',
    /nowhere\/config\.json: the file is missing/,
    (job) => void (job.base.path = '/nowhere'),
  ],
  [
    'an unreadable adapter below',
    'MODEL_UNREADABLE',
    /adapter_config\.json: the file is missing/,
    (job) => void (job.adapters = ['/nowhere']),
  ],
  [
    'a base that is no longer the one that was named',
    'BASE_CHANGED',
    /no longer those of the model/,
    (job) => writeRandomModel(job.base.path, randomModel(undefined, 5)),
  ],
  [
    'no file of rows',
    'ROWS_UNREADABLE',
    /rows of the job cannot be read/,
    (job) => rm(job.rowsFile),
  ],
  [
    'weights that are no numbers',
    'LOSS_NOT_FINITE',
    /no longer a number at step 0/,
    async (job) => {
      const model = randomModel()
      model.tensors.get('model.norm.weight')!.data[3] = NaN
      await writeRandomModel(job.base.path, model)
      job.base.revision = await contentHash(job.base.path, 'model')
    },
  ],
  [
    'a model without gradients',
    'ADAPTER_DID_NOT_MOVE',
    /did not change the weights/,
    async (job) => {
      const model = randomModel()
      model.tensors.get('model.embed_tokens.weight')!.data.fill(0)
      await writeRandomModel(job.base.path, model)
      job.base.revision = await contentHash(job.base.path, 'model')
    },
  ],
]

for (const [name, code, message, change] of failures) {
  test(`${name}: the job fails with ${code}`, async () => {
    const job = await trainingJob({ rows: partnerRows(30) })
    job.settings.epochs = 1
    await change(job)
    const outcome = await train(job)
    assert.ok(outcome.state === 'failed', JSON.stringify(outcome))
    assert.equal(outcome.code, code)
    assert.match(outcome.detail ?? outcome.message ?? '', message)
    assert.doesNotMatch(outcome.message ?? '', /\//, 'no path of the server')
    assert.equal(existsSync(join(folderOf(job), 'adapter')), false)
  })
}

test('a model that never stops early runs all its steps and keeps the last', async () => {
  // What is learned by heart here helps with no other row, so that checks get worse.
  const rows = partnerRows(60).map(({ inputIds, labels }, i) => {
    const said = [3 + ((i * i * 31 + i * 17) % 50), endOfTurn]
    return {
      inputIds: [...inputIds.slice(0, -2), ...said],
      labels: [...labels.slice(0, -2), ...said],
    }
  })
  const job = await trainingJob({ rows, stopsEarly: false })
  Object.assign(job.settings, { epochs: 10, lora_alpha: 16 })
  const checks: { step: number; checkLoss: number }[] = []
  const { bestStep, metrics } = succeeded(
    await train(job, (event) => {
      if (event.event === 'check') checks.push(event)
    }),
  )
  assert.equal(metrics.stoppedEarly, false)
  assert.deepEqual([bestStep, metrics.stepsRun], [40, 40])
  assert.equal(metrics.checkLoss, checks.at(-1)?.checkLoss)
  assert.ok(Math.min(...checks.map(({ checkLoss }) => checkLoss)) < metrics.checkLoss)
})

test('a broken checkpoint is not resumed from', async () => {
  const job = await trainingJob({ rows: partnerRows(40) })
  job.settings.epochs = 2
  const whole = succeeded(await train(job))
  const folder = new JobFolder(folderOf(job))
  await writeFile(
    join(folder.checkpointsPath, String(whole.metrics.stepsRun), 'state.json'),
    '{"ver',
  )
  const steps: number[] = []
  const again = succeeded(
    await train(job, (event) => {
      if (event.event === 'resumed') steps.push(event.step)
    }),
  )
  assert.deepEqual(steps, [0])
  assert.equal(again.metrics.checkLoss, whole.metrics.checkLoss)
})

test('a training aborted before its first step is stopped', async () => {
  const job = await trainingJob()
  const folder = new JobFolder(folderOf(job))
  const signal = AbortSignal.abort()
  const outcome = await trainLora(job, { folder, threads: 1, report: () => {}, signal })
  assert.deepEqual(outcome, { state: 'stopped' })
})
