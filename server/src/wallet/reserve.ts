// Reserves funds for work that runs for hours, and charges it when it ends. A reservation is durable and belongs to no process; a
// call that is repeated after a crash finds what the first one did.
import type { ReservationPurpose } from '#contract/wallet.ts'
import type { App } from '../app.ts'
import { effectRunner } from '../lib/crash-point.ts'
import { newId } from '../lib/id.ts'
import type { Picodollars } from '../lib/money.ts'
import { Recall } from './recall.ts'
import * as store from './reservation-store.ts'

/** Each has a crash point before and after it. */
export const reservationEffects = ['reserve', 'charge', 'release'] as const
const effect = effectRunner(reservationEffects)

type Ports = Pick<App, 'storage' | 'clock'>

export type ReservationOf = {
  purpose: ReservationPurpose
  /** The attempt that the money is for. */
  reference: string
}

/**
 * `ended`: it was charged or released before, so this work is over. `short`: what is missing in the wallet, after processes gave
 * back what they had leased and did not need. A larger amount than an earlier call reserved is an error.
 */
export async function reserveFunds(
  app: Ports,
  params: ReservationOf & { orgId: string; workspaceId: string; amount: Picodollars },
): Promise<'reserved' | 'ended' | { short: Picodollars }> {
  const { orgId: walletId, ...of } = params
  const { storage, clock } = app
  const id = newId(clock.now())
  return effect('reserve', async () => {
    const recall = new Recall(storage, walletId, null)
    for (;;) {
      const reserving = { ...of, id, walletId, at: clock.now() }
      const result = await store.insertReservation(storage, reserving)
      if (result.outcome !== 'short') return result.outcome
      if (result.leased === 0n || !(await recall.ask())) return { short: result.missing }
    }
  })
}

/** At most what is reserved; the rest is free again. Returns what was charged when the reservation first ended. */
export async function chargeReservation(
  app: Ports,
  params: ReservationOf & { amount: Picodollars; detail: Record<string, unknown> },
): Promise<Picodollars> {
  const { amount: charge, ...of } = params
  return effect('charge', async () => {
    const ending = { ...of, charge, at: app.clock.now() }
    const charged = await store.endReservation(app.storage, ending)
    if (charged === null) {
      throw new Error(`nothing was reserved for the ${of.purpose} of ${of.reference}`)
    }
    return charged
  })
}

/** Does nothing where nothing is reserved any more. */
export async function releaseReservation(app: Ports, of: ReservationOf): Promise<void> {
  await effect('release', async () => {
    const ending = { ...of, charge: 0n, detail: {}, at: app.clock.now() }
    await store.endReservation(app.storage, ending)
  })
}

/** Of a wallet, in all open reservations. */
export function reservedFunds({ storage }: Ports, orgId: string): Promise<Picodollars> {
  return store.sumOpen(storage.db, orgId)
}

export type Charges = Record<ReservationPurpose, Picodollars>

/** What was charged for an attempt until now. */
export async function readCharges(app: Ports, reference: string): Promise<Charges> {
  const [charges] = await readChargesOfAll(app, [reference])
  return charges ?? noCharges()
}

/** In the order of the attempts. */
export async function readChargesOfAll(
  { storage }: Ports,
  references: readonly string[],
): Promise<Charges[]> {
  const charges = new Map(references.map((reference) => [reference, noCharges()]))
  if (references.length === 0) return []
  for (const { reference, purpose, charged } of await store.listCharged(storage.db, references)) {
    const known = charges.get(reference)
    if (known) known[purpose] = charged
  }
  return [...charges.values()]
}

function noCharges(): Charges {
  return { training: 0n, serving: 0n, scoring: 0n, retest: 0n }
}

export async function readReservation(
  { storage }: Pick<Ports, 'storage'>,
  of: ReservationOf,
): Promise<'none' | 'open' | 'ended'> {
  const known = await store.findReservation(storage.db, of)
  if (!known) return 'none'
  return known.ended_at === null ? 'open' : 'ended'
}
