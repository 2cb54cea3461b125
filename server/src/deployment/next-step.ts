// What is done next about a deployment: its cases, in the order of its life. Pure.
import type { Picodollars } from '../lib/money.ts'
import type { Database } from '../storage/schema.ts'
import type { DeploymentChange } from './deployment-store.ts'
import { type Paid, paidUntil } from './paid.ts'
import type { ServingFailure, ServingStatus } from './serving.ts'

const secondMs = 1000
const minuteMs = 60 * secondMs
/** A machine outside this process is asked so often whether it still serves. */
export const checkEveryMs = 30 * secondMs
const fundsAgainMs = minuteMs
const platformAgainMs = 10 * secondMs
const startingAgainMs = 5 * secondMs
/** Spec 2, limits: the wait for a second machine. */
const startingMsMost = 20 * minuteMs
/** Then it has failed. Those for a machine are spec 2's, limits: GPU wait retries. */
const waitsAfter: Record<ServingFailure, readonly number[]> = {
  'no-gpu': [30 * minuteMs, 60 * minuteMs, 120 * minuteMs, 240 * minuteMs],
  'not-certified': [],
  broken: [10 * secondMs, minuteMs, 5 * minuteMs],
}

export const awaySentence = 'Its model or its machine is not in the catalog at the moment.'

export type DeploymentFacts = {
  /** Of an hour; null where its model or its machine has left the catalog. */
  price: Picodollars | null
  /** Its machine is outside this process. */
  outside: boolean
  /** What is reserved under `paid_id`. */
  funds: 'none' | 'open' | 'ended'
}

export type DeploymentEffect = 'reserve' | 'renew' | 'settle' | 'prepare' | 'check' | 'stop'

export type DeploymentStep =
  { do: DeploymentEffect } | { change: DeploymentChange } | { sleep: Date | null }

type StoredRow = Database['deployment']

export type Walked = Pick<
  StoredRow,
  'status' | 'checked_at' | 'paid_id' | 'paid_price' | 'paid_minutes' | 'paid_from' | 'wake_at'
>

export function nextDeploymentStep(row: Walked, facts: DeploymentFacts, now: Date): DeploymentStep {
  if (row.paid_from !== null && row.status !== 'serving') return { do: 'settle' }
  if (row.wake_at === null || row.wake_at > now) return { sleep: row.wake_at }
  switch (row.status) {
    case 'starting':
      return orAway(facts, now) ?? (mustPay(facts) ? { do: 'reserve' } : { do: 'prepare' })
    case 'serving':
      return orAway(facts, now) ?? stayServing(row, facts, now)
    case 'paused_for_funds':
      return orAway(facts, now) ?? { do: 'reserve' }
    case 'paused_by_platform':
      if (row.paid_id !== null) return { do: 'settle' }
      if (facts.price === null) return { sleep: new Date(now.getTime() + platformAgainMs) }
      return { change: { status: 'starting', detail: null, ended_at: now, tries: 0 } }
    default:
      return row.paid_id !== null ? { do: 'settle' } : { do: 'stop' }
  }
}

function orAway({ price }: DeploymentFacts, now: Date): DeploymentStep | null {
  if (price !== null) return null
  return { change: { status: 'paused_by_platform', detail: awaySentence, ended_at: now } }
}

function mustPay({ price, funds }: DeploymentFacts): boolean {
  return price !== null && price > 0n && funds !== 'open'
}

function stayServing(row: Walked, facts: DeploymentFacts, now: Date): DeploymentStep {
  const until = untilPaid(row)
  if (until !== null && now >= until) return { do: 'renew' }
  if (mustPay(facts)) return { do: 'reserve' }
  if (!facts.outside) return { sleep: until }
  const asked = row.checked_at === null ? now : new Date(row.checked_at.getTime() + checkEveryMs)
  if (now >= asked) return { do: 'check' }
  return { sleep: until !== null && until < asked ? until : asked }
}

export function paidOf(row: Walked): Paid | null {
  const { paid_price: price, paid_minutes: minutes, paid_from: from } = row
  return price === null || minutes === null ? null : { price: BigInt(price), minutes, from }
}

function untilPaid(row: Walked): Date | null {
  const paid = paidOf(row)
  return paid && paidUntil(paid)
}

/** What a machine's answer makes of one that is starting or serving. */
export function afterPrepare(
  row: Pick<StoredRow, 'status' | 'tries' | 'ended_at' | 'paid_id' | 'paid_from'>,
  answer: ServingStatus,
  now: Date,
): DeploymentChange {
  const serves = row.status === 'serving'
  switch (answer.state) {
    case 'ready':
      return {
        status: 'serving',
        detail: null,
        checked_at: now,
        ended_at: null,
        tries: 0,
        ...(!serves && { started_at: now }),
        ...(row.paid_id !== null && row.paid_from === null && { paid_from: now }),
        wake_at: now,
      }
    case 'starting':
    case 'unknown': {
      const since = serves ? now : (row.ended_at ?? now)
      if (now.getTime() - since.getTime() >= startingMsMost) {
        return failed('Its machine was not ready after 20 minutes; start it again.', now)
      }
      const again = { detail: null, checked_at: now, wake_at: after(now, startingAgainMs) }
      return { ...again, status: 'starting', ended_at: since }
    }
    case 'failed': {
      const { failure, sentence } = answer
      const waitMs = waitsAfter[failure][row.tries]
      if (waitMs === undefined) return failed(sentence, now)
      return {
        status: 'starting',
        detail: sentence,
        checked_at: now,
        ended_at: serves ? now : (row.ended_at ?? now),
        tries: row.tries + 1,
        wake_at: after(now, waitMs),
      }
    }
  }
}

function failed(detail: string, now: Date): DeploymentChange {
  return { status: 'failed', detail, checked_at: now, ended_at: now, wake_at: now }
}

export function pausedForFunds(now: Date): DeploymentChange {
  return {
    status: 'paused_for_funds',
    detail:
      'The wallet does not cover its machine; it starts again by itself once there are funds.',
    ended_at: now,
    paid_id: null,
    paid_price: null,
    paid_minutes: null,
    paid_from: null,
    wake_at: after(now, fundsAgainMs),
  }
}

function after(now: Date, ms: number): Date {
  return new Date(now.getTime() + ms)
}
