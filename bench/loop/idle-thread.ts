// A thread that does nothing, and says when asked how long its event loop was held up: by other processes alone.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { parentPort } from 'node:worker_threads'

const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
parentPort?.once('message', () => parentPort?.postMessage(delay.max / 1e6))
