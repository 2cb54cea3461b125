// What Hone's statements rely on, said to each new connection: a database that is also there for others may have been given
// other defaults, for itself or for a role, and dates in another style cannot be read.
import type pg from 'pg'

const settings = [
  'set datestyle to iso',
  `set timezone to 'UTC'`,
  'set standard_conforming_strings to on',
  `set default_transaction_isolation to 'read committed'`,
]

/** For the `verify` of a pool, which does this before anybody gets the connection. */
export function settleSession(
  ...more: string[]
): (client: pg.ClientBase, done: (error?: Error) => void) => void {
  const statement = [...settings, ...more].join('; ')
  return (client, done) => {
    client.query(statement).then(() => done(), done)
  }
}
