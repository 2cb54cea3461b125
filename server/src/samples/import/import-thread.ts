// Runs as a worker: takes the bytes of imports as they come and hands back rows ready to be stored. Several imports can
// be under way; each goes on by one slice at a time, and waits while the main thread has enough to store.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { parentPort } from 'node:worker_threads'
import type { PlatformErrorCode } from '#contract/errors.ts'
import { Refusal } from '../../core/refusal.ts'
import { type ImportBody, openImportBody, type ReadImport } from './import-body.ts'
import type { FromImportThread, RowOrder, ToImportThread } from './import-messages.ts'
import { prepareSlice, type SliceLimits } from './prepare-rows.ts'
import { Room } from './room.ts'
import { SliceMemory } from './slice-memory.ts'

type Job = {
  body: ImportBody | null
  read: ReadImport | null
  slicesAllowed: number
  /** Called when a slice was allowed or the job was dropped. */
  wake: () => void
  dropped: boolean
  leave: () => void
}

const sliceLimits: SliceLimits = { rowsMax: 500, charactersMax: 512 * 1024, ms: 250 }
/** The first is small, so that the database has something to do while the second is prepared. */
const firstLimits: SliceLimits = { ...sliceLimits, rowsMax: 100 }
/** Bodies that are parsed at once; more wait as bytes. */
const parsedMax = 2

const jobs = new Map<number, Job>()
const room = new Room(parsedMax)
const memory = new SliceMemory()
const port = parentPort
if (!port) throw new Error('import-thread.ts is a worker')
const say = (message: FromImportThread, given: ArrayBuffer[] = []): void =>
  port.postMessage(message, given)

port.on('message', (message: ToImportThread) => {
  if (message.type === 'ping') return say({ type: 'pong' })
  if (message.type === 'open') {
    jobs.set(message.job, {
      body: openImportBody(message.format, message.sourceRequired),
      read: null,
      slicesAllowed: 0,
      wake: () => {},
      dropped: false,
      leave: () => {},
    })
    return
  }
  if (message.type === 'more' && message.memory) memory.giveBack(message.memory)
  const job = jobs.get(message.job)
  if (!job) return
  switch (message.type) {
    case 'bytes':
      return attempt(message.job, () => job.body?.push(Buffer.from(message.bytes.buffer)))
    case 'end':
      return void readBody(message.job, job)
    case 'go':
      job.slicesAllowed = message.slices
      return void prepareAll(message.job, job, message.order)
    case 'more':
      job.slicesAllowed += 1
      return job.wake()
    case 'drop':
      return drop(message.job, job)
  }
})

async function readBody(id: number, job: Job): Promise<void> {
  job.leave = await room.enter()
  if (job.dropped) return job.leave()
  attempt(id, () => {
    const { body } = job
    job.body = null
    if (!body) return
    job.read = body.end()
    const { rows, settings } = job.read
    say({ type: 'ready', job: id, rows: rows.count, settings })
  })
}

async function prepareAll(id: number, job: Job, order: RowOrder): Promise<void> {
  const rows = job.read?.rows
  for (let next = 0; rows && next < rows.count;) {
    while (job.slicesAllowed === 0 && !job.dropped) {
      await new Promise<void>((resolve) => (job.wake = resolve))
    }
    if (job.dropped) return
    const limits = next === 0 ? firstLimits : sliceLimits
    const prepared = await prepareSlice(rows, order, next, limits, (bytes) => memory.take(bytes))
    next = prepared.next
    job.slicesAllowed -= 1
    const { slice } = prepared
    say({ type: 'slice', job: id, slice }, [slice.rows.columns.buffer])
    // Bytes of other imports are taken in between.
    await nextTurn()
  }
  say({ type: 'done', job: id })
  drop(id, job)
}

function attempt(id: number, act: () => void): void {
  try {
    act()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const code = error.code as PlatformErrorCode
    say({ type: 'refused', job: id, code, message: error.message })
    const job = jobs.get(id)
    if (job) drop(id, job)
  }
}

function drop(id: number, job: Job): void {
  jobs.delete(id)
  job.dropped = true
  job.body = null
  job.read = null
  job.leave()
  job.wake()
}
