// Weights that all sessions read where they lie: models of any size, and one copy of them in memory.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { trainingGraph } from '#server/compute/embedded/training-graph.ts'
import type { WeightPlace } from '#server/engine/embedded/graph/graph.ts'
import { onnxModel } from '#server/engine/embedded/graph/onnx-model.ts'
import { weightPlace } from '#server/engine/embedded/llama/base-weights.ts'
import { openForward } from '#server/engine/embedded/llama/forward.ts'
import { forwardGraph } from '#server/engine/embedded/llama/forward-graph.ts'
import { readModelFolder } from '#server/engine/embedded/llama/read-model-folder.ts'
import type { ModelFolder } from '#server/engine/embedded/llama/read-model-folder.ts'
import {
  randomAdapter,
  randomIds,
  randomModel,
  tinyConfig,
  writeRandomModel,
} from './random-model.ts'
import { referenceLogits } from './reference-llama.ts'

const scratch = await mkdtemp(join(tmpdir(), 'hone-shared-'))
after(() => rm(scratch, { recursive: true, force: true }))

function assertNear(actual: ArrayLike<number>, expected: ArrayLike<number>): void {
  assert.equal(actual.length, expected.length)
  for (let i = 0; i < actual.length; i++) {
    assert.ok(Math.abs(actual[i]! - expected[i]!) < 1e-4, `${actual[i]} against ${expected[i]}`)
  }
}

for (const tiedEmbeddings of [true, false]) {
  test(`shared weights give the logits of the reference, embeddings tied: ${tiedEmbeddings}`, async () => {
    const config = { ...tinyConfig, tiedEmbeddings }
    const model = randomModel(config, 4)
    const forward = await openForward(model, { threads: 1, weightPlace: 'shared' })
    for (const adapter of [null, randomAdapter(config, 4, 11)]) {
      const texts = [1, 2, 3].map((seed) => randomIds(8 + seed, config.vocabSize, seed))
      const rows = texts.map((ids) => ({ state: forward.newState(), ids }))
      const step = (from: number, to?: number) =>
        forward.step(
          rows.map(({ state, ids }) => ({ state, tokens: ids.slice(from, to) })),
          adapter,
        )
      await step(0, -2)
      await step(-2, -1)
      const logits = await step(-1)
      const [alone] = await forward.step(
        [{ state: forward.newState(), tokens: texts[0]! }],
        adapter,
      )
      texts.forEach((ids, i) => {
        const expected = referenceLogits(model, ids, adapter ?? undefined).at(-1)!
        assertNear(logits[i]!, expected)
        if (i === 0) assertNear(alone!, expected)
      })
    }
    await forward.close()
  })
}

/** The graphs that serving and training make of a model, in both places weights can be. */
function graphsOf(model: ModelFolder, place: WeightPlace) {
  const weightPlace = place
  return [
    forwardGraph(model, { kind: 'prompt', adapter: false, weightPlace }),
    forwardGraph(model, { kind: 'decode', adapter: false, weightPlace }),
    forwardGraph(model, { kind: 'prompt', adapter: true, weightPlace }),
    forwardGraph(model, { kind: 'decode', adapter: true, weightPlace }),
    trainingGraph(model, { rank: 4, alpha: 8 }, { backward: true, weightPlace }),
    trainingGraph(model, { rank: 4, alpha: 8 }, { backward: false, weightPlace }),
  ]
}

const wide = { ...tinyConfig, hiddenSize: 256, intermediateSize: 512, vocabSize: 1000 }

function bytesOf(model: ModelFolder): number {
  return [...model.tensors.values()].reduce((sum, { data }) => sum + data.byteLength, 0)
}

test('an ONNX model with shared weights holds none of them, however large they are', () => {
  const model = randomModel(wide)
  for (const graph of graphsOf(model, 'packed')) {
    assert.ok(onnxModel(graph).byteLength > bytesOf(model))
  }
  for (const graph of graphsOf(model, 'shared')) {
    assert.ok(onnxModel(graph).byteLength < 50_000, `${onnxModel(graph).byteLength} bytes`)
  }
})

test('all graphs of a folder read the one copy of its weights', async () => {
  const path = join(scratch, 'wide')
  await writeRandomModel(path, randomModel(wide), 'BF16')
  const model = await readModelFolder(path)
  const own = new Set([...model.tensors.values()].map(({ data }) => data.buffer))
  assert.equal(
    [...own].reduce((sum, buffer) => sum + buffer.byteLength, 0),
    bytesOf(model),
  )
  const tables = new Set<ArrayBufferLike>()
  for (const graph of graphsOf(model, 'shared')) {
    assert.ok(graph.sharedWeights.length > 0)
    for (const { data } of graph.sharedWeights) if (!own.has(data.buffer)) tables.add(data.buffer)
  }
  // The cosines and sines of the positions are no weights, but there is one copy of them too.
  assert.equal(tables.size, 2)
})

test('only small models are packed', () => {
  const model = randomModel()
  assert.equal(weightPlace(model), 'packed')
  const tensors = new Map(model.tensors)
  tensors.set('model.embed_tokens.weight', { shape: [2 ** 24], data: new Float32Array(2 ** 24) })
  assert.equal(weightPlace({ ...model, tensors }), 'shared')
})
