// Books what storing cost, once for each workspace and day, and charges what has become whole cents (spec 2, Limits:
// stored history billing). A booking and a charge are each one transaction, so whoever dies in between or comes twice
// changes nothing.
import type { App } from '../../app.ts'
import { newId } from '../../lib/id.ts'
import type { Picodollars } from '../../lib/money.ts'
import { recallLeases, takeFunds } from '../../wallet/wallet-store.ts'
import { dayOf, daysToBook } from './day-cost.ts'
import * as store from './storage-bill-store.ts'

const workspacesAtOnce = 500

export async function bookStorage(app: App): Promise<void> {
  const { db } = app.storage
  const price = app.catalog.storagePrice
  const today = dayOf(app.clock.now())
  for (;;) {
    // Without a price nobody gets a bill; those who have one see the free days pass.
    const others = price > 0n
    const meters = await store.readMeters(db, today, { others, limit: workspacesAtOnce })
    if (meters.length === 0) return
    const bookings: store.Booking[] = []
    const doubtful: string[] = []
    for (const meter of meters) {
      const { workspaceId, bytes } = meter
      const days = daysToBook(meter, today, price)
      if (days === null) doubtful.push(workspaceId)
      else bookings.push({ workspaceId, bytes, days })
    }
    await store.bookDays(db, today, price, bookings)
    await store.doubtDay(db, today, doubtful)
    if (meters.length < workspacesAtOnce) return
  }
}

export async function chargeStorage(app: App): Promise<void> {
  for (let after: string | null = null; ;) {
    const due: { workspaceId: string; walletId: string }[] = await store.listDueBills(
      app.storage.db,
      after,
      workspacesAtOnce,
    )
    for (const { workspaceId, walletId } of due) {
      if (await chargeOne(app, workspaceId, walletId)) continue
      // The funds may be there but lent to processes that do not need them; else it waits for a top-up.
      await recallLeases(app.storage, walletId)
    }
    after = due.at(-1)?.workspaceId ?? null
    if (due.length < workspacesAtOnce) return
  }
}

function wholeCents(amount: Picodollars): Picodollars {
  return amount - (amount % store.centPicodollars)
}

async function chargeOne(app: App, workspaceId: string, walletId: string): Promise<boolean> {
  const now = app.clock.now()
  return app.storage.db.transaction().execute(async (tx) => {
    const { accrued, charged } = await store.lockBill(tx, workspaceId)
    const amount = wholeCents(accrued - charged)
    if (amount === 0n) return true
    const taken = await takeFunds(tx, {
      entryId: newId(now),
      walletId,
      kind: 'storage',
      amount,
      workspaceId,
      // No header can hold an arrow, so no top-up can have used this key before.
      idempotencyKey: `storage ${workspaceId} ${charged} → ${charged + amount}`,
      detail: { through: dayOf(now) },
      at: now,
    })
    if (taken) await store.markCharged(tx, workspaceId, charged + amount)
    return taken
  })
}
