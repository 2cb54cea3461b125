// The thread that reads imports, several at once: each gets its own rows, in its own time, and takes no place from others.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { Refusal } from '#server/core/refusal.ts'
import type {
  FromImportThread,
  PreparedRow,
  ToImportThread,
} from '#server/samples/import/import-messages.ts'
import { type ImportJob, ImportReader } from '#server/samples/import/import-reader.ts'
import { rowsOf } from '#server/samples/import/row-columns.ts'

const reader = new ImportReader()
after(() => reader.close())

const order = { rowIds: null, rowOffset: 0, pipelineId: null, goodByDefault: false, atMs: 0 }

/** Sent in pieces, with whatever others send in between. */
function send(name: string, count: number): ImportJob {
  const job = reader.open('lines', false)
  for (let at = 0; at < count; at++) {
    job.push(Buffer.from(`${JSON.stringify({ prompt: `${name} ${at}.`, completion: 'a' })}\n`))
  }
  return job
}

async function readAll(job: ImportJob): Promise<PreparedRow[]> {
  const rows: PreparedRow[] = []
  for await (const { rows: columns } of job.slices(order)) {
    rows.push(...rowsOf(columns))
    job.sliceDone(columns.columns.buffer)
  }
  job.close()
  return rows
}

function assertRows(rows: readonly PreparedRow[], name: string, count: number): void {
  assert.equal(rows.length, count)
  rows.forEach(({ position, conversation }, at) => {
    assert.equal(position, at + 1)
    assert.ok(conversation.includes(`${name} ${at}.`), conversation)
  })
}

test('imports side by side get each all of their own rows, in order', async () => {
  const counts = { Anna: 1300, Ben: 1, Cleo: 700, Dora: 101 }
  const jobs = Object.entries(counts).map(([name, count]) => ({
    name,
    count,
    job: send(name, count),
  }))
  const read = jobs.map(async ({ name, count, job }) => {
    assert.equal((await job.end()).rows, count)
    assertRows(await readAll(job), name, count)
  })
  await Promise.all(read)
})

test('no more slices are prepared ahead than were asked for, and one for each that is done', async () => {
  const job = send('Eve', 4000)
  await job.end()
  const slices = job.slices(order)
  let rows = 0
  const next = async (): Promise<boolean> => {
    const { value } = await slices.next()
    if (value) rows += value.rows.positions.length
    return value !== undefined
  }
  for (let slice = 0; slice < 4; slice++) assert.equal(await next(), true)
  const fifth = next()
  assert.equal(await Promise.race([fifth, delay(300, 'nothing')]), 'nothing')
  assert.ok(rows < 4000)
  job.sliceDone(null)
  assert.equal(await fifth, true)
  for (let more = true; more;) {
    job.sliceDone(null)
    more = await next()
  }
  assert.equal(rows, 4000)
  job.close()
})

test('a slice of long rows is a short one', async () => {
  const job = send('x'.repeat(64 * 1024), 40)
  await job.end()
  const sizes: number[] = []
  for await (const { rows } of job.slices(order)) {
    sizes.push(rows.positions.length)
    job.sliceDone(null)
  }
  job.close()
  assert.ok(Math.max(...sizes) <= 8, `${sizes.join()}`)
  assert.equal(
    sizes.reduce((sum, size) => sum + size),
    40,
  )
})

test('two bodies are taken apart at once, and a third when one of them is done', async () => {
  const [first, second, third] = [send('Jan', 3), send('Kim', 3), send('Lea', 3)]
  await Promise.all([first.end(), second.end()])
  const waiting = third.end()
  assert.equal(await Promise.race([waiting, delay(300, 'nothing')]), 'nothing')
  assertRows(await readAll(first), 'Jan', 3)
  assert.equal((await waiting).rows, 3)
  assertRows(await readAll(third), 'Lea', 3)
  assertRows(await readAll(second), 'Kim', 3)
})

test('nothing is prepared for one that was given up', async () => {
  const thread = new Worker(
    new URL('../../../src/samples/import/import-thread.ts', import.meta.url),
  )
  const heard: string[] = []
  thread.on('message', ({ type }: FromImportThread) => heard.push(type))
  const say = (message: ToImportThread): void => thread.postMessage(message)
  const hear = async (type: string): Promise<void> => {
    while (!heard.includes(type)) await delay(5)
  }
  const line = Buffer.from(`${JSON.stringify({ prompt: 'q', completion: 'a' })}\n`)
  const bytes = new Uint8Array(Buffer.alloc(line.length * 2000, line))
  try {
    say({ type: 'open', job: 1, format: 'lines', sourceRequired: false })
    say({ type: 'bytes', job: 1, bytes })
    say({ type: 'end', job: 1 })
    await hear('ready')
    say({ type: 'go', job: 1, order, slices: 1 })
    await hear('slice')
    say({ type: 'drop', job: 1 })
    await delay(200)
    say({ type: 'ping' })
    await hear('pong')
    assert.deepEqual(heard, ['ready', 'slice', 'pong'])
  } finally {
    await thread.terminate()
  }
})

test('those that are refused or given up take no place from later ones', async () => {
  for (let round = 0; round < 3; round++) {
    const refused = reader.open('json', false)
    refused.push(Buffer.from('{"rows":'))
    await assert.rejects(refused.end(), (error) => error instanceof Refusal)
    refused.close()
    // Two are read at once; the third is given up while it waits, the others before anything of them is stored.
    const [first, second, third] = [send('Fred', 3), send('Gina', 3), send('Hugo', 3)]
    await Promise.all([first.end(), second.end()])
    void third.end()
    third.close()
    first.close()
    second.close()
  }
  const last = send('Ida', 3)
  assert.equal((await last.end()).rows, 3)
  assertRows(await readAll(last), 'Ida', 3)
})
