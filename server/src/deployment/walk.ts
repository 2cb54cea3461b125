// Walks deployments: starts what members started, pays for machines whose time has a price, asks machines outside this process whether
// they still serve, and gives back what does not run any more.
import type { App } from '../app.ts'
import { effectRunner } from '../lib/crash-point.ts'
import { newId } from '../lib/id.ts'
import { endLeases, renewLease } from '../storage/leases.ts'
import type { By, Left, WalkedRows } from '../storage/row-walker.ts'
import {
  chargeReservation,
  readReservation,
  releaseReservation,
  type ReservationOf,
  reserveFunds,
} from '../wallet/reserve.ts'
import { changeDeployment, type DeploymentChange, readOrganization } from './deployment-store.ts'
import * as due from './due-store.ts'
import { isOutside, servingPriceOf } from './machines.ts'
import {
  afterPrepare,
  type DeploymentEffect,
  type DeploymentFacts,
  nextDeploymentStep,
  paidOf,
  pausedForFunds,
} from './next-step.ts'
import {
  affordableMinutes,
  chargedMinutes,
  paidMinutesMost,
  paidNextFrom,
  paidUntil,
  priceOfMinutes,
} from './paid.ts'

type Row = NonNullable<Awaited<ReturnType<typeof due.readWalked>>>
type Done = DeploymentChange | null

/** The machine is asked again after this. */
const prepareMsMost = 120_000
const checkMsMost = 10_000
const failedAgainMs = 10_000

/** Each has a crash point before and after it. */
const effectNames = ['reserve', 'renew', 'settle', 'prepare', 'check', 'stop'] as const
export const deploymentCrashNames = [
  ...effectNames.map((name) => `${name}-deployment` as const),
  'write-deployment',
] as const
const effect = effectRunner(deploymentCrashNames)

export const walkedDeployments: WalkedRows<Row> = {
  noun: 'deployment',
  most: 8,
  mostWithEnding: 16,
  claim: ({ storage }, claim) => due.claimDue(storage.db, claim),
  read: ({ storage }, id) => due.readWalked(storage.db, id),
  renew: ({ storage }, lease) => renewLease(storage.db, 'deployment', lease),
  release: ({ storage }, processId) => endLeases(storage.db, 'deployment', processId),
  step: takeStep,
}

async function takeStep(app: App, row: Row, { signal }: By): Promise<Left | 'goes on'> {
  const { db } = app.storage
  const now = app.clock.now()
  try {
    const step = nextDeploymentStep(row, await gatherFacts(app, row), now)
    if ('sleep' in step) {
      await due.sleepUntil(db, row, step.sleep)
      return 'asleep'
    }
    const change =
      'do' in step
        ? await effect(`${step.do}-deployment`, () => effects[step.do](app, row, signal))
        : step.change
    if (change) await effect('write-deployment', () => changeDeployment(db, row, change))
    // Another may have changed it meanwhile; the next step begins with what it is then.
    return 'goes on'
  } catch (err) {
    if (signal.aborted) return 'asleep'
    app.log.warn({ err, deployment_id: row.id }, 'a step of a deployment failed')
    await due.sleepUntil(db, row, new Date(now.getTime() + failedAgainMs))
    return 'asleep'
  }
}

async function gatherFacts(app: App, row: Row): Promise<DeploymentFacts> {
  const { catalog } = app
  return {
    price: servingPriceOf(catalog, row),
    outside: isOutside(catalog, row.machine),
    funds: row.paid_id === null ? 'none' : await readReservation(app, fundsOf(row.paid_id)),
  }
}

const effects: Record<
  DeploymentEffect,
  (app: App, row: Row, signal: AbortSignal) => Promise<Done>
> = { reserve, renew, settle, prepare, check, stop }

function fundsOf(reference: string): ReservationOf {
  return { purpose: 'serving', reference }
}

const nothingPaid = { paid_id: null, paid_price: null, paid_minutes: null, paid_from: null }

/** An hour of its machine, or as much of it as the wallet has. What is reserved stands in the row before, so that it is found again. */
async function reserve(app: App, row: Row): Promise<Done> {
  const now = app.clock.now()
  const price = servingPriceOf(app.catalog, row)
  const paid = paidOf(row)
  if (price === null) return null
  if (price === 0n) return resumed(row, now)
  // One that was charged is not reserved again.
  const reserved = row.paid_id && (await readReservation(app, fundsOf(row.paid_id)))
  if (!row.paid_id || !paid || reserved === 'ended') return freshPaid(row, price, now)
  if (reserved === 'open') return resumed(row, now)
  const orgId = await readOrganization(app.storage.db, row.workspace_id)
  const result = await reserveFunds(app, {
    ...fundsOf(row.paid_id),
    orgId,
    workspaceId: row.workspace_id,
    amount: priceOfMinutes(paid.price, paid.minutes),
  })
  if (result === 'reserved') return resumed(row, now)
  if (result === 'ended') return freshPaid(row, price, now)
  const minutes = affordableMinutes(paid.price, paid.minutes, result.short)
  if (minutes > 0) return { paid_minutes: minutes }
  await app.serving.machines.stop(row)
  return pausedForFunds(now)
}

function freshPaid({ paid_from }: Row, price: bigint, now: Date): DeploymentChange {
  return {
    paid_id: newId(now),
    paid_price: price.toString(),
    paid_minutes: paidMinutesMost,
    paid_from,
  }
}

/** What served goes on, paid for from now on; what was paused starts again. */
function resumed(row: Row, now: Date): DeploymentChange {
  if (row.status === 'serving') {
    return row.paid_id !== null && row.paid_from === null ? { paid_from: now } : { wake_at: now }
  }
  return { status: 'starting', detail: null, ended_at: now, tries: 0, wake_at: now }
}

/** Charges the hour that is over, and goes on with the next. */
async function renew(app: App, row: Row): Promise<Done> {
  const paid = paidOf(row)
  const until = paid && paidUntil(paid)
  if (!until) return nothingPaid
  await charge(app, row, until)
  const now = app.clock.now()
  const price = servingPriceOf(app.catalog, row)
  if (!price) return nothingPaid
  return { ...freshPaid(row, price, now), paid_from: paidNextFrom(until, now) }
}

/** Charges what it served, and frees the rest. */
async function settle(app: App, row: Row): Promise<Done> {
  await charge(app, row, row.ended_at ?? app.clock.now())
  return nothingPaid
}

async function charge(app: App, row: Row, end: Date): Promise<void> {
  const paid = paidOf(row)
  if (!paid || row.paid_id === null) return
  const of = fundsOf(row.paid_id)
  if ((await readReservation(app, of)) === 'none') return
  const minutes = chargedMinutes(paid, end)
  if (minutes === 0) return releaseReservation(app, of)
  const detail = { deployment_id: row.id, name: row.name, machine: row.machine, minutes }
  await chargeReservation(app, { ...of, amount: priceOfMinutes(paid.price, minutes), detail })
}

async function prepare(app: App, row: Row, signal: AbortSignal): Promise<Done> {
  const until = AbortSignal.any([signal, AbortSignal.timeout(prepareMsMost)])
  const answer = await app.serving.machines.prepare(row, until)
  signal.throwIfAborted()
  return afterPrepare(row, answer, app.clock.now())
}

async function check(app: App, row: Row, signal: AbortSignal): Promise<Done> {
  const until = AbortSignal.any([signal, AbortSignal.timeout(checkMsMost)])
  const answer = await app.serving.machines.status(row, until)
  signal.throwIfAborted()
  // A machine that was started anew may have it again at once, and it was not said to have stopped.
  if (answer.state === 'unknown') return prepare(app, row, signal)
  return afterPrepare(row, answer, app.clock.now())
}

async function stop(app: App, row: Row): Promise<Done> {
  await app.serving.machines.stop(row)
  return { wake_at: null, leased_until: null }
}
