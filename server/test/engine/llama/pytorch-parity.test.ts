// Compares the engine with what transformers and PEFT computed in float32; models/train/make_fixtures.py wrote it down.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { loraParameters } from '#server/compute/embedded/lora-parameters.ts'
import { parameterName } from '#server/compute/embedded/training-graph.ts'
import { TrainingSession } from '#server/compute/embedded/training-session.ts'
import { readAdapter } from '#server/engine/embedded/llama/adapter.ts'
import type { Adapter } from '#server/engine/embedded/llama/adapter.ts'
import { openForward } from '#server/engine/embedded/llama/forward.ts'
import type { Forward } from '#server/engine/embedded/llama/forward.ts'
import { mergeAdapter } from '#server/engine/embedded/llama/merge-adapter.ts'
import { readModelFolder } from '#server/engine/embedded/llama/read-model-folder.ts'
import { projectionPath } from '#server/engine/embedded/llama/tensor-shapes.ts'

const fixtures = fileURLToPath(new URL('../../fixtures/engine', import.meta.url))
const miniPath = fileURLToPath(new URL('../../../../models/hone-mini', import.meta.url))
const scratch = await mkdtemp(join(tmpdir(), 'hone-parity-'))
after(() => rm(scratch, { recursive: true, force: true }))

const logitsTolerance = 1e-3
const gradientTolerance = 1e-2

function fixture<Shape>(name: string): Shape {
  return JSON.parse(readFileSync(join(fixtures, name), 'utf8')) as Shape
}

/** Logits after every token: the prompt in one go for the first of them, then token by token. */
async function everyLogits(
  forward: Forward,
  ids: number[],
  adapter: Adapter | null,
): Promise<Float32Array[]> {
  const state = forward.newState()
  const first = Math.ceil(ids.length / 2)
  const all = await forward.step([{ state, tokens: ids.slice(0, first) }], adapter)
  for (const id of ids.slice(first)) {
    all.push(...(await forward.step([{ state, tokens: [id] }], adapter)))
  }
  return all
}

function assertClose(actual: ArrayLike<number>, expected: number[], tolerance: number): void {
  assert.equal(actual.length, expected.length)
  expected.forEach((number, i) => {
    const off = Math.abs(actual[i]! - number)
    assert.ok(off <= tolerance, `element ${i}: ${actual[i]} against ${number}`)
  })
}

async function assertLogits(
  path: string,
  adapterPath: string | null,
  inputIds: number[][],
  expected: number[][][],
): Promise<void> {
  const model = await readModelFolder(path)
  const adapter = adapterPath ? await readAdapter(adapterPath, model) : null
  const forward = await openForward(model, { threads: 1 })
  for (const [i, ids] of inputIds.entries()) {
    const logits = await everyLogits(forward, ids, adapter)
    const wanted = expected[i]!.slice(-logits.length)
    logits.forEach((row, t) => assertClose(row, wanted[t]!, logitsTolerance))
  }
  await forward.close()
}

type TinyFixture = {
  input_ids: number[][]
  logits: number[][][]
  adapter_logits: number[][][]
  batch: {
    input_ids: number[][]
    attention_mask: number[][]
    labels: number[][]
    loss: number
    unmasked: number
    gradients: Record<string, number[][]>
  }
}

const tinyModel = join(fixtures, 'tiny-llama')
const tinyAdapter = join(fixtures, 'tiny-adapter')

test('the logits of a random Llama are those of transformers', async () => {
  const { input_ids: ids, logits } = fixture<TinyFixture>('tiny.json')
  await assertLogits(tinyModel, null, ids, logits)
})

test('the logits with an adapter made by PEFT are those of PEFT', async () => {
  const { input_ids: ids, adapter_logits: logits } = fixture<TinyFixture>('tiny.json')
  await assertLogits(tinyModel, tinyAdapter, ids, logits)
})

test('a merge gives the weights and logits of the merge PEFT made', async () => {
  const { input_ids: ids, logits } = fixture<TinyFixture>('tiny-merged.json')
  await assertLogits(join(fixtures, 'tiny-merged'), null, ids, logits)
  const model = await readModelFolder(tinyModel)
  const out = join(scratch, 'merged')
  await mergeAdapter(model, await readAdapter(tinyAdapter, model), out)
  await assertLogits(out, null, ids, logits)
  const ours = await readModelFolder(out)
  const theirs = await readModelFolder(join(fixtures, 'tiny-merged'))
  for (const [name, { data }] of theirs.tensors) {
    assertClose(ours.tensors.get(name)!.data, Array.from(data), 1e-5)
  }
})

test('loss and LoRA gradients of a padded, masked batch are those of PyTorch', async () => {
  const { batch } = fixture<TinyFixture>('tiny.json')
  const model = await readModelFolder(tinyModel)
  const adapter = await readAdapter(tinyAdapter, model)
  const parameters = loraParameters(model.config, adapter.rank, 0)
  parameters.layers.forEach((layer, index) => {
    for (const [name, { a, b }] of layer) {
      a.set(adapter.layers[index]!.get(name)!.a)
      b.set(adapter.layers[index]!.get(name)!.b)
    }
  })
  const session = await TrainingSession.open(model, adapter, parameters, { threads: 1 })
  const rows = batch.input_ids.map((ids, i) => {
    const length = batch.attention_mask[i]!.reduce((sum, one) => sum + one, 0)
    return { inputIds: ids.slice(0, length), labels: batch.labels[i]!.slice(0, length) }
  })
  const { loss, labels } = await session.lossAndGradients(rows)
  assert.equal(labels, batch.unmasked)
  assert.ok(Math.abs(loss - batch.loss) < 1e-5, `${loss} against ${batch.loss}`)

  const gradients = new Map(parameters.all.map(({ name, gradient }) => [name, gradient]))
  let compared = 0
  parameters.layers.forEach((layer, index) => {
    for (const name of layer.keys()) {
      for (const part of ['a', 'b'] as const) {
        const key = `${projectionPath(index, name)}.lora_${part.toUpperCase()}.weight`
        const expected = batch.gradients[key]!.flat()
        const largest = Math.max(...expected.map(Math.abs))
        const actual = gradients.get(parameterName(index, name, part))!
        assertClose(actual, expected, gradientTolerance * largest)
        compared++
      }
    }
  })
  assert.equal(compared, Object.keys(batch.gradients).length)
  await session.close()
})

type LastLogits = {
  input_ids: number[]
  top_ids: number[]
  top_values: number[]
  sum: number
  sum_of_squares?: number
}

async function assertLast(forward: Forward, cases: LastLogits[], adapter: Adapter | null) {
  assert.ok(cases.length > 0)
  for (const expected of cases) {
    const state = forward.newState()
    const [logits] = await forward.step([{ state, tokens: expected.input_ids }], adapter)
    const top = expected.top_ids.map((id) => logits![id]!)
    assertClose(top, expected.top_values, logitsTolerance)
    // The rest only in sum, where errors of either sign cancel.
    const sum = logits!.reduce((total, each) => total + each, 0)
    assert.ok(Math.abs(sum - expected.sum) < logitsTolerance * logits!.length * 0.1)
  }
}

test('the logits of hone-mini are those of transformers', async () => {
  const forward = await openForward(await readModelFolder(miniPath), { threads: 1 })
  await assertLast(forward, fixture<LastLogits[]>('mini-logits.json'), null)
  await forward.close()
})

test('the logits of hone-mini with an adapter made by PEFT are those of PEFT', async () => {
  const model = await readModelFolder(miniPath)
  const adapter = await readAdapter(join(fixtures, 'mini-adapter'), model)
  const forward = await openForward(model, { threads: 1 })
  await assertLast(forward, fixture<{ cases: LastLogits[] }>('mini-adapter.json').cases, adapter)
  await forward.close()
})

test('greedy continuations of hone-mini are those of transformers, token for token', async () => {
  const cases = fixture<{ input_ids: number[]; output_ids: number[] }[]>('mini-greedy.json')
  assert.ok(cases.length >= 20)
  const model = await readModelFolder(miniPath)
  const forward = await openForward(model, { threads: 1 })
  // All at once, as a server would: rows join with their prompts and leave when they are done.
  const rows = cases.map(({ input_ids: ids, output_ids: expected }) => ({
    state: forward.newState(),
    tokens: ids,
    expected,
    output: [] as number[],
  }))
  for (let going = rows; going.length > 0;) {
    const logits = await forward.step(going, null)
    going.forEach((row, i) => {
      const next = logits[i]!.indexOf(logits[i]!.reduce((a, b) => Math.max(a, b)))
      row.output.push(next)
      row.tokens = [next]
    })
    going = going.filter(({ output, expected }) => output.length < expected.length)
  }
  for (const { output, expected } of rows) assert.deepEqual(output, expected)
  await forward.close()
})
