// The thread that records calls, with a redaction that gets into the trouble a text names.
import { existsSync, writeFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { recordCalls } from '#server/samples/capture/record-calls.ts'
import type { RecordingThreadData } from '#server/samples/capture/recording-messages.ts'
import { redactJson } from '#server/samples/redact/redact-json.ts'

const troubles: Record<string, (rest: string) => void> = {
  throw() {
    throw new Error('a fault of the redaction')
  },
  hang() {
    for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000)
  },
  exit() {
    process.exit(1)
  },
  /** Once for each file: when everything that came along is redacted and on its way into the database. */
  'exit-later'(file) {
    if (existsSync(file)) return
    writeFileSync(file, '')
    setTimeout(() => process.exit(1), 2)
  },
}

if (!parentPort) throw new Error('this is a worker')
recordCalls(parentPort, workerData as RecordingThreadData, (value) => {
  const [, trouble = '', rest = ''] = /trouble:([\w-]+) ?([^"]*)/.exec(JSON.stringify(value)) ?? []
  troubles[trouble]?.(rest)
  return redactJson(value).value
})
