import assert from 'node:assert/strict'
import { test } from 'node:test'
import { learningRateAt } from '#server/compute/embedded/adam-step.ts'
import { epochBatches } from '#server/compute/embedded/batches.ts'
import { afterCheck, isCheckStep, shouldStopEarly } from '#server/compute/embedded/run-state.ts'
import { ProgressFold } from '#server/compute/embedded/training-event.ts'
import { automaticTrainingSettings, settingsFault } from '#server/compute/training-settings.ts'
import { partnerRows } from './training-fixture.ts'

test('automatic settings aim at 1,100 steps of 16, within 3 to 15 epochs', () => {
  const epochs = (rows: number) => automaticTrainingSettings(rows).epochs
  assert.deepEqual(
    [0, 1, 100, 1000, 1173, 2000, 5000, 7000, 100_000].map(epochs),
    [15, 15, 15, 15, 15, 9, 4, 3, 3],
  )
  assert.equal(automaticTrainingSettings(100_000, { minEpochs: 8 }).epochs, 8)
  const settings = automaticTrainingSettings(1000)
  assert.deepEqual(settings, {
    epochs: 15,
    learning_rate: 0.0002,
    lora_rank: 16,
    lora_alpha: 32,
    replay_percent: 50,
  })
  assert.equal(settingsFault(settings), null)
})

test('settings at the edges of their ranges are taken, beyond them refused', () => {
  const base = automaticTrainingSettings(1000)
  for (const change of [
    { epochs: 1 },
    { learning_rate: 1e-6 },
    { learning_rate: 0.01 },
    { lora_rank: 4 },
    { lora_rank: 64 },
    { lora_alpha: 1 },
    { lora_alpha: 512 },
    { replay_percent: 0 },
    { replay_percent: 50 },
  ]) {
    assert.equal(settingsFault({ ...base, ...change }), null)
  }
  for (const change of [
    { epochs: 0 },
    { epochs: 1.5 },
    { learning_rate: 9e-7 },
    { learning_rate: NaN },
    { lora_rank: 5 },
    { lora_alpha: 0 },
    { lora_alpha: 1.5 },
    { lora_alpha: NaN },
    { replay_percent: -1 },
    { replay_percent: 50.5 },
    { replay_percent: 51 },
  ]) {
    assert.notEqual(settingsFault({ ...base, ...change }), null)
  }
})

test('the learning rate rises, peaks and eases off', () => {
  const rates = Array.from({ length: 1000 }, (_, i) => learningRateAt(i + 1, 1000, 0.1))
  assert.ok(rates[0]! > 0 && rates[0]! < 0.01)
  assert.equal(Math.max(...rates), 0.1)
  assert.equal(rates.indexOf(0.1), 29)
  assert.ok(rates.at(-1)! > 0 && rates.at(-1)! < 1e-5)
  assert.ok(learningRateAt(1, 1, 0.1) > 0)
})

test('an epoch holds every row once, in batches of like lengths that follow from the seed', () => {
  const rows = partnerRows(533).map((row, i) => ({
    inputIds: [...row.inputIds, ...Array.from({ length: i % 90 }, () => 1)],
    labels: [...row.labels, ...Array.from({ length: i % 90 }, () => -100)],
  }))
  const lengthOf = (row: (typeof rows)[number]) => row.inputIds.length
  const batches = epochBatches(rows, lengthOf, 16, 7, 0)
  assert.equal(batches.length, Math.ceil(533 / 16))
  assert.equal(new Set(batches.flat()).size, 533)
  assert.deepEqual(batches, epochBatches(rows, lengthOf, 16, 7, 0))
  assert.notDeepEqual(batches, epochBatches(rows, lengthOf, 16, 7, 1))
  assert.notDeepEqual(batches, epochBatches(rows, lengthOf, 16, 8, 0))
  const padded = batches.reduce(
    (sum, batch) => sum + batch.length * Math.max(...batch.map((row) => row.inputIds.length)),
    0,
  )
  const real = rows.reduce((sum, row) => sum + row.inputIds.length, 0)
  assert.ok(padded < 1.15 * real, `${padded} for ${real}`)
})

test('a run is checked about ten times, and at its end', () => {
  for (const total of [1, 3, 9, 10, 14, 15, 180, 1104]) {
    const steps = Array.from({ length: total }, (_, i) => i + 1)
    const checks = steps.filter((step) => isCheckStep(step, total))
    assert.equal(checks.at(-1), total)
    assert.ok(
      checks.length >= Math.min(total, 8) && checks.length <= 15,
      `${total}: ${checks.length}`,
    )
  }
})

const start = {
  step: 10,
  tokens: 0,
  checkLossBefore: 1,
  bestStep: 0,
  bestLoss: 0,
  checksWithoutGain: 0,
  trainLoss: 0,
}

test('only a better check resets the count', () => {
  const first = afterCheck(start, 5, true)
  assert.deepEqual([first.bestStep, first.bestLoss], [10, 5])
  const worse = afterCheck({ ...first, step: 20 }, 5, true)
  assert.deepEqual([worse.bestStep, worse.checksWithoutGain], [10, 1])
  const better = afterCheck({ ...worse, step: 30 }, 4, true)
  assert.deepEqual([better.bestStep, better.checksWithoutGain], [30, 0])
  const last = afterCheck({ ...first, step: 20 }, 6, false)
  assert.deepEqual([last.bestStep, last.bestLoss, last.checksWithoutGain], [20, 6, 0])
})

test('a check is better by 1% of the best or by 0.001, and three that are not end a run', () => {
  for (const [best, loss, isBetter] of [
    [2, 1.9985, true],
    [2, 1.9995, false],
    [0.01, 0.00985, true],
    [0.01, 0.00995, false],
    [0.0005, 0.00049, true],
    [0, 0, false],
  ] as const) {
    const { bestLoss } = afterCheck({ ...start, bestStep: 5, bestLoss: best }, loss, true)
    assert.equal(bestLoss, isBetter ? loss : best, `${loss} after ${best}`)
  }
  const losses = [0.01, 0.00999, 0.00998, 0.00997]
  const end = losses.reduce((state, loss) => afterCheck(state, loss, true), start)
  assert.ok(shouldStopEarly(end))
})

test('the curve of a long run stays short, and a resumed one forgets what no longer holds', () => {
  const fold = new ProgressFold()
  fold.add({ event: 'planned', steps: 4000, rows: 1, checked: 1, leftOut: [], seconds: 0 })
  for (let step = 1; step <= 3000; step++) {
    fold.add({
      event: 'step',
      step,
      loss: step % 2,
      learningRate: 0.1,
      tokens: step,
      seconds: step / 2,
    })
  }
  assert.equal(fold.progress.curve.length, 150)
  assert.equal(fold.progress.curve[0]?.loss, 0.5)
  fold.add({ event: 'check', step: 3000, checkLoss: 2, seconds: 1600 })
  assert.deepEqual(fold.progress.curve.at(-1), { step: 3000, loss: 0.5, check_loss: 2 })
  fold.add({ event: 'resumed', step: 2000, tokens: 2000, seconds: 1700 })
  assert.equal(fold.progress.curve.at(-1)?.step, 2000)
  assert.equal(fold.progress.step, 2000)
})

test('the time that is left follows the pace of recent steps of this process', () => {
  const fold = new ProgressFold()
  const step = (at: number, seconds: number) =>
    fold.add({ event: 'step', step: at, loss: 1, learningRate: 0.1, tokens: at, seconds })
  fold.add({ event: 'planned', steps: 1000, rows: 1, checked: 1, leftOut: [], seconds: 0 })
  step(1, 10)
  assert.equal(fold.progress.secondsLeft, null)
  step(2, 12)
  assert.equal(fold.progress.secondsLeft, 998 * 2)
  for (let at = 3; at <= 300; at++) step(at, 12 + at)
  assert.equal(fold.progress.secondsLeft, 700)
  // Another process, on a faster computer, that does the last steps once more.
  fold.add({ event: 'resumed', step: 250, tokens: 250, seconds: 400 })
  assert.equal(fold.progress.secondsLeft, null)
  step(251, 401)
  step(252, 401.5)
  assert.equal(fold.progress.secondsLeft, 748 / 2)
  assert.equal(fold.progress.seconds, 401.5)
  step(253, 3)
  assert.equal(fold.progress.seconds, 401.5)
})
