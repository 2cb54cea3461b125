// What Hone's statements rely on, said to each new connection: a database that is also there for others may have been given
// other defaults, for itself or for a role, and dates in another style cannot be read.
import type pg from 'pg'

const settings = [
  'set datestyle to iso',
  `set timezone to 'UTC'`,
  'set standard_conforming_strings to on',
  `set default_transaction_isolation to 'read committed'`,
]

const answerMs = 4000

/** For the `verify` of a pool, which does this before anybody gets the connection. */
export function settleSession(
  ...more: string[]
): (client: pg.ClientBase, done: (error?: Error) => void) => void {
  // The driver knows such a limit for one statement, and its types do not.
  const statement = { text: [...settings, ...more].join('; '), query_timeout: answerMs }
  return (client, done) => {
    client.query(statement as pg.QueryConfig).then(() => done(), done)
  }
}
