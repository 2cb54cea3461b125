import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { loraParameters } from '#server/compute/embedded/lora-parameters.ts'
import { TrainingSession } from '#server/compute/embedded/training-session.ts'
import type { TrainingRow } from '#server/compute/compute.ts'
import { randomIds, randomModel, randomNumbers, tinyConfig } from './random-model.ts'
import { referenceLoss } from './reference-llama.ts'

const size = { rank: 4, alpha: 8 }
const model = randomModel()
const parameters = loraParameters(tinyConfig, size.rank, 5)
const random = randomNumbers(9)
// With B at zero A would have no gradient to look at.
for (const { name, data } of parameters.all) {
  if (name.startsWith('b_')) for (let i = 0; i < data.length; i++) data[i] = (random() - 0.5) * 0.4
}
const session = await TrainingSession.open(model, size, parameters, { threads: 1 })
after(() => session.close())

function row(length: number, from: number, seed: number): TrainingRow {
  const inputIds = randomIds(length, tinyConfig.vocabSize, seed)
  return { inputIds, labels: inputIds.map((id, t) => (t < from ? -100 : id)) }
}

const batch = [row(9, 4, 1), row(5, 2, 2), row(12, 11, 3)]

async function snapshot(rows: TrainingRow[]) {
  const { loss } = await session.lossAndGradients(rows)
  return { loss, gradients: parameters.all.map(({ gradient }) => gradient.slice()) }
}

function worstShare(a: Float32Array[], b: Float32Array[]): number {
  const largest = Math.max(...a.map((each) => Math.max(...each.map(Math.abs))))
  let worst = 0
  a.forEach((each, i) =>
    each.forEach((number, j) => (worst = Math.max(worst, Math.abs(number - b[i]![j]!)))),
  )
  return worst / largest
}

test('the loss of a padded batch is that of the reference, and checks see the same', async () => {
  const expected = referenceLoss(model, batch, { ...size, layers: parameters.layers })
  const { loss, labels } = await session.lossAndGradients(batch)
  assert.ok(Math.abs(loss - expected) < 1e-5, `${loss} against ${expected}`)
  assert.equal(labels, 5 + 3 + 1)
  assert.ok(Math.abs((await session.loss(batch)).loss - expected) < 1e-5)
})

test('every LoRA matrix has the gradient of finite differences', async () => {
  await session.lossAndGradients(batch)
  const reference = () => referenceLoss(model, batch, { ...size, layers: parameters.layers })
  for (const { name, data, gradient } of parameters.all) {
    const largest = Math.max(...gradient.map(Math.abs))
    assert.ok(largest > 0, `${name} has no gradient`)
    // Along the gradient itself, so that one pair of losses tests every element at once.
    const kept = data.slice()
    const length = Math.sqrt(gradient.reduce((sum, each) => sum + each * each, 0))
    const step = 3e-3
    const lossAt = (sign: number) => {
      for (let i = 0; i < data.length; i++)
        data[i] = kept[i]! + (sign * step * gradient[i]!) / length
      return reference()
    }
    const slope = (lossAt(1) - lossAt(-1)) / (2 * step)
    data.set(kept)
    assert.ok(
      Math.abs(slope - length) < 2e-3 * length + 1e-5,
      `${name}: ${length} against ${slope}`,
    )
  }
})

test('padding changes neither loss nor gradients', async () => {
  // Alone, no row is padded; together, all but the longest are.
  const together = await snapshot(batch)
  const counts = [5, 3, 1]
  let loss = 0
  const sums = together.gradients.map((each) => new Float32Array(each.length))
  for (const [i, each] of batch.entries()) {
    const alone = await snapshot([each])
    loss += (alone.loss * counts[i]!) / 9
    alone.gradients.forEach((gradient, p) =>
      gradient.forEach((number, j) => (sums[p]![j]! += (number * counts[i]!) / 9)),
    )
  }
  assert.ok(Math.abs(loss - together.loss) < 1e-5)
  assert.ok(worstShare(together.gradients, sums) < 1e-4)
})

test('a token without a label is not learned, and changing a labelled one is noticed', async () => {
  const first = await snapshot(batch)
  const relabelled = batch.map((each) => ({ ...each, labels: [...each.labels] }))
  relabelled[0]!.labels[8] = 3
  assert.ok(worstShare(first.gradients, (await snapshot(relabelled)).gradients) > 0.01)
  await assert.rejects(
    session.lossAndGradients([{ inputIds: [1, 2], labels: [-100, -100] }]),
    /without labels/,
  )
})

test('shared weights give the loss and the gradients of packed ones', async () => {
  const packed = await snapshot(batch)
  const other = await TrainingSession.open(model, size, parameters, {
    threads: 1,
    weightPlace: 'shared',
  })
  const { loss } = await other.lossAndGradients(batch)
  const gradients = parameters.all.map(({ gradient }) => gradient.slice())
  assert.ok(Math.abs(loss - packed.loss) < 1e-5)
  assert.ok(worstShare(packed.gradients, gradients) < 1e-4)
  assert.ok(Math.abs((await other.loss(batch)).loss - packed.loss) < 1e-5)
  await other.close()
})

test('a batch too large for one run gives the gradients of its parts together', async () => {
  const long = Array.from({ length: 40 }, (_, i) => row(120, 100, i))
  const whole = await snapshot(long)
  const halves = [await snapshot(long.slice(0, 20)), await snapshot(long.slice(20))]
  const mean = whole.gradients.map((each, p) =>
    each.map((_, j) => (halves[0]!.gradients[p]![j]! + halves[1]!.gradients[p]![j]!) / 2),
  )
  assert.ok(Math.abs(whole.loss - (halves[0]!.loss + halves[1]!.loss) / 2) < 1e-5)
  assert.ok(worstShare(whole.gradients, mean) < 1e-3)
})
