// The thread that redacts for a pool: one value at a time, and nothing that a value says can change how the next one
// is read.
import { parentPort } from 'node:worker_threads'
import { redactJson } from './redact-json.ts'

export type RedactionJob = { id: number; value: unknown }
export type RedactionResult = { id: number; value: unknown } | { id: number; failed: true }

const builtIns = [Object, Array, String, Number, Boolean, Map, Set, RegExp, Uint8Array]
for (const builtIn of builtIns) {
  Object.freeze(builtIn)
  Object.freeze(builtIn.prototype)
}
Object.freeze(Object.getPrototypeOf(Uint8Array.prototype))

const port = parentPort!
port.on('message', ({ id, value }: RedactionJob) => {
  port.postMessage(redacted(id, value))
})

function redacted(id: number, value: unknown): RedactionResult {
  try {
    return { id, value: redactJson(value).value }
  } catch {
    // The message of an error could hold a piece of the value.
    return { id, failed: true }
  }
}
