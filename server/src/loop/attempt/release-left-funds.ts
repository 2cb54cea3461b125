// Releases what is still reserved for attempts that have ended: a reservation that was made late, or one that could not be charged.
import type { App } from '../../app.ts'
import { releaseReservation } from '../../wallet/reserve.ts'
import { tables } from './attempt-tables.ts'
import { allFundsOf } from './reservations.ts'

/** No statement of a process that lost the attempt is under way for so long. */
const landedMs = 10 * 60_000

export async function releaseLeftFunds(app: App): Promise<void> {
  const endedBefore = new Date(app.clock.now().getTime() - landedMs)
  const reservations = await tables(app.storage.db)
    .selectFrom('reservation')
    .innerJoin('attempt', 'attempt.id', 'reservation.reference')
    .select(['attempt.id', 'reservation.purpose'])
    .where('reservation.ended_at', 'is', null)
    .where('attempt.result', '<>', 'running')
    .where('attempt.ended_at', '<', endedBefore)
    .execute()
  for (const { id, purpose } of reservations) {
    const funds = allFundsOf({ id }).find((of) => of.purpose === purpose)
    // What is reserved after its end for another purpose is not the attempt's own.
    if (!funds) continue
    await releaseReservation(app, funds)
    app.log.warn({ attempt_id: id, purpose }, 'an ended attempt still had funds reserved')
  }
}
