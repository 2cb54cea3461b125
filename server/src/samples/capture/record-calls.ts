// The work of the thread that records calls: what was delivered comes in, is redacted here, and leaves for the database
// or a workspace's own bucket. What became of each call is said back.
import type { MessagePort } from 'node:worker_threads'
import type { Clock } from '../../lib/clock.ts'
import { giveWayToCalls } from '../../lib/thread-priority.ts'
import { GuardedPool } from '../../storage/guarded-pool.ts'
import { StorageUnavailable } from '../../storage/storage-unavailable.ts'
import { findOwners } from '../own-storage/own-storage-store.ts'
import type { RedactNow } from '../sample/redact-conversation.ts'
import type { Buckets } from './open-buckets.ts'
import { prepareCall } from './prepare-call.ts'
import type {
  FromRecordingThread,
  NumberedCall,
  RecordingOutcome,
  RecordingThreadData,
  ToRecordingThread,
} from './recording-messages.ts'
import { type ReadySample, SampleStorer } from './sample-storer.ts'
import { textAt } from './text-arena.ts'

const connectionsMax = 2
/** Nobody waits for this thread, so it waits longer for a busy machine than a call would. */
const connectMs = 10_000
const queryMs = 15_000

export function recordCalls(port: MessagePort, data: RecordingThreadData, redact: RedactNow): void {
  giveWayToCalls(5)
  const say = (message: FromRecordingThread): void => port.postMessage(message)
  const warn = (about: object, sentence: string): void => say({ type: 'warning', about, sentence })
  const progress = new Int32Array(data.progress)
  const texts = Buffer.from(data.texts)
  const clock = new GivenClock()
  const pool = new GuardedPool({ url: data.databaseUrl, connectionsMax, connectMs, queryMs })
  let buckets: Promise<Buckets> | null = null
  const opened = (): Promise<Buckets> =>
    (buckets ??= import('./open-buckets.ts').then(({ openBuckets }) =>
      openBuckets({ pool, clock, warn }, data.ownStorage),
    ))
  const storer = new SampleStorer({
    storage: { pool },
    findOwners: (workspaceIds) => findOwners({ pool }, workspaceIds),
    placeTexts: async (workspaceId, samples) => (await opened()).placeTexts(workspaceId, samples),
    finish: (outcomes) => say({ type: 'outcomes', outcomes }),
    failed: (error, sentence) => warn(describe(error), sentence),
  })

  function take(calls: readonly NumberedCall[]): void {
    const ready: ReadySample[] = []
    const lost: RecordingOutcome[] = []
    for (const { number, text } of calls) {
      Atomics.store(progress, 0, number)
      const prepared = prepareCall(typeof text === 'string' ? text : textAt(texts, text), redact)
      if (typeof prepared === 'string') lost.push({ number, outcome: prepared })
      else ready.push({ number, sample: prepared })
    }
    Atomics.store(progress, 0, 0)
    if (lost.length > 0) say({ type: 'outcomes', outcomes: lost })
    storer.add(ready)
    void storer.room().then(() => say({ type: 'taken' }))
  }

  port.on('message', (message: ToRecordingThread) => {
    switch (message.type) {
      case 'calls':
        clock.set(message.nowMs)
        return take(message.calls)
      case 'own-storage-changed':
        return void buckets?.then((known) => known.forget(message.workspaceId))
      case 'hurry':
        return storer.hurry()
      case 'end':
        void buckets?.then((known) => known.close())
        void pool.end()
        port.close()
    }
  })
}

/** Goes by what the main thread says the time is. */
class GivenClock implements Clock {
  #aheadMs = 0

  set(nowMs: number): void {
    this.#aheadMs = nowMs - Date.now()
  }

  now(): Date {
    return new Date(Date.now() + this.#aheadMs)
  }

  monotonicMs(): number {
    return performance.now()
  }
}

/** What the database says about a row could hold a piece of it; why it could not be asked holds none. */
function describe(error: unknown): object {
  const { name, code, cause } = error as { name?: string; code?: string; cause?: unknown }
  const why = error instanceof StorageUnavailable && cause instanceof Error ? cause.message : null
  return { failure: name, code, why }
}
