// A thread that takes everything and says at once that it was stored.
import { parentPort } from 'node:worker_threads'
import type {
  FromRecordingThread,
  ToRecordingThread,
} from '#server/samples/capture/recording-messages.ts'

const say = (message: FromRecordingThread): void => parentPort?.postMessage(message)

parentPort?.on('message', (message: ToRecordingThread) => {
  if (message.type === 'end') parentPort?.close()
  if (message.type !== 'calls') return
  const outcomes = message.calls.map(({ number }) => ({ number, outcome: 'recorded' as const }))
  say({ type: 'outcomes', outcomes })
  say({ type: 'taken' })
})
