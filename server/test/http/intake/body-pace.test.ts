// How fast a body must come (fault P5): slower than the minimum it is given up, though not before its grace is over, and one that
// is fast enough may take as long as it needs. Time strikes when the test says so.
import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { after, mock, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Refusal } from '#server/core/refusal.ts'
import { bodyDefaults, eachChunk } from '#server/http/intake/read-body.ts'

mock.timers.enable({ apis: ['setInterval'] })
after(() => mock.timers.reset())

type Pace = { graceMs: number; bytesPerSecondMin: number }
type Sending = { body: PassThrough; told: () => string }

/** A body of which nothing has come yet, and what became of it so far. */
function receive(pace: Pace): Sending {
  const body = new PassThrough()
  const request = Object.assign(body, { headers: {}, complete: false })
  let told = 'comes'
  eachChunk(request as unknown as IncomingMessage, { ...bodyDefaults, ...pace }, () => null).then(
    () => (told = 'whole'),
    (error: unknown) => {
      assert.ok(error instanceof Refusal)
      told = `${error.status} ${error.message}`
    },
  )
  return { body, told: () => told }
}

async function strike({ body }: Sending, sent = ''): Promise<void> {
  if (sent !== '') body.write(sent)
  await turn()
  mock.timers.tick(1000)
  await turn()
}

const tooSlow = '400 The body arrived too slowly, so the request was given up; send it again.'

test('one that is too slow is given up once its grace is over', async () => {
  const sending = receive({ graceMs: 0, bytesPerSecondMin: 1e9 })
  await strike(sending, 'a few bytes')
  assert.equal(sending.told(), tooSlow)
})

test('one that is too slow at first has its grace', async () => {
  const sending = receive({ graceMs: 60_000, bytesPerSecondMin: 1e9 })
  await strike(sending)
  await strike(sending, 'a few bytes')
  assert.equal(sending.told(), 'comes')
  sending.body.end()
  await turn()
  assert.equal(sending.told(), 'whole')
})

test('one that is fast enough may take longer than the grace', async () => {
  const sending = receive({ graceMs: 0, bytesPerSecondMin: 0.001 })
  for (let second = 0; second < 20; second++) await strike(sending, 'byte by byte')
  assert.equal(sending.told(), 'comes')
  sending.body.end()
  await turn()
  assert.equal(sending.told(), 'whole')
})

test('one that has come is not looked at again', async () => {
  const sending = receive({ graceMs: 0, bytesPerSecondMin: 1e9 })
  sending.body.end('all of it')
  await turn()
  await turn()
  assert.equal(sending.told(), 'whole')
  const pause = mock.method(sending.body, 'pause')
  await strike(sending)
  assert.equal(pause.mock.callCount(), 0)
})

test('one whose client left before anybody read is given up at once', async () => {
  const body = new PassThrough()
  body.destroy()
  await turn()
  const request = Object.assign(body, { headers: {}, complete: false })
  const reading = eachChunk(request as unknown as IncomingMessage, bodyDefaults, () => null)
  const outcome = await Promise.race([
    reading.then(
      () => 'whole',
      (error: Error) => error.message,
    ),
    turn()
      .then(turn)
      .then(() => 'waits for ever'),
  ])
  assert.equal(outcome, 'The connection closed in the middle of the body.')
})
