// A request that is turned down for a reason of the contract, free of transport: each surface renders it last.
import { type ErrorCode, statusOf } from '#contract/errors.ts'

export type RefusalDetail = {
  /** The field at fault, for the dialects that name it. */
  param?: string
  /** More keys for the platform's error object, such as `have` and `need`. */
  extra?: Record<string, unknown>
  retryAfterSeconds?: number
  /** The same request cannot succeed later, whatever else its code is used for. */
  isFinal?: boolean
  headers?: Record<string, string>
  /** For 405. */
  allow?: string[]
  cause?: unknown
}

export class Refusal extends Error {
  readonly code: ErrorCode
  readonly detail: RefusalDetail

  constructor(code: ErrorCode, message: string, detail: RefusalDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause })
    this.name = 'Refusal'
    this.code = code
    this.detail = detail
  }

  get status(): number {
    return statusOf(this.code)
  }
}
