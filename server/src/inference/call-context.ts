// What is known of a call before anything is decided about it.
import type { Caller } from '../account/caller.ts'
import type { CallRequest } from '../core/request.ts'
import type { Billing } from './billing.ts'

export type CallContext = {
  caller: Caller
  request: CallRequest
  /** Not every model speaks both. */
  dialect: 'chat' | 'messages'
  /** The answer is handed out at its end. */
  whole: boolean
  signal: AbortSignal
  billing: Billing
  requestId: string
  startedAt: Date
}
