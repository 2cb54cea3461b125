// Waits until the server answers on a real connection, and sees to it that Hone's database exists.

import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { StartupProblem } from '../../lib/startup-problem.ts'
import { isFullDisk } from './folder-problem.ts'
import type { Address } from './server-address.ts'
import { databaseUrl } from './server-address.ts'
import type { ServerProcess } from './spawn-server.ts'

export const databaseName = 'hone'

const pollMs = 20
const silenceMsMax = 60_000
const recoveryNoticeMs = 1_500

// SQLSTATE cannot_connect_now: the server is there, and recovering.
const startingUp = '57P03'
// SQLSTATE class of a login that is turned away, which asking again does not change.
const refused = '28'

/** Returns false if the server ended instead. */
export async function waitUntilReady(
  address: Address,
  server: ServerProcess,
  log: (sentence: string) => void,
): Promise<boolean> {
  const begin = performance.now()
  let lastAnswer = begin
  let told = false
  while (!server.isGone()) {
    const client = new Client({
      connectionString: databaseUrl(address, 'postgres'),
      connectionTimeoutMillis: 5_000,
    })
    // A server that ends in the middle of our words is noticed by the loop.
    client.on('error', () => undefined)
    try {
      await client.connect()
      await ensureDatabase(client)
      return true
    } catch (error) {
      const code = (error as { code?: string }).code ?? ''
      const now = performance.now()
      if (code === startingUp) {
        // Recovery takes as long as it takes, and giving up in the middle of it would only make it
        // longer.
        lastAnswer = now
        if (!told && now - begin > recoveryNoticeMs) {
          log('The database was not shut down cleanly and is recovering.')
          told = true
        }
      } else if (code.startsWith(refused) || isFullDisk(error)) {
        throw unreachable((error as Error).message)
      }
      if (now - lastAnswer > silenceMsMax) throw unreachable((error as Error).message)
    } finally {
      await client.end().catch(() => undefined)
    }
    await delay(pollMs)
  }
  return false
}

async function ensureDatabase(client: Client): Promise<void> {
  const found = await client.query('select 1 from pg_database where datname = $1', [databaseName])
  if (found.rowCount === 0) await client.query(`create database ${databaseName}`)
}

function unreachable(reason: string): StartupProblem {
  return new StartupProblem(
    `The database started but does not accept connections (${reason}): read postgres.log in the data folder, or set DATABASE_URL to a PostgreSQL server of your own.`,
  )
}
