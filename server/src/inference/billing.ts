// What a call takes before its model is asked, and what becomes of that at its end, as a port: the calls of members and those that
// Hone makes itself run alike and differ in nothing else.
import type { Caller } from '../account/caller.ts'
import type { App } from '../app.ts'
import type { CallRequest } from '../core/request.ts'
import type { Usage } from '../core/usage.ts'
import type { Picodollars } from '../lib/money.ts'
import type { UsageRecord } from '../usage/usage-record.ts'
import type { PriceCard } from '../wallet/charge.ts'
import type { Recording, RecordingSource } from './recorder.ts'

/** A call as far as its bill has to know it. */
export type BilledCall = {
  app: App
  caller: Caller
  request: CallRequest
  requestId: string
  startedAt: Date
  /** As its caller names it. */
  model: string
  source: RecordingSource
}

/** The most that a call may take. */
export type Estimate = { cost: Picodollars; tokens: number }

export interface Billing {
  /** Whose slot a call takes in the queue of an engine. */
  queueOf(caller: Caller): string
  /** Fails with a Refusal where a limit or the funds do not allow the call; then nothing stays taken. */
  open(call: BilledCall, most: Estimate): Promise<Bill>
}

/** The call as far as it has come. */
export type SeenCall = Pick<UsageRecord, 'model' | 'route' | 'latencyMs' | 'firstTokenMs'>

export type CompletedCall = {
  usage: Usage
  cost: Picodollars
  card: PriceCard
  seen: SeenCall
  /** What its client read is worth, roughly and in pico-dollars. */
  worth: number
}

export type EndedCall = {
  outcome: 'aborted' | 'failed'
  seen: SeenCall
  /** Null where the client left with nothing, or did not leave. */
  worth: number | null
}

export interface Bill {
  /** For the head of the answer. */
  readonly headers: Readonly<Record<string, string>>
  readonly recording: Recording
  /** To be waited for before the last of the answer goes out. */
  mayDeliver(): undefined | Promise<void>
  settle(call: CompletedCall): void
  /** Nothing is charged, and nothing recorded. */
  void(call: EndedCall): void
}
