// Runs as a worker: records calls.
import { parentPort, workerData } from 'node:worker_threads'
import { redactJson } from '../redact/redact-json.ts'
import { recordCalls } from './record-calls.ts'
import type { RecordingThreadData } from './recording-messages.ts'

if (!parentPort) throw new Error('recording-thread.ts is a worker')
recordCalls(parentPort, workerData as RecordingThreadData, (value) => redactJson(value).value)
