// What an effect is: something that an attempt does beside moving on.
import type { Transaction } from 'kysely'
import type { App } from '../../../app.ts'
import type { Database } from '../../../storage/schema.ts'
import type { Changes } from '../attempt-store.ts'
import type { AttemptRow } from '../attempt.ts'

/** What the row says of it, and what is written in the same transaction. */
export type Done = {
  changes?: Changes
  together?: (tx: Transaction<Database>) => Promise<void>
}

/** `signal` is aborted when Hone stops. */
export type Effect = (app: App, attempt: AttemptRow, signal: AbortSignal) => Promise<Done | void>
