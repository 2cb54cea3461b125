// Wires what records calls: what is configured, what is counted, what keeps.
import type { Logger } from 'pino'
import { BusyShare } from './lib/busy-share.ts'
import type { Clock } from './lib/clock.ts'
import { CaptureBook } from './samples/capture/capture-book.ts'
import { CaptureCounter } from './samples/capture/capture-counter.ts'
import { LoopRecorder } from './samples/capture/loop-recorder.ts'
import type { RecordingSettings } from './samples/capture/recording-messages.ts'
import { SampleKeeper } from './samples/capture/sample-keeper.ts'
import { listPipelineTags } from './loop/pipeline/pipeline-store.ts'
import type { Storage } from './storage/open-storage.ts'

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
  const captureBook = new CaptureBook(ports.storage, (workspaceId) =>
    listPipelineTags(ports.storage.db, workspaceId),
  )
  const counter = new CaptureCounter(ports.storage, ports.clock)
  const busy = new BusyShare()
  const keeper = new SampleKeeper({
    ...ports,
    settings: ports.recording,
    counter,
    busyShare: () => busy.now(),
  })
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
