// Which models are open at once, and which calls wait for which.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ModelMemory } from '#server/engine/embedded/serve/model-memory.ts'
import type { Lease } from '#server/engine/embedded/serve/model-memory.ts'
import { planOpening } from '#server/engine/embedded/serve/plan-opening.ts'

/** As letters with bytes: lower case runs calls, upper case is idle, `!` behind it is closing. The least recently used first. */
const plans: [loaded: string, bytes: number, plan: string][] = [
  ['', 4, 'open'],
  ['', 99, 'open'],
  ['a4 b2', 4, 'open'],
  ['a4 b4', 4, 'drain a'],
  ['A4 B4', 4, 'close A'],
  ['a4 B4', 4, 'close B'],
  ['A4 B4', 6, 'close A'],
  ['A4 B4', 7, 'close A B'],
  ['a2 B4 c4', 6, 'close B drain a'],
  ['a2 b4 c4', 6, 'drain a b'],
  ['A4! b4', 4, 'wait'],
  ['a4! b4', 6, 'wait'],
  ['A4! B4', 7, 'close B'],
  ['A4! b4', 7, 'drain b'],
  ['A4 b4', 99, 'close A drain b'],
  ['A4! B4!', 99, 'wait'],
  ['a99', 1, 'drain a'],
  ['A99', 1, 'close A'],
]

for (const [loaded, bytes, expected] of plans) {
  test(`${bytes} bytes beside ${loaded || 'nothing'}, of 10: ${expected}`, () => {
    const models = [...loaded.matchAll(/(\w)(\d+)(!?)/g)].map(([, name, size, closing]) => ({
      name: name!,
      bytes: Number(size),
      calls: name === name!.toLowerCase() ? 1 : 0,
      closing: closing === '!',
    }))
    const { fits, close, drain } = planOpening(models, bytes, 10)
    const said = (word: string, of: typeof models): string[] =>
      of.length === 0 ? [] : [word, ...of.map(({ name }) => name)]
    const plan = [...said('close', close), ...said('drain', drain)].join(' ')
    assert.equal(fits ? 'open' : plan || 'wait', expected)
  })
}

class FakeModel {
  readonly folder: string
  readonly #died = Promise.withResolvers<void>()
  readonly #log: string[]

  constructor(folder: string, log: string[]) {
    this.folder = folder
    this.#log = log
    log.push(`open ${folder}`)
  }

  get died(): Promise<void> {
    return this.#died.promise
  }

  die(): void {
    this.#died.resolve()
  }

  async close(): Promise<void> {
    this.die()
    await nextTurn()
    this.#log.push(`close ${this.folder}`)
  }
}

const never = new AbortController().signal

/** Memory for two models of 5 bytes; a folder may say another size, as in `big 12`. */
function memoryOf() {
  const log: string[] = []
  const memory = new ModelMemory<FakeModel>(10)
  const owner = {}
  const lease = (folder: string, { signal = never, by = owner } = {}) =>
    memory.lease(
      {
        owner: by,
        folder,
        bytes: () => Promise.resolve(Number(folder.split(' ')[1] ?? 5)),
        open: () => {
          if (folder === 'bad') throw new Error('It cannot be opened.')
          return new FakeModel(folder, log)
        },
      },
      signal,
    )
  /** A lease in the log once it is granted. */
  const ask = async (folder: string, name = folder, options = {}): Promise<Lease<FakeModel>> => {
    const granted = await lease(folder, options)
    log.push(`call ${name}`)
    return granted
  }
  return { memory, owner, lease, ask, log }
}

const settle = async (): Promise<void> => {
  for (let i = 0; i < 5; i++) await nextTurn()
}

test('a model is opened once for all its calls', async () => {
  const { ask, log } = memoryOf()
  const [one, other] = await Promise.all([ask('a'), ask('a')])
  assert.equal(one.model, other.model)
  assert.equal((await ask('a')).model, one.model)
  assert.deepEqual(log, ['open a', 'call a', 'call a', 'call a'])
})

test('engines share the memory and not their models', async () => {
  const { ask, log } = memoryOf()
  const one = await ask('a')
  const other = await ask('a', 'a of another', { by: {} })
  assert.notEqual(one.model, other.model)
  one.release()
  await ask('b')
  assert.deepEqual(log.slice(-3), ['close a', 'open b', 'call b'])
})

test('the least recently used idle model is closed for a further one', async () => {
  const { ask, log } = memoryOf()
  for (const folder of ['a', 'b', 'a', 'c', 'a']) (await ask(folder)).release()
  assert.deepEqual(
    log.filter((line) => !line.startsWith('call')),
    ['open a', 'open b', 'close b', 'open c'],
  )
})

test('where all are in use, the least recently used takes no more calls and is closed after its last', async () => {
  const { ask, log } = memoryOf()
  const first = await ask('a')
  const second = await ask('a')
  const busy = await ask('b')
  log.length = 0
  const third = ask('c')
  await settle()
  const behind = ask('a', 'a again')
  const beside = await ask('b', 'b again')
  assert.deepEqual(log, ['call b again'])
  first.release()
  await settle()
  assert.deepEqual(log, ['call b again'], 'it still has a call')
  second.release()
  await third
  assert.deepEqual(log.slice(1), ['close a', 'open c', 'call c'])
  await settle()
  assert.equal(log.length, 4, 'the next in the queue waits for b, which was used before c')
  busy.release()
  beside.release()
  await behind
  assert.deepEqual(log.slice(4), ['close b', 'open a', 'call a again'])
})

test('a model that is idle before the draining one is closed instead, and that one takes calls again', async () => {
  const { ask, log } = memoryOf()
  await ask('a')
  const busy = await ask('b')
  const third = ask('c')
  await settle()
  const held = ask('a', 'a again')
  await settle()
  log.length = 0
  busy.release()
  await Promise.all([third, held])
  assert.deepEqual(log, ['call a again', 'close b', 'open c', 'call c'])
})

test('models are opened in the order in which they were asked for, each for all its calls', async () => {
  const { ask, log } = memoryOf()
  const running = await ask('big 10')
  log.length = 0
  const names = ['x 10', 'y 10', 'x 10', 'z 10', 'y 10']
  const asked = names.map(async (folder) => {
    const { release } = await ask(folder)
    await nextTurn()
    release()
  })
  await settle()
  assert.deepEqual(log, [])
  running.release()
  await Promise.all(asked)
  assert.deepEqual(log, [
    ...['close big 10', 'open x 10', 'call x 10', 'call x 10', 'close x 10'],
    ...['open y 10', 'call y 10', 'call y 10', 'close y 10', 'open z 10', 'call z 10'],
  ])
})

test('a model larger than the whole budget is open alone', async () => {
  const { ask, log } = memoryOf()
  const small = await ask('a')
  const large = ask('large 99')
  await settle()
  small.release()
  const { release } = await large
  const next = ask('a')
  await settle()
  assert.deepEqual(log, ['open a', 'call a', 'close a', 'open large 99', 'call large 99'])
  release()
  await next
  assert.deepEqual(log.slice(5), ['close large 99', 'open a', 'call a'])
})

test('a call whose client leaves is out of the queue, and keeps no model from calls', async () => {
  const { ask, lease, log } = memoryOf()
  await ask('a')
  await ask('b')
  const abort = new AbortController()
  const left = assert.rejects(lease('c', { signal: abort.signal }), { name: 'AbortError' })
  await settle()
  const behind = ask('a', 'a again')
  await settle()
  abort.abort()
  await Promise.all([left, behind])
  assert.equal(log.at(-1), 'call a again')
  await assert.rejects(lease('a', { signal: abort.signal }), { name: 'AbortError' })
})

test('a model that dies leaves the budget, and the next call opens it anew', async () => {
  const { ask, log } = memoryOf()
  const first = await ask('a')
  const busy = await ask('b')
  first.model.die()
  await settle()
  const again = await ask('a')
  assert.notEqual(again.model, first.model)
  first.release()
  busy.model.die()
  await ask('c')
  assert.deepEqual(
    log.filter((line) => !line.startsWith('call')),
    ['open a', 'open b', 'close a', 'open a', 'close b', 'open c'],
  )
})

test('a model that cannot be opened fails its call and nothing behind it', async () => {
  const { ask, lease, log } = memoryOf()
  const running = await ask('big 10')
  const bad = assert.rejects(lease('bad'), /cannot be opened/)
  const next = ask('a')
  await settle()
  running.release()
  await Promise.all([bad, next])
  assert.equal(log.at(-1), 'call a')
})

test('an engine that is closed frees its models and fails its calls that wait', async () => {
  const { memory, owner, ask, lease, log } = memoryOf()
  await ask('a')
  await ask('b')
  const waiting = assert.rejects(lease('c'), /closed now/)
  const other = ask('d', 'd of another', { by: {} })
  await settle()
  await memory.closeAllOf(owner, new Error('The engine is closed now.'))
  await Promise.all([waiting, other])
  assert.equal(memory.find(owner, 'a'), undefined)
  assert.deepEqual(log.slice(4), ['close a', 'open d', 'call d of another', 'close b'])
})
