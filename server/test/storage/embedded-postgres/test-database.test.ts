// The support that other tests stand on: databases that know nothing of each other, on one server.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from 'pg'
import { copyOf, emptyDatabase } from '#test/support/test-database.ts'

async function connected(url: string): Promise<Client> {
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

test('each test database is empty and its own', async () => {
  const [one, two] = await Promise.all([emptyDatabase(), emptyDatabase()])
  const [first, second] = await Promise.all([connected(one.url), connected(two.url)])
  await first.query('create table only_here (id int)')
  await assert.rejects(second.query('select * from only_here'), /does not exist/)
  await second.end()
  await first.query('insert into only_here values (1)')
  await first.end()

  const name = new URL(one.url).pathname.slice(1)
  const copy = await copyOf(name)
  const third = await connected(copy.url)
  assert.equal((await third.query('select * from only_here')).rowCount, 1)
  await third.end()
})
