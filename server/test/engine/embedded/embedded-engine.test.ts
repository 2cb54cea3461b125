// The engine as a whole, over a model with random weights in a thread of its own.
import assert from 'node:assert/strict'
import { cp, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import type { StreamPart } from '#server/core/stream-part.ts'
import { EmbeddedEngine } from '#server/engine/embedded/embedded-engine.ts'
import type { EmbeddedEngineOptions } from '#server/engine/embedded/embedded-engine.ts'
import { readAdapter } from '#server/engine/embedded/llama/adapter.ts'
import { mergeAdapter } from '#server/engine/embedded/llama/merge-adapter.ts'
import { readModelFolder } from '#server/engine/embedded/llama/read-model-folder.ts'
import type { ModelClient } from '#server/engine/embedded/serve/model-client.ts'
import { ModelMemory } from '#server/engine/embedded/serve/model-memory.ts'
import { EngineError } from '#server/engine/engine.ts'
import { ModelStore } from '#server/model-store/model-store.ts'
import { call, collect, finishOf, never, request, text, textOf, tool } from './requests.ts'
import { toyAdapter, toyModel, toyTokenizerJson } from './toy-model.ts'
import type { ToyModel } from './toy-model.ts'

let model: ToyModel
let other: ToyModel
let engine: EmbeddedEngine
const open: EmbeddedEngine[] = []

function engineOn(options: Partial<EmbeddedEngineOptions> = {}): EmbeddedEngine {
  const made = new EmbeddedEngine({
    modelFolder: model.folder,
    threads: 1,
    memory: new ModelMemory(1e10),
    ...options,
  })
  open.push(made)
  return made
}

before(async () => {
  model = await toyModel(1)
  other = await toyModel(2)
  engine = engineOn()
  await engine.ready()
})

after(async () => {
  await Promise.all(open.map((made) => made.close()))
  await model.remove()
  await other.remove()
})

const answer = async (
  of: Parameters<typeof call>[0],
  changes: Parameters<typeof call>[1] = {},
  by = engine,
) => collect(by.call(call(of, changes), never))

const fails = (failure: string, sentence: RegExp) => (error: unknown) =>
  error instanceof EngineError && error.failure === failure && sentence.test(error.message)

test('greedy answers repeat, and end with usage', async () => {
  const [first, second] = [await answer(request('hello')), await answer(request('hello'))]
  assert.equal(textOf(first), textOf(second))
  const { usage, reason } = finishOf(first)
  assert.ok(reason.kind === 'length' || reason.kind === 'end')
  assert.equal(usage.inputTokens, await engine.countPromptTokens(call(request('hello')), never))
  assert.ok(usage.outputTokens > 0 && usage.outputTokens <= 24)
})

test('eight at once answer as they do one by one', async () => {
  const prompts = Array.from({ length: 8 }, (_, index) =>
    request(`question ${index} ${'x'.repeat(index * 9)}`),
  )
  const single: string[] = []
  for (const prompt of prompts) single.push(textOf(await answer(prompt, { workspaceId: 'a' })))
  const together = await Promise.all(prompts.map((prompt) => answer(prompt, { workspaceId: 'b' })))
  assert.deepEqual(together.map(textOf), single)
})

test('a cached prefix is used and changes nothing', async () => {
  const long = 'many words of context '.repeat(20)
  const fresh = await answer(request(`${long}one`), { workspaceId: 'cold' })
  await answer(request(`${long}two`), { workspaceId: 'warm' })
  const warm = await answer(request(`${long}one`), { workspaceId: 'warm' })
  assert.equal(textOf(warm), textOf(fresh))
  assert.equal(finishOf(fresh).reusedTokens, 0)
  assert.ok(finishOf(warm).reusedTokens! > 300)
  assert.equal(finishOf(warm).usage.inputTokens, finishOf(fresh).usage.inputTokens)
})

test('a seed repeats a random answer, another seed gives another', async () => {
  const seeded = async (seed: number) =>
    textOf(await answer(request('x', { sampling: { temperature: 1, seed } })))
  assert.equal(await seeded(5), await seeded(5))
  assert.notEqual(await seeded(5), await seeded(6))
})

test('reasoning off generates no thought; on, thought comes first and is counted', async () => {
  const off = await answer(request('x'))
  assert.ok(off.every((part) => part.type !== 'thinking-delta'))
  assert.equal(finishOf(off).usage.thinkingTokens, 0)
  const on = await answer(request('x'), { effort: 'minimal', maxTokens: 90 })
  assert.deepEqual(
    on.slice(0, 2).map((part) => part.type),
    ['prompt', 'thinking-delta'],
  )
  assert.equal(finishOf(on).usage.thinkingTokens, 49)
  assert.notEqual(textOf(on), '')
})

test('JSON and required calls are valid though the weights are noise', async () => {
  const json = await answer(
    request('x', { output: { kind: 'json' }, sampling: { temperature: 1, seed: 1 } }),
    { maxTokens: 50 },
  )
  assert.equal(typeof JSON.parse(textOf(json)), 'object')
  const find = tool('find', { n: { type: 'integer' } })
  const calls = await answer(request('x', { tools: [find], toolChoice: { kind: 'required' } }), {
    maxTokens: 70,
  })
  const written = calls
    .map((part) => (part.type === 'tool-call-delta' && part.index === 0 ? part.json : ''))
    .join('')
  assert.ok(Number.isInteger((JSON.parse(written) as { n: number }).n))
})

test('cancelling ends the stream and frees the row', async () => {
  const abort = new AbortController()
  const seen: StreamPart[] = []
  for await (const parts of engine.call(
    call(request('x'), { maxTokens: 900, effort: 'max' }),
    abort.signal,
  )) {
    seen.push(...parts)
    if (seen.length === 3) abort.abort()
  }
  assert.equal(seen.length, 3)
  assert.deepEqual(await collect(engine.call(call(request('x')), abort.signal)), [])
})

test('a reader that leaves early leaves nothing running', async () => {
  for await (const parts of engine.call(call(request('x'), { maxTokens: 900 }), never)) {
    assert.ok(parts.length > 0)
    break
  }
  assert.ok(finishOf(await answer(request('y'))))
})

test('a slow reader gets every part, in order', async () => {
  const slow: StreamPart[] = []
  for await (const parts of engine.call(
    call(request('slow'), { maxTokens: 200, effort: 'xhigh' }),
    never,
  )) {
    if (slow.length % 40 === 0) await wait(5)
    slow.push(...parts)
  }
  assert.deepEqual(
    slow.slice(0, -1),
    (await answer(request('slow'), { maxTokens: 200, effort: 'xhigh' })).slice(0, -1),
  )
})

test('a prompt longer than the context is refused with the limit', async () => {
  const long = request('x'.repeat(2000))
  await assert.rejects(answer(long), fails('refused', /room for 1023/))
  assert.equal(await engine.countPromptTokens(call(long), never), 2003)
  const far = request('x'.repeat(50_000_000))
  await assert.rejects(answer(far), fails('refused', /room for 1023/))
  await assert.rejects(engine.countPromptTokens(call(far), never), fails('refused', /room for/))
})

test('the context window ends an answer that the ceiling does not', async () => {
  const parts = await answer(request('x'.repeat(1000)), { maxTokens: 500 })
  const { usage, reason } = finishOf(parts)
  assert.ok(reason.kind === 'end' || usage.inputTokens + usage.outputTokens === 1024)
})

test('images are refused before anything is sent to the model', async () => {
  const image = {
    type: 'image',
    source: { kind: 'url', url: 'https://example.test/x.png' },
  } as const
  const seen = request('', { messages: [{ role: 'user', blocks: [text('look'), image] }] })
  await assert.rejects(answer(seen), fails('refused', /cannot see images/))
})

test('a schema of hostile depth is refused before it is copied anywhere', async () => {
  const schema = JSON.parse('{"items":'.repeat(100_000) + '{}' + '}'.repeat(100_000)) as object
  const deep = { ...tool('t'), parameters: { ...schema } }
  const refused = fails('refused', /96 levels deep/)
  await assert.rejects(answer(request('x', { tools: [deep] })), refused)
  await assert.rejects(
    answer(request('x', { output: { kind: 'json-schema', schema: { ...schema } } })),
    refused,
  )
})

test('the engine model picks base weights, a merged folder, or nothing', async () => {
  const made = engineOn({
    resolveModel: (name) => ({ base: {}, merged: { mergedFolder: other.folder } })[name],
  })
  const [base, merged] = [
    await answer(request('hello'), { engineModel: 'base' }, made),
    await answer(request('hello'), { engineModel: 'merged' }, made),
  ]
  assert.equal(textOf(base), textOf(await answer(request('hello'))))
  assert.notEqual(textOf(base), textOf(merged))
  await assert.rejects(
    answer(request('hello'), { engineModel: 'gone' }, made),
    fails('refused', /no such model/),
  )
})

test('adapters answer apart, together with the base, and as their merged folders do', async () => {
  const folders = [await toyAdapter(model.folder, 5), await toyAdapter(model.folder, 6)]
  const merged = join(other.folder, 'merged')
  const base = await readModelFolder(model.folder)
  await mergeAdapter(base, await readAdapter(folders[0]!, base), merged)
  const made = engineOn({
    resolveModel: (name) =>
      ({
        base: {},
        a: { adapterFolder: folders[0] },
        b: { adapterFolder: folders[1] },
        merged: { mergedFolder: merged },
      })[name],
  })
  const names = ['base', 'a', 'b', 'merged', 'a', 'base', 'b', 'a']
  const ask = async (engineModel: string, workspaceId: string) =>
    textOf(await answer(request('hello'), { engineModel, workspaceId }, made))
  const alone: string[] = []
  for (const name of names) alone.push(await ask(name, 'one by one'))
  assert.deepEqual(await Promise.all(names.map((name) => ask(name, 'at once'))), alone)
  assert.equal(new Set(alone).size, 3)
  assert.equal(alone[1], alone[3], 'merged and adapted weights agree')
})

test('more merged models and adapters at once than there is memory for all answer', async () => {
  const base = await readModelFolder(model.folder)
  const adapters = await Promise.all(
    [11, 12, 13, 14, 15].map((seed) => toyAdapter(model.folder, seed)),
  )
  const resolveModel = (name: string) => {
    const [kind, index] = name.split(' ')
    const adapterFolder = adapters[Number(index)]!
    return kind === 'adapter' ? { adapterFolder } : { mergedFolder: `${adapterFolder}-merged` }
  }
  for (const folder of adapters) {
    await mergeAdapter(base, await readAdapter(folder, base), `${folder}-merged`)
  }
  // Room for two models of the engines together.
  const memory = new ModelMemory<ModelClient>(2 * 2 ** 20 + 400_000)
  const limits = { adaptersMax: 2, cacheBytes: 2 ** 20 }
  const engines = [0, 1].map(() => engineOn({ memory, resolveModel, limits }))
  let live = 0
  let most = 0
  const count = (thread: Worker): void => {
    most = Math.max(most, ++live)
    thread.once('exit', () => live--)
  }
  process.on('worker', count)
  const indexes = [...adapters.keys()]
  const names = ['adapter', 'merged'].flatMap((kind) => indexes.map((index) => `${kind} ${index}`))
  const said = await Promise.all(
    names.map(async (engineModel, index) =>
      textOf(await answer(request('hello'), { engineModel }, engines[index % 2])),
    ),
  )
  process.off('worker', count)
  assert.equal(most, 2)
  assert.deepEqual(said.slice(0, 5), said.slice(5))
  assert.equal(new Set(said).size, 5)
})

test('what is prepared answers without opening anything more', async () => {
  const adapterFolder = await toyAdapter(model.folder, 7)
  const made = engineOn({
    resolveModel: (name) => ({ a: { adapterFolder }, other: { mergedFolder: other.folder } })[name],
  })
  await made.prepare('a', never)
  await made.prepare('other', never)
  let opened = 0
  const count = (): void => void opened++
  process.on('worker', count)
  // Read by now, so that its files are not needed for the first call.
  await rm(adapterFolder, { recursive: true })
  for (const engineModel of ['a', 'other']) await answer(request('x'), { engineModel }, made)
  process.off('worker', count)
  assert.equal(opened, 0)
})

test('what is missing or broken says so when it is prepared', async () => {
  const missing = join(model.folder, 'gone')
  const made = engineOn({
    resolveModel: (name) =>
      ({ a: { adapterFolder: missing }, merged: { mergedFolder: missing } })[name],
  })
  await assert.rejects(made.prepare('a', never), fails('broken', /adapter_config\.json/))
  await assert.rejects(made.prepare('merged', never), fails('broken', /cannot be used: .*missing/))
  await assert.rejects(made.prepare('none', never), fails('refused', /no such model/))
  assert.ok(!made.busy)
})

test('a pinned base shares the open one while that is the same, and else is opened from where it is kept', async () => {
  const root = await mkdtemp(join(tmpdir(), 'hone-pinned-'))
  const folder = join(root, 'base')
  await cp(model.folder, folder, { recursive: true })
  const revisions = new ModelStore(join(root, 'objects'))
  const revision = await revisions.keepModel(folder)
  const pinned = { revision, folder: revisions.modelPath(revision) }
  const resolveModel = (name: string) => ({ base: {}, pinned: { pinned } })[name]
  let opened = 0
  const count = (): void => void opened++
  process.on('worker', count)
  const says = async (by: EmbeddedEngine, engineModel: string) =>
    textOf(await answer(request('hello'), { engineModel }, by))
  const on = (): EmbeddedEngine => engineOn({ modelFolder: folder, revisions, resolveModel })
  const change = async (byte: number): Promise<void> => {
    const file = join(folder, 'model.safetensors')
    const bytes = await readFile(file)
    bytes.writeUInt8(bytes.readUInt8(bytes.length - byte) ^ 1, bytes.length - byte)
    await writeFile(file, bytes)
  }

  const first = on()
  const expected = await says(first, 'pinned')
  assert.equal(await says(first, 'base'), expected)
  assert.equal(opened, 1)
  const second = on()
  await second.ready()
  await change(4)
  assert.equal(await says(first, 'pinned'), expected)
  assert.equal(opened, 2, 'what is in memory stays the same')
  await says(second, 'pinned')
  assert.equal(opened, 3, 'what is in memory is not known')

  await cp(other.folder, folder, { recursive: true })
  const third = on()
  assert.equal(await says(third, 'pinned'), expected)
  assert.equal(opened, 4, 'the changed base is not opened for it')
  assert.notEqual(await says(third, 'base'), expected)
  assert.equal(await says(third, 'pinned'), expected)
  assert.equal(opened, 5)
  process.off('worker', count)
  await rm(root, { recursive: true })
})

test('an adapter that is not there fails its call with a sentence that shows no path', async () => {
  const made = engineOn({ resolveModel: () => ({ adapterFolder: join(model.folder, 'adapter') }) })
  await assert.rejects(answer(request('hello'), {}, made), (error) => {
    assert.ok(fails('broken', /adapter_config\.json/)(error))
    assert.ok(!(error as Error).message.includes(model.folder))
    return true
  })
})

test('a model thread that dies fails what it was doing, and the next call has a new one', async () => {
  const made = engineOn()
  const threads: Worker[] = []
  process.on('worker', (thread) => threads.push(thread))
  const running = collect(made.call(call(request('x'), { maxTokens: 900, effort: 'max' }), never))
  await wait(50)
  const expected = textOf(await answer(request('hello'), {}, made))
  // A message it cannot read ends it between two steps; ended from outside within one, it takes the process along.
  threads[0]!.postMessage(null)
  await assert.rejects(running, fails('broken', /stopped unexpectedly/))
  assert.equal(textOf(await answer(request('hello'), {}, made)), expected)
})

test('a model thread that dies before it is ready could not be started', async () => {
  const made = engineOn()
  // As Node tells it of a thread whose imports fail.
  const missing = new Error('Cannot find module')
  process.once('worker', (thread: Worker) => setImmediate(() => thread.emit('error', missing)))
  const running = answer(request('hello'), {}, made)
  await assert.rejects(running, fails('broken', /could not be started on this system/))
  await made.close()
})

test('a closed engine answers nothing more', async () => {
  const made = engineOn()
  await made.close()
  await assert.rejects(answer(request('x'), {}, made), fails('broken', /closed/))
})

const damage: [string, (folder: string) => Promise<void>, RegExp][] = [
  ['no weights', (folder) => rm(join(folder, 'model.safetensors')), /model\.safetensors/],
  [
    'cut weights',
    (folder) => truncate(join(folder, 'model.safetensors'), 5000),
    /model\.safetensors/,
  ],
  ['no tokenizer', (folder) => rm(join(folder, 'tokenizer.json')), /tokenizer\.json is missing/],
  [
    'a broken tokenizer',
    (folder) => writeFile(join(folder, 'tokenizer.json'), '{'),
    /tokenizer\.json/,
  ],
  ['no template', (folder) => rm(join(folder, 'chat_template.jinja')), /chat_template\.jinja/],
  [
    'a broken template',
    (folder) => writeFile(join(folder, 'chat_template.jinja'), '{% if %}'),
    /template/,
  ],
  ['a tokenizer too large', addToken, /tokenizer\.json has 301 tokens.*knows 275/],
  ['no end token', (folder) => change(folder, { eos_token_id: null }), /eos_token_id/],
  ['an unknown architecture', (folder) => change(folder, { model_type: 'mamba' }), /mamba/],
]

async function addToken(folder: string): Promise<void> {
  const json = toyTokenizerJson()
  json.added_tokens!.push({ id: 300, content: '<|more|>' })
  await writeFile(join(folder, 'tokenizer.json'), JSON.stringify(json))
}

async function change(folder: string, changes: object): Promise<void> {
  const file = join(folder, 'config.json')
  const config = JSON.parse(await readFile(file, 'utf8')) as object
  await writeFile(file, JSON.stringify({ ...config, ...changes }))
}

for (const [name, spoil, sentence] of damage) {
  test(`a folder with ${name} says so at the start`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hone-damaged-'))
    await cp(model.folder, folder, { recursive: true })
    await spoil(folder)
    const made = engineOn({ modelFolder: folder })
    await assert.rejects(made.ready(), (error) => {
      assert.match((error as Error).message, sentence)
      assert.ok(!(error as Error).message.includes(folder))
      return true
    })
    await rm(folder, { recursive: true })
  })
}
