// What other members of the Llama family have and hone-mini lacks, compared with what transformers computed in
// float32; models/train/make_family_fixtures.py wrote it down.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { loraParameters } from '#server/compute/embedded/lora-parameters.ts'
import { TrainingSession } from '#server/compute/embedded/training-session.ts'
import { openForward } from '#server/engine/embedded/llama/forward.ts'
import { readModelFolder } from '#server/engine/embedded/llama/read-model-folder.ts'
import { randomAdapter, randomModel, tinyConfig } from './random-model.ts'
import { referenceLogits } from './reference-llama.ts'

const fixtures = fileURLToPath(new URL('../../fixtures/engine-family', import.meta.url))

type Fixture = { input_ids: number[]; places: number[]; logits: number[][] }

function assertNear(actual: ArrayLike<number>, expected: ArrayLike<number>, what: string): void {
  assert.equal(actual.length, expected.length)
  for (let i = 0; i < actual.length; i++) {
    const off = Math.abs(actual[i]! - expected[i]!)
    assert.ok(off < 1e-3, `${what}: ${actual[i]} against ${expected[i]}`)
  }
}

for (const name of ['llama3-positions', 'odd-heads']) {
  test(`${name}: the logits are those of transformers, in pieces and token by token`, async () => {
    const text = readFileSync(join(fixtures, `${name}.json`), 'utf8')
    const { input_ids: ids, places, logits } = JSON.parse(text) as Fixture
    const forward = await openForward(await readModelFolder(join(fixtures, name)), { threads: 1 })
    const pieces = forward.newState()
    const single = forward.newState()
    for (const [i, place] of places.entries()) {
      const tokens = ids.slice(pieces.length, place + 1)
      const [all] = await forward.step([{ state: pieces, tokens }], null)
      assertNear(all!, logits[i]!, `pieces, place ${place}`)
      let last: Float32Array | undefined
      for (const id of tokens) [last] = await forward.step([{ state: single, tokens: [id] }], null)
      assertNear(last!, logits[i]!, `token by token, place ${place}`)
    }
    await forward.close()
  })
}

for (const [headSize, kvHeads] of [
  [2, 4],
  [6, 2],
  [12, 1],
  [100, 4],
] as const) {
  test(`heads of ${headSize} numbers, ${kvHeads} for keys, agree with the reference`, async () => {
    const config = { ...tinyConfig, headSize, kvHeads }
    const model = randomModel(config, headSize)
    const ids = Array.from({ length: 40 }, (_, i) => (i * 17 + 3) % config.vocabSize)
    const adapter = randomAdapter(config, 2, 5)
    const forward = await openForward(model, { threads: 1 })
    const state = forward.newState()
    await forward.step([{ state, tokens: ids.slice(0, 15) }], adapter)
    const [middle] = await forward.step([{ state, tokens: ids.slice(15, 39) }], adapter)
    const [last] = await forward.step([{ state, tokens: ids.slice(39) }], adapter)
    const expected = referenceLogits(model, ids, adapter)
    assertNear(middle!, expected[38]!, 'prompt')
    assertNear(last!, expected[39]!, 'decode')
    await forward.close()

    const size = { rank: 2, alpha: 4 }
    const parameters = loraParameters(config, size.rank, 1)
    const session = await TrainingSession.open(model, size, parameters, { threads: 1 })
    const { loss } = await session.lossAndGradients([{ inputIds: ids, labels: ids }])
    assert.ok(Number.isFinite(loss) && loss > 0)
    await session.close()
  })
}
