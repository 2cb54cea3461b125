// What the main thread and the thread of a model say to each other.
import type { StreamPart } from '../../../core/stream-part.ts'
import type { EngineCall, EngineFailure, TooLong } from '../../engine.ts'
import type { PromptRoom } from '../prompt/prompt-too-long.ts'
import type { SchedulerLimits } from './scheduler.ts'

export type WorkerOptions = SchedulerLimits & {
  modelFolder: string
  threads: number
  /** Beyond it, adapters are kept only while calls run with them. */
  adaptersMax: number
}

export type WorkerCall = Omit<EngineCall, 'engineModel' | 'requestId' | 'adjusted'> & {
  /** Null runs the base weights. */
  adapterFolder: string | null
}

export type ToWorker =
  | { type: 'call'; id: number; call: WorkerCall; credit: number }
  | { type: 'count'; id: number; call: WorkerCall }
  | { type: 'load'; id: number; adapterFolder: string }
  | { type: 'credit'; id: number; parts: number }
  | { type: 'cancel'; id: number }
  | { type: 'close' }

export type FromWorker =
  | ({ type: 'ready' } & PromptRoom)
  /** The model could not be opened; the thread ends. */
  | { type: 'unusable'; message: string }
  | { type: 'parts'; id: number; parts: StreamPart[] }
  | { type: 'counted'; id: number; tokens: number }
  | { type: 'loaded'; id: number }
  | { type: 'failed'; id: number; failure: EngineFailure; message: string; reason: FailedFor }

export type FailedFor = { param?: string; tooLong?: TooLong }
