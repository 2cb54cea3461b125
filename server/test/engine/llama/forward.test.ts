import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Adapter } from '#server/engine/embedded/llama/adapter.ts'
import { openForward } from '#server/engine/embedded/llama/forward.ts'
import type { Forward } from '#server/engine/embedded/llama/forward.ts'
import type { KvBlock, SlotState } from '#server/engine/embedded/llama/kv-state.ts'
import { randomAdapter, randomIds, randomModel, tinyConfig } from './random-model.ts'
import { referenceLogits } from './reference-llama.ts'

const model = randomModel()
const forward = await openForward(model, { threads: 1 })
after(() => forward.close())

function worst(a: ArrayLike<number>, b: ArrayLike<number>): number {
  assert.equal(a.length, b.length)
  let most = 0
  for (let i = 0; i < a.length; i++) most = Math.max(most, Math.abs(a[i]! - b[i]!))
  return most
}

async function logitsOf(
  engine: Forward,
  ids: number[],
  adapter: Adapter | null = null,
): Promise<Float32Array> {
  return (await engine.step([{ state: engine.newState(), tokens: ids }], adapter))[0]!
}

test('logits of a prompt are those of the reference', async () => {
  const ids = randomIds(23, tinyConfig.vocabSize)
  const expected = referenceLogits(model, ids)
  assert.ok(worst(await logitsOf(forward, ids), expected.at(-1)!) < 1e-4)
  assert.ok(worst(await logitsOf(forward, [5]), referenceLogits(model, [5])[0]!) < 1e-4)
})

test('separate heads, plain heads and a head size of its own are supported', async () => {
  const config = { ...tinyConfig, tiedEmbeddings: false, kvHeads: 4, headSize: 16 }
  const other = randomModel(config, 3)
  const engine = await openForward(other, { threads: 1 })
  const ids = randomIds(9, config.vocabSize)
  const expected = referenceLogits(other, ids)
  const state = engine.newState()
  await engine.step([{ state, tokens: ids.slice(0, 8) }], null)
  const [logits] = await engine.step([{ state, tokens: ids.slice(8) }], null)
  assert.ok(worst(logits!, expected.at(-1)!) < 1e-4)
  await engine.close()
})

test('token by token, in pieces and in one go give the same logits', async () => {
  const ids = randomIds(150, tinyConfig.vocabSize)
  const whole = await logitsOf(forward, ids)
  const single = forward.newState()
  let last: Float32Array | undefined
  for (const id of ids) [last] = await forward.step([{ state: single, tokens: [id] }], null)
  assert.ok(worst(last!, whole) < 1e-4)
  const pieces = forward.newState()
  for (let i = 0; i < ids.length; i += 37) {
    ;[last] = await forward.step([{ state: pieces, tokens: ids.slice(i, i + 37) }], null)
  }
  assert.ok(worst(last!, whole) < 1e-4)
  assert.equal(single.length, 150)
})

test('a prompt longer than one piece fills the context window, and one more token is refused', async () => {
  const config = { ...tinyConfig, contextWindow: 1300 }
  const engine = await openForward(randomModel(config), { threads: 1 })
  const ids = randomIds(1300, config.vocabSize)
  const state = engine.newState()
  const [logits] = await engine.step([{ state, tokens: ids }], null)
  const other = engine.newState()
  await engine.step([{ state: other, tokens: ids.slice(0, 700) }], null)
  await engine.step([{ state: other, tokens: ids.slice(700, 1299) }], null)
  const [same] = await engine.step([{ state: other, tokens: ids.slice(1299) }], null)
  assert.ok(worst(logits!, same!) < 1e-4)
  await assert.rejects(
    engine.step([{ state, tokens: [1] }], null),
    /1301 tokens do not fit the context window of 1300/,
  )
  await engine.close()
})

test('rows of different lengths give together what each gives alone', async () => {
  const lengths = [1, 7, 40, 3, 90, 21, 64, 65, 2]
  const prompts = lengths.map((length, i) => randomIds(length, tinyConfig.vocabSize, i))
  const states = prompts.map(() => forward.newState())
  const texts = prompts.map((ids) => [...ids])
  let logits = await forward.step(
    prompts.map((tokens, i) => ({ state: states[i]!, tokens })),
    null,
  )
  for (let step = 0; step < 12; step++) {
    // Rows join late, sit out and leave, so that slots are freed, filled again and grown.
    const rows = states.map((_, i) => i).filter((i) => (i + step) % 5 !== 0 && (i < 5 || step > 2))
    if (step === 8) rows.splice(2)
    for (const i of rows) texts[i]!.push((step * 7 + i) % tinyConfig.vocabSize)
    logits = await forward.step(
      rows.map((i) => ({ state: states[i]!, tokens: texts[i]!.slice(-1) })),
      null,
    )
    for (const [at, i] of rows.entries()) {
      const alone = await logitsOf(forward, texts[i]!)
      assert.ok(worst(logits[at]!, alone) < 1e-4, `row ${i} in step ${step}`)
    }
  }
})

test('a prompt and decoding rows may share a step', async () => {
  const a = randomIds(12, tinyConfig.vocabSize, 1)
  const b = randomIds(30, tinyConfig.vocabSize, 2)
  const states = [forward.newState(), forward.newState(), forward.newState()]
  await forward.step(
    [
      { state: states[0]!, tokens: a.slice(0, 11) },
      { state: states[2]!, tokens: b.slice(0, 29) },
    ],
    null,
  )
  const logits = await forward.step(
    [
      { state: states[0]!, tokens: a.slice(11) },
      { state: states[1]!, tokens: b },
      { state: states[2]!, tokens: b.slice(29) },
    ],
    null,
  )
  const expected = [await logitsOf(forward, a), await logitsOf(forward, b)]
  assert.ok(worst(logits[0]!, expected[0]!) < 1e-4)
  assert.ok(worst(logits[1]!, expected[1]!) < 1e-4)
  assert.ok(worst(logits[2]!, expected[1]!) < 1e-4)
})

test('steps asked for at the same time run one after the other', async () => {
  const ids = randomIds(40, tinyConfig.vocabSize)
  const [a, b] = [forward.newState(), forward.newState()]
  await Promise.all([
    forward.step([{ state: a, tokens: ids.slice(0, 30) }], null),
    forward.step([{ state: b, tokens: ids.slice(0, 20) }], null),
    forward.step([{ state: a, tokens: ids.slice(30) }], null),
    assert.rejects(forward.step([{ state: b, tokens: [] }], null)),
  ])
  const [first] = await Promise.all([
    forward.step(
      [
        { state: a, tokens: [4] },
        { state: b, tokens: [5] },
      ],
      null,
    ),
    forward.step([{ state: b, tokens: [6] }], null),
  ])
  assert.ok(worst(first[0]!, await logitsOf(forward, [...ids, 4])) < 1e-4)
  assert.ok(worst(first[1]!, await logitsOf(forward, [...ids.slice(0, 20), 5])) < 1e-4)
  assert.deepEqual([a.length, b.length], [41, 22])
})

test('a copy goes its own way', async () => {
  const ids = randomIds(20, tinyConfig.vocabSize)
  const state = forward.newState()
  await forward.step([{ state, tokens: ids }], null)
  const copy = state.copy(10)
  assert.equal(copy.length, 10)
  assert.ok(copy.bytes > 0)
  await forward.step([{ state, tokens: [1, 2, 3] }], null)
  const tail = [9, 8, 7]
  const [logits] = await forward.step([{ state: copy, tokens: tail }], null)
  assert.ok(worst(logits!, await logitsOf(forward, [...ids.slice(0, 10), ...tail])) < 1e-4)
  assert.equal(state.length, 23)
  assert.throws(() => state.copy(24), /no first 24/)
})

test('an adapter changes the logits as the reference says, for one row and for many', async () => {
  const adapter = randomAdapter(tinyConfig, 4, 11)
  // An adapter need not change every projection of every layer.
  adapter.layers[0]!.delete('o_proj')
  adapter.layers[1]!.delete('k_proj')
  const ids = randomIds(18, tinyConfig.vocabSize)
  const expected = referenceLogits(model, ids, adapter)
  assert.ok(worst(await logitsOf(forward, ids, adapter), expected.at(-1)!) < 1e-4)
  const states = [forward.newState(), forward.newState()]
  await forward.step(
    states.map((state) => ({ state, tokens: ids.slice(0, 17) })),
    adapter,
  )
  const logits = await forward.step(
    states.map((state) => ({ state, tokens: ids.slice(17) })),
    adapter,
  )
  for (const row of logits) assert.ok(worst(row, expected.at(-1)!) < 1e-4)
  assert.ok(worst(await logitsOf(forward, ids), expected.at(-1)!) > 0.1)
})

test('rows of two adapters and of none decode in turns, each as if alone and each in its own place', async () => {
  const adapters = [randomAdapter(tinyConfig, 4, 21), randomAdapter(tinyConfig, 2, 22), null]
  const rows = adapters.flatMap((adapter, group) =>
    [0, 1].map((i) => ({
      adapter,
      state: forward.newState() as SlotState,
      text: randomIds(10 + 3 * group + i, tinyConfig.vocabSize, 30 + 2 * group + i),
    })),
  )
  for (const { state, text, adapter } of rows)
    await forward.step([{ state, tokens: text }], adapter)
  const seats = () => rows.map(({ state }) => state.block)
  let first: KvBlock[] = []
  for (let step = 0; step < 8; step++) {
    for (const adapter of adapters) {
      const own = rows.filter((row) => row.adapter === adapter)
      own.forEach(({ text }, i) => text.push((step * 5 + i) % tinyConfig.vocabSize))
      const logits = await forward.step(
        own.map(({ state, text }) => ({ state, tokens: text.slice(-1) })),
        adapter,
      )
      for (const [i, { text }] of own.entries()) {
        assert.ok(worst(logits[i]!, await logitsOf(forward, text, adapter)) < 1e-4)
      }
    }
    if (step === 0) first = seats()
    // Whoever stays in a block was not copied.
    seats().forEach((block, i) => assert.equal(block, first[i]))
  }
  assert.equal(new Set(first).size, adapters.length)
})

test('bad rows are refused in words', async () => {
  const state = forward.newState()
  const step = (tokens: number[]) => forward.step([{ state, tokens }], null)
  await assert.rejects(step([]), /at least one token/)
  await assert.rejects(step([61]), /token id 61 is outside the vocabulary of 61/)
  await assert.rejects(step([-1]), /outside the vocabulary/)
  const rows = [
    { state, tokens: [1] },
    { state, tokens: [2] },
  ]
  await assert.rejects(forward.step(rows, null), /one row of a step only/)
})
