// One statement past Hone, to look at a database or to tamper with it.
import { Client } from 'pg'

export async function inDatabase<Row extends object = Record<string, unknown>>(
  url: string,
  sql: string,
): Promise<Row[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row & Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}
