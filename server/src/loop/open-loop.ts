// Wires what records calls: what is configured, what is counted, what keeps.
import type { Logger } from 'pino'
import type { Clock } from '../lib/clock.ts'
import type { Storage } from '../storage/open-storage.ts'
import { CaptureBook } from './capture/capture-book.ts'
import { CaptureCounter } from './capture/capture-counter.ts'
import { LoopRecorder } from './capture/loop-recorder.ts'
import type { RecordingSettings } from './capture/recording-messages.ts'
import { SampleKeeper } from './capture/sample-keeper.ts'

export type Loop = {
  captureBook: CaptureBook
  recorder: LoopRecorder
  /** Stores what was recorded before it resolves. */
  close(): Promise<void>
}

export function openLoop(ports: {
  storage: Storage
  clock: Clock
  log: Logger
  recording: RecordingSettings
  loopOn: boolean
}): Loop {
  const captureBook = new CaptureBook(ports.storage)
  const counter = new CaptureCounter(ports.storage, ports.clock)
  const keeper = new SampleKeeper({ ...ports, settings: ports.recording, counter })
  ports.storage.changes.on('own_storage_changed', (workspaceId) =>
    keeper.ownStorageChanged(workspaceId),
  )
  return {
    captureBook,
    recorder: new LoopRecorder({ book: captureBook, counter, keeper, loopOn: ports.loopOn }),
    async close() {
      await keeper.close()
      await counter.flush()
    },
  }
}
