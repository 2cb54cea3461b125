// What runs in a process of its own to stand for Hone: it starts the database, does what the lines
// on its standard input say, and tells in lines of JSON what happened. hone-process.ts is the other
// end.

import { createInterface } from 'node:readline'
import { Client } from 'pg'
import { startEmbeddedPostgres } from '#server/storage/embedded-postgres/start-embedded-postgres.ts'
import type { EmbeddedPostgresOptions } from '#server/storage/embedded-postgres/start-embedded-postgres.ts'
import type { Order, Report } from './hone-process.ts'

const options = JSON.parse(process.argv[2] ?? '{}') as Omit<EmbeddedPostgresOptions, 'log'>

function tell(report: Report): void {
  process.stdout.write(`${JSON.stringify(report)}\n`)
}

process.on('SIGINT', () => tell({ event: 'interrupted' }))

try {
  const database = await startEmbeddedPostgres({
    ...options,
    log: (sentence) => tell({ event: 'log', sentence }),
  })
  tell({ event: 'started', url: database.url, pid: database.pid })
  void database.exited.then((sentence) => tell({ event: 'exited', sentence }))
  for await (const line of createInterface({ input: process.stdin })) {
    const order = JSON.parse(line) as Order
    if (order.do === 'stop') {
      await database.stop()
      tell({ event: 'stopped' })
    } else {
      tell({ event: 'rows', rows: await query(database.url, order.sql) })
    }
  }
} catch (error) {
  const { name, message } = error as Error
  tell({ event: 'problem', name, message })
  process.exitCode = 1
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql)
    return rows
  } finally {
    await client.end()
  }
}
