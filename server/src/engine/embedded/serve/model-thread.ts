// The thread of one model: ONNX Runtime computes synchronously, so it must not share a thread with HTTP.
import { parentPort, workerData } from 'node:worker_threads'
import { EngineError } from '../../engine.ts'
import { openServedModel, withoutPath } from './served-model.ts'
import type { ServedModel } from './served-model.ts'
import type { FailedFor, FromWorker, ToWorker, WorkerOptions } from './worker-messages.ts'

const port = parentPort!
const options = workerData as WorkerOptions
const send = (message: FromWorker) => port.postMessage(message)

function fail(id: number, error: unknown): void {
  const known = error instanceof EngineError
  const failure = known ? error.failure : 'broken'
  const message = known ? error.message : 'The model failed while it read this request.'
  send({ type: 'failed', id, failure, message, reason: known ? reasonOf(error) : {} })
}

function reasonOf({ param, tooLong }: EngineError): FailedFor {
  return { ...(param === undefined ? {} : { param }), ...(tooLong ? { tooLong } : {}) }
}

async function handle(model: ServedModel, message: ToWorker): Promise<void> {
  switch (message.type) {
    case 'call':
      return model.call(message.id, message.call, message.credit)
    case 'count':
      return send({ type: 'counted', id: message.id, tokens: model.count(message.call) })
    case 'load':
      await model.load(message.adapterFolder)
      return send({ type: 'loaded', id: message.id })
    case 'credit':
      return model.credit(message.id, message.parts)
    case 'cancel':
      return model.cancel(message.id)
    case 'close':
      await model.close()
      port.close()
  }
}

try {
  const model = await openServedModel(options, {
    deliver: (id, parts) => send({ type: 'parts', id, parts }),
    fail,
  })
  port.on('message', (message: ToWorker) => {
    handle(model, message).catch((error: unknown) => {
      if ('id' in message) fail(message.id, error)
    })
  })
  send({ type: 'ready', ...model.promptRoom })
} catch (error) {
  send({ type: 'unusable', message: withoutPath(error, options.modelFolder) })
  port.close()
}
