// Stands in for the thread that reads imports and fails in the way that the first bytes of a body name.
import { parentPort } from 'node:worker_threads'
import type { FromImportThread, ToImportThread } from '#server/samples/import/import-messages.ts'
import { columnsOf } from '#server/samples/import/row-columns.ts'

const say = (message: FromImportThread): void => parentPort?.postMessage(message)
const ways = new Map<number, string>()

parentPort?.on('message', (message: ToImportThread) => {
  if (message.type === 'ping') return say({ type: 'pong' })
  if (message.type === 'bytes') ways.set(message.job, Buffer.from(message.bytes).toString())
  const way = ways.get(message.job)
  if (message.type === 'end') {
    if (way === 'wait') return
    if (way === 'throw') throw new Error('a fault of the thread')
    say({ type: 'ready', job: message.job, rows: 2, settings: null })
  }
  if (message.type === 'go') {
    if (way === 'exit') process.exit(1)
    if (way === 'hang') for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000)
    const slice = {
      rows: columnsOf([], (bytes) => new ArrayBuffer(bytes)),
      refused: [{ position: 1, reason: 'none' }],
    }
    say({ type: 'slice', job: message.job, slice })
    say({ type: 'done', job: message.job })
  }
})
