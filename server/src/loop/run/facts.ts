// Gathers what the next step of an attempt depends on.
import { access } from 'node:fs/promises'
import type { App } from '../../app.ts'
import { readReservation } from '../../wallet/reserve.ts'
import { findCurve } from '../attempt/attempt-store.ts'
import type { AttemptRow } from '../attempt/attempt.ts'
import type { Facts } from '../attempt/next-step.ts'
import { fundsOf, rowsFileOf } from './training-of.ts'

export async function gatherFacts(app: App, attempt: AttemptRow): Promise<Facts> {
  return {
    loopOn: app.config.loopOn,
    training: await app.compute.status(attempt.id),
    reservation: await readReservation(app, fundsOf(attempt)),
    curveKept:
      attempt.state.closing !== undefined && (await findCurve(app.storage.db, attempt.id)) !== null,
    rowsThere: await access(rowsFileOf(app, attempt)).then(
      () => true,
      () => false,
    ),
  }
}
