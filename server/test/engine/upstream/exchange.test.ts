// One request to a model server and its answer: what of it is handed out, when the server is made to wait, when it is left
// alone and when it is cut off. The connection is played here, so that every byte comes when the test says so.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Dispatcher } from 'undici'
import type { StreamPart } from '#server/core/stream-part.ts'
import { EngineError } from '#server/engine/engine.ts'
import { type AnswerReader, Exchange } from '#server/engine/upstream/exchange.ts'

const kib = 1024
const mib = 1024 * kib
const forever = 1e9

const text = (said: string): StreamPart => ({ type: 'text-delta', text: said })

/** Each record is a word; `end` ends the answer, and `bad` makes no sense. */
class Reader implements AnswerReader {
  record(data: string, into: StreamPart[]): boolean {
    if (data === 'end') return true
    if (data === 'bad') throw new EngineError('broken', 'It makes no sense.')
    into.push(text(data))
    return false
  }

  whole(said: string, into: StreamPart[]): void {
    into.push(text(said.length > 100 ? `${said.length} characters` : said))
    if (said.includes('bad')) throw new EngineError('broken', 'It makes no sense.')
  }

  end(into: StreamPart[]): void {
    into.push(text('cut'))
  }
}

type Options = { whole?: boolean; firstMs?: number; silenceMs?: number; maxTokens?: number }

/** A call and the connection it is on. */
class Rig {
  readonly leave = new AbortController()
  readonly exchange: Exchange
  readonly request = { method: 'POST' as const, path: '/' }
  readonly sent: unknown[] = []
  sentAgain = 0
  /** What the connection was told, in order. */
  readonly told: string[] = []
  readonly controller = {
    pause: () => void this.told.push('pause'),
    resume: () => void this.told.push('resume'),
    abort: () => void this.told.push('abort'),
  } as unknown as Dispatcher.DispatchController

  constructor({
    whole = false,
    firstMs = forever,
    silenceMs = forever,
    maxTokens = 1,
  }: Options = {}) {
    const sender = {
      send: (request: object) => void this.sent.push(request),
      sendAgain: () => void this.sentAgain++,
      answered: () => {},
    }
    const patience = { firstMs, silenceMs, maxTokens }
    this.exchange = new Exchange(
      new Reader(),
      this.leave.signal,
      whole,
      this.request,
      sender,
      patience,
    )
  }

  start(status = 200, headers: Record<string, string> = {}): void {
    this.exchange.onRequestStart(this.controller)
    this.exchange.onResponseStart(this.controller, status, headers)
  }

  send(...pieces: (string | Buffer)[]): void {
    for (const piece of pieces) this.exchange.onResponseData(this.controller, Buffer.from(piece))
  }

  /** The words of the next group; null at the end. */
  async words(): Promise<string[] | null> {
    const { done, value } = await this.exchange.next()
    return done ? null : value.map((part) => (part.type === 'text-delta' ? part.text : ''))
  }

  async failure(): Promise<EngineError> {
    try {
      await this.exchange.next()
    } catch (error) {
      assert.ok(error instanceof EngineError, String(error))
      return error
    }
    throw new Error('It did not fail.')
  }

  isCutOff(): boolean {
    return this.told.includes('abort')
  }
}

function started(options?: Options): Rig {
  const rig = new Rig(options)
  rig.start()
  return rig
}

const record = (data: string): string => `data: ${data}\n\n`
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('a request is sent when somebody first asks for the answer, and once', async () => {
  const rig = new Rig()
  await turn()
  assert.deepEqual(rig.sent, [])
  const first = rig.words()
  await turn()
  rig.start()
  rig.send(record('a'))
  assert.deepEqual(await first, ['a'])
  rig.send(record('b'))
  assert.deepEqual(await rig.words(), ['b'])
  assert.deepEqual(rig.sent, [rig.request])
})

test('a request of a caller who has left is not sent', async () => {
  const rig = new Rig()
  const why = new Error('left')
  rig.leave.abort(why)
  await assert.rejects(rig.exchange.next(), why)
  assert.deepEqual(rig.sent, [])
  assert.equal(await rig.words(), null)
})

test('a call that was given up before it had a connection is cut off once it has one', async () => {
  const rig = new Rig()
  void rig.words()
  await turn()
  await rig.exchange.return()
  rig.exchange.onRequestStart(rig.controller)
  assert.deepEqual(rig.told, ['abort'])
})

test('what came together is handed out together, and the connection is given back at the end', async () => {
  const rig = started()
  rig.send(record('a'), record('b').slice(0, 6))
  rig.send(record('b').slice(6), record('c'))
  assert.deepEqual(await rig.words(), ['a', 'b', 'c'])
  rig.send(record('d') + record('end'))
  assert.deepEqual(await rig.words(), ['d'])
  assert.equal(await rig.words(), null)
  rig.exchange.onResponseEnd()
  assert.equal(await rig.words(), null)
  await rig.exchange.return()
  assert.ok(!rig.isCutOff())
})

test('an answer without words is over', async () => {
  const rig = started()
  rig.send(record('end'))
  assert.equal(await rig.words(), null)
})

test('a word on its way before the head of an answer is no answer', async () => {
  const rig = new Rig()
  rig.start(103)
  rig.start(200)
  rig.send(record('a'))
  assert.deepEqual(await rig.words(), ['a'])
})

test('a stream that ends without saying so is the dialect to judge', async () => {
  const rig = started()
  rig.send(record('a'))
  rig.exchange.onResponseEnd()
  assert.deepEqual(await rig.words(), ['a', 'cut'])
  assert.equal(await rig.words(), null)
})

test('what came before a connection broke is handed out, and then that it broke', async () => {
  const rig = started()
  rig.send(record('a'))
  rig.exchange.onResponseError(rig.controller, new Error('reset'))
  assert.deepEqual(await rig.words(), ['a'])
  const { failure, message } = await rig.failure()
  assert.deepEqual([failure, message], ['broken', 'The connection to the model server broke.'])
  assert.equal(await rig.words(), null)
  assert.equal(rig.sentAgain, 0)
})

test('what came before something senseless is handed out, and then the server is cut off', async () => {
  const rig = started()
  rig.send(record('a') + record('bad') + record('b'))
  assert.deepEqual(await rig.words(), ['a'])
  assert.ok(rig.isCutOff())
  assert.equal((await rig.failure()).message, 'It makes no sense.')
})

test('what follows the end need not make sense', async () => {
  const rig = started()
  rig.send(record('a') + record('end') + record('bad'))
  assert.deepEqual(await rig.words(), ['a'])
  assert.equal(await rig.words(), null)
})

test('a whole answer is handed out at its end, and all of it or nothing', async () => {
  const good = started({ whole: true })
  good.send('{"a"', ':1}')
  let isRead = false
  const words = good.words().finally(() => (isRead = true))
  await turn()
  await turn()
  assert.ok(!isRead)
  good.exchange.onResponseEnd()
  assert.deepEqual(await words, ['{"a":1}'])
  assert.equal(await good.words(), null)

  const bad = started({ whole: true })
  bad.send('{"bad":1}')
  bad.exchange.onResponseEnd()
  assert.equal((await bad.failure()).message, 'It makes no sense.')
})

test('half of a whole answer is none', async () => {
  const rig = started({ whole: true })
  rig.send('{"a":1}')
  rig.exchange.onResponseError(rig.controller, new Error('reset'))
  assert.equal((await rig.failure()).message, 'The connection to the model server broke.')
})

test('a whole answer that is not text is none', async () => {
  const rig = started({ whole: true })
  rig.send(Buffer.from('{"a":"\xff"}', 'latin1'))
  rig.exchange.onResponseEnd()
  const { message } = await rig.failure()
  assert.equal(message, 'The model server sent a response that is not a valid answer.')
})

test('an answer in another form than was asked for is read as what it is', async () => {
  const whole = started()
  whole.send(' \n', '{"a":', '1}')
  whole.exchange.onResponseEnd()
  assert.deepEqual(await whole.words(), [' \n{"a":1}'])

  const streamed = started({ whole: true })
  streamed.send('\n', record('a'))
  assert.deepEqual(await streamed.words(), ['a'])
  // The form is learned once.
  streamed.send('{"b":\n', '\n', record('b'))
  assert.deepEqual(await streamed.words(), ['b'])
})

test('an answer in no known form is read as what was asked for', async () => {
  const rig = started({ whole: true })
  rig.send('[1]')
  rig.exchange.onResponseEnd()
  assert.deepEqual(await rig.words(), ['[1]'])
})

test('a server waits from 64 KiB on that nobody has read', async () => {
  const rig = started()
  const comment = (bytes: number) => `:${'x'.repeat(bytes - 2)}\n`
  rig.send(record('a'), comment(64 * kib - 1 - record('a').length))
  assert.deepEqual(rig.told, [])
  rig.send('\n')
  assert.deepEqual(rig.told, ['pause'])
  assert.deepEqual(await rig.words(), ['a'])
  assert.deepEqual(rig.told, ['pause', 'resume'])
  rig.send(record('b'))
  assert.deepEqual(rig.told, ['pause', 'resume'])
})

test('one record may weigh 1 MiB', async () => {
  const enough = started()
  const line = (bytes: number) => `data: ${'x'.repeat(bytes - 'data: '.length)}`
  enough.send(`${line(mib)}\n\n`)
  assert.equal((await enough.words())?.[0]?.length, mib - 'data: '.length)
  const tooMuch = started()
  tooMuch.send(record('a') + line(mib + 1))
  assert.deepEqual(await tooMuch.words(), ['a'])
  const { message } = await tooMuch.failure()
  assert.equal(message, 'The model server sent an answer that is too large.')
  assert.ok(tooMuch.isCutOff())
})

test('a whole answer may weigh 1 MiB', async () => {
  const json = (bytes: number) => `{${' '.repeat(bytes - 2)}}`
  const enough = started({ whole: true })
  enough.send(json(mib))
  // Nobody can read it before its end, so that the server is not made to wait.
  assert.deepEqual(enough.told, [])
  enough.exchange.onResponseEnd()
  assert.deepEqual(await enough.words(), [`${mib} characters`])
  const tooMuch = started({ whole: true })
  tooMuch.send(json(mib), ' ')
  assert.equal(
    (await tooMuch.failure()).message,
    'The model server sent an answer that is too large.',
  )
  assert.ok(tooMuch.isCutOff())
})

/** That a stream may weigh so much in all, and not a byte more. */
async function assertCutOffBehind(mebibytes: number, maxTokens: number): Promise<void> {
  const rig = started({ maxTokens })
  const piece = Buffer.from(`${record('a')}:${'x'.repeat(mib - record('a').length - 2)}\n`)
  assert.equal(piece.length, mib)
  for (let sent = 0; sent < mebibytes; sent++) {
    rig.exchange.onResponseData(rig.controller, piece)
    assert.deepEqual(await rig.words(), ['a'])
  }
  assert.ok(!rig.isCutOff())
  rig.send('\n')
  assert.ok(rig.isCutOff())
  const { message } = await rig.failure()
  assert.equal(message, 'The model server sent an answer that is too large.')
}

test('a stream may weigh 64 MiB in all', () => assertCutOffBehind(64, 65_536))

test('a stream of many tokens may weigh 1 KiB for each of them', () =>
  assertCutOffBehind(65, 65 * 1024))

test('a caller who leaves amid an answer has the server cut off, and is told nothing more', async () => {
  const rig = started()
  rig.send(record('a'))
  assert.deepEqual(await rig.words(), ['a'])
  await rig.exchange.return()
  assert.ok(rig.isCutOff())
  rig.send(record('b'))
  assert.equal(await rig.words(), null)
})

test('a call that is ended from outside fails with the reason, also while it waits', async () => {
  const rig = started()
  const waiting = rig.exchange.next()
  await turn()
  const why = new Error('left')
  rig.leave.abort(why)
  await assert.rejects(waiting, why)
  assert.ok(rig.isCutOff())
})

test('an answer that was read is not cut off by a caller who leaves after it', async () => {
  const rig = started()
  rig.send(record('a') + record('end'))
  assert.deepEqual(await rig.words(), ['a'])
  rig.leave.abort()
  assert.ok(!rig.isCutOff())
})

test('what follows the end is dropped: 16 KiB of it, and then the server is cut off', async () => {
  const rig = started()
  rig.send(record('a') + record('end'))
  assert.deepEqual(await rig.words(), ['a'])
  rig.send('x'.repeat(16 * kib))
  assert.ok(!rig.isCutOff())
  rig.send('x')
  assert.ok(rig.isCutOff())
})

test('a server that was paused at the end of its answer may go on, so that its connection is used again', async () => {
  const rig = started()
  rig.send(record('a') + record('end'), `:${'x'.repeat(64 * kib)}`)
  assert.deepEqual(await rig.words(), ['a'])
  assert.deepEqual(rig.told, ['pause', 'resume'])
})

test('a connection that does not end with its answer is closed a second later', async (t: TestContext) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const slow = started()
  const ended = started()
  for (const rig of [slow, ended]) {
    rig.send(record('a') + record('end'))
    assert.deepEqual(await rig.words(), ['a'])
  }
  ended.exchange.onResponseEnd()
  t.mock.timers.tick(999)
  assert.ok(!slow.isCutOff())
  t.mock.timers.tick(1)
  assert.ok(slow.isCutOff())
  assert.ok(!ended.isCutOff())
})

const schema = 'The model server cannot follow the JSON schema of this request; simplify it.'
const general = 'The model server refused the request; change it before you send it again.'

test('a refusal is judged by its reason once all of it is there', async () => {
  const rig = new Rig()
  rig.start(400)
  rig.send('{"error":', '{"message":"bad gram', 'mar"}}')
  const failing = rig.failure()
  await turn()
  rig.exchange.onResponseEnd()
  const { failure, message } = await failing
  assert.deepEqual([failure, message], ['refused', schema])
  assert.ok(!rig.isCutOff())
})

test('a refusal that breaks off is judged by what came', async () => {
  const rig = new Rig()
  rig.start(422)
  rig.send('bad grammar')
  rig.exchange.onResponseError(rig.controller, new Error('reset'))
  const { failure, message } = await rig.failure()
  assert.deepEqual([failure, message], ['refused', schema])
})

test('a refusal that goes on is judged after 16 KiB', async (t: TestContext) => {
  // Nor by the time it takes.
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const rig = new Rig()
  rig.start(400)
  let isOver = false
  const failing = rig.failure().finally(() => (isOver = true))
  rig.send('bad grammar', 'x'.repeat(16 * kib - 'bad grammar'.length - 1))
  await turn()
  await turn()
  assert.ok(!isOver)
  rig.send('x')
  assert.equal((await failing).message, schema)
})

test('a refusal that does not end is judged a second later', async (t: TestContext) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const rig = new Rig()
  rig.start(413)
  rig.send('bad grammar')
  let isOver = false
  const failing = rig.failure().finally(() => (isOver = true))
  t.mock.timers.tick(999)
  await turn()
  await turn()
  assert.ok(!isOver)
  t.mock.timers.tick(1)
  assert.equal((await failing).message, schema)
})

test('a refusal without a reason is one all the same', async () => {
  const rig = new Rig()
  rig.start(400)
  rig.exchange.onResponseEnd()
  assert.equal((await rig.failure()).message, general)
})

test('any other status fails at once, and says when to come back', async () => {
  const rig = new Rig()
  rig.start(503, { 'retry-after': '7' })
  const { failure, retryAfterSeconds } = await rig.failure()
  assert.deepEqual([failure, retryAfterSeconds], ['overloaded', 7])
  const moved = new Rig()
  moved.start(301)
  assert.equal((await moved.failure()).message, 'The model server answered with status 301.')
})

for (const [what, options] of [
  ['a stream', {}],
  ['a whole answer', { whole: true }],
] as const) {
  test(`a server that sends a head and no words of ${what} is given up in its time`, async (t: TestContext) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const rig = started({ ...options, firstMs: 50 })
    const failing = rig.failure()
    t.mock.timers.tick(49)
    await turn()
    assert.ok(!rig.isCutOff())
    t.mock.timers.tick(1)
    assert.equal((await failing).failure, 'timeout')
    assert.ok(rig.isCutOff())
  })
}

test('a server that sends comments and no words is given up in its time', async (t: TestContext) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const rig = started({ firstMs: 50, silenceMs: 0 })
  const failing = rig.failure()
  rig.send(': still there\n\n')
  await turn()
  await turn()
  assert.ok(!rig.isCutOff())
  t.mock.timers.tick(50)
  rig.send(': still there\n\n')
  await turn()
  assert.equal((await failing).failure, 'timeout')
})

test('a server whose first words are there in time is not given up, read or unread', async (t: TestContext) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const read = started({ firstMs: 50 })
  read.send(record('a'))
  assert.deepEqual(await read.words(), ['a'])
  const unread = started({ firstMs: 50 })
  unread.send(record('a'))
  const ended = started({ firstMs: 50, whole: true })
  ended.exchange.onResponseEnd()
  t.mock.timers.tick(50)
  await turn()
  for (const rig of [read, unread, ended]) assert.ok(!rig.isCutOff())
  assert.deepEqual(await unread.words(), ['a'])
})

test('a server that sends comments amid its words is given up after too long a silence', async (t: TestContext) => {
  let nowMs = 0
  t.mock.method(performance, 'now', () => nowMs)
  const rig = started({ silenceMs: 300 })
  const comment = ': still there\n\n'
  for (const word of ['a', 'b']) {
    rig.send(record(word))
    assert.deepEqual(await rig.words(), [word])
    const more = rig.words()
    rig.send(comment)
    await turn()
    nowMs += 299
    rig.send(comment)
    await turn()
    rig.send(record('more'))
    assert.deepEqual(await more, ['more'])
  }
  assert.ok(!rig.isCutOff())
  rig.send(comment)
  const failing = rig.failure()
  await turn()
  nowMs += 300
  rig.send(comment)
  assert.equal((await failing).failure, 'timeout')
  assert.ok(rig.isCutOff())
})
