// Deletes what has run out and nobody can use any more: cache entries, rate windows, claims, counts of hang-ups, tries to
// sign in, sessions, writers of counts.
import { deleteExpiredSessions } from '../account/credential-store.ts'
import { deleteOldLoginTries } from '../account/login-try-store.ts'
import { deleteExpiredClaims } from '../inference/call-claim-store.ts'
import { deleteOldHangUps } from '../inference/hang-up-store.ts'
import { deleteOldMinutes } from '../inference/limit-store.ts'
import { deleteIdleWriters } from '../samples/capture/capture-count-store.ts'
import type { Reconciler } from './driver.ts'

const hourMs = 3_600_000
const weekMs = 7 * 24 * hourMs
const entriesAtOnce = 1000

export const forgetExpired: Reconciler = {
  name: 'forget-expired',
  everyMs: 60_000,
  async run(app) {
    const { storage, clock, calls } = app
    const hourAgo = new Date(clock.now().getTime() - hourMs)
    // A busy minute writes more entries than one statement should delete.
    while (
      !app.operations.closing &&
      (await calls.promptCache.deleteExpired(entriesAtOnce)) === entriesAtOnce
    );
    await deleteOldMinutes(storage, hourAgo)
    await deleteExpiredClaims(storage)
    await deleteOldHangUps(storage, hourAgo)
    await deleteOldLoginTries(storage.db, hourAgo)
    await deleteExpiredSessions(storage.db, hourAgo)
    await deleteIdleWriters(storage.db, new Date(clock.now().getTime() - weekMs))
  },
}
