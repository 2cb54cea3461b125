// The thread that reads imports dies or falls silent: every import on it is told, and the next one gets a new thread.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Refusal } from '#server/core/refusal.ts'
import type { Slice } from '#server/samples/import/import-messages.ts'
import { type ImportJob, ImportReader } from '#server/samples/import/import-reader.ts'

const reader = new ImportReader({
  silenceMs: 3000,
  thread: new URL('../../support/failing-import-thread.ts', import.meta.url),
})
after(() => reader.close())

const order = { rowIds: null, rowOffset: 0, pipelineId: null, goodByDefault: false, atMs: 0 }

function open(way: string): ImportJob {
  const job = reader.open('lines', false)
  job.push(Buffer.from(way))
  return job
}

async function readAll(job: ImportJob): Promise<Slice[]> {
  try {
    assert.deepEqual((await job.end()).rows, 2)
    const slices: Slice[] = []
    for await (const slice of job.slices(order)) {
      slices.push(slice)
      job.sliceDone(null)
    }
    return slices
  } finally {
    job.close()
  }
}

const isUnavailable = (error: unknown): boolean =>
  error instanceof Refusal && error.code === 'UNAVAILABLE' && error.detail.retryAfterSeconds === 2

for (const way of ['throw', 'exit', 'hang']) {
  test(`a thread that is made to ${way} is replaced`, async () => {
    await assert.rejects(readAll(open(way)), isUnavailable)
    assert.equal((await readAll(open('work'))).length, 1)
  })
}

test('an import beside one that brings the thread down is told', async () => {
  const beside = open('wait')
  const waiting = assert.rejects(readAll(beside), isUnavailable)
  await assert.rejects(readAll(open('throw')), isUnavailable)
  await waiting
})

test('an import that waits for its client is not taken for a silent thread', async () => {
  const slow = open('wor')
  await new Promise((resolve) => setTimeout(resolve, 4500))
  slow.push(Buffer.from('k'))
  assert.equal((await readAll(slow)).length, 1)
})
