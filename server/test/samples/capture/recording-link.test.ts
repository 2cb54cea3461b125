// When the thread that records is given up: for staying on one call, and for nothing else.
import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type Death, RecordingLink } from '#server/samples/capture/recording-link.ts'
import { until } from '#test/support/until.ts'

/** Says that it is at the calls with these numbers, in turn, and shows in the memory for texts that it lives. */
const thread = new URL(
  `data:text/javascript,${encodeURIComponent(`
  import { parentPort, workerData } from 'node:worker_threads'
  const progress = new Int32Array(workerData.progress)
  const beats = new Int32Array(workerData.texts)
  let numbers = [0]
  const timer = setInterval(() => {
    Atomics.add(beats, 0, 1)
    Atomics.store(progress, 0, numbers[Atomics.load(beats, 0) % numbers.length])
  }, 5)
  parentPort.on('message', (message) => {
    if (message.type === 'calls') numbers = message.calls.map(({ number }) => number)
    if (message.type !== 'end') return
    clearInterval(timer)
    parentPort.close()
  })
`)}`,
)

const links: RecordingLink[] = []
afterEach(async () => {
  for (const link of links.splice(0)) await link.end()
})

function open(numbers: readonly number[]): { deaths: Death[]; beats: () => number } {
  const deaths: Death[] = []
  const texts = new SharedArrayBuffer(4)
  const link = new RecordingLink(
    {
      settings: { databaseUrl: '', ownStorage: { key: new Uint8Array(), hosts: '' } },
      texts: () => texts,
      receive() {},
      died: (death) => deaths.push(death),
    },
    { thread, deadlineMs: 600 },
  )
  links.push(link)
  link.send({ type: 'calls', calls: numbers.map((number) => ({ number, text: '' })), nowMs: 0 })
  link.busy(true)
  const shown = new Int32Array(texts)
  return { deaths, beats: () => Atomics.load(shown, 0) }
}

test('a thread that stays on one call is ended, and the call is named', async () => {
  const { deaths, beats } = open([7])
  await until(() => deaths.length > 0)
  assert.deepEqual(deaths, [{ call: 7, why: 'late' }])
  await delay(100)
  const last = beats()
  assert.ok(last > 0)
  await delay(100)
  assert.equal(beats(), last, 'it does nothing any more')
})

for (const [what, numbers] of [
  ['goes from call to call', Array.from({ length: 997 }, (_, at) => at + 1)],
  ['redacts nothing, and waits for the database', [0]],
] as const) {
  test(`a thread that ${what} is left alone, however long it takes`, async () => {
    const { deaths, beats } = open(numbers)
    await until(() => beats() > 0)
    await delay(1500)
    assert.deepEqual(deaths, [])
  })
}
