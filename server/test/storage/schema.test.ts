// `schema.sql` is the whole truth about the tables: a fresh database has them exactly so, and a reader finds a comment at each.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { Client } from 'pg'
import { schemaName } from '#server/storage/read-migrations.ts'
import { describeSchema } from '#test/support/describe-schema.ts'
import { emptyDatabase, type TestDatabase, testDatabase } from '#test/support/test-database.ts'

const file = new URL('../../src/storage/schema.sql', import.meta.url)
const schema = readFileSync(file, 'utf8')

async function connectionTo(t: TestContext, database: TestDatabase): Promise<Client> {
  const client = new Client({ connectionString: database.url })
  await client.connect()
  t.after(() => client.end())
  return client
}

test('a database that Hone migrated has what schema.sql makes, and nothing else', async (t) => {
  const plain = await connectionTo(t, await emptyDatabase())
  await plain.query(schema)
  const migrated = await connectionTo(t, await testDatabase())
  const expected = await describeSchema(plain)
  assert.ok(expected.length > 300)
  assert.deepEqual(await describeSchema(migrated), expected)
})

/** One change of each kind of thing, with how the lines begin that tell of it. */
const changes: [statement: string, line: string][] = [
  ['create unlogged table extra (id int)', 'relation extra '],
  ['alter table wallet set (fillfactor = 60)', 'relation wallet '],
  ['alter table sample_text set (toast.autovacuum_enabled = off)', 'relation sample_text '],
  ['alter table org alter column name drop not null', 'column org.name '],
  ['alter table person alter column email set storage main', 'column person.email '],
  ['alter table person alter column name set statistics 7', 'column person.name '],
  ['alter table wallet alter column leased set default 0', 'column wallet.leased '],
  ['alter table usage_day alter column calls type integer', 'column usage_day.calls '],
  ['alter table wallet drop constraint wallet_balance_check', 'constraint wallet.wallet_balance_'],
  ['drop index person_email', 'index person_email '],
  ['alter table org disable trigger accounts_changed', 'trigger org.accounts_changed '],
  ['alter function searched_text volatile', 'function searched_text('],
  ['alter sequence ledger_entry_seq_seq cache 5', 'sequence ledger_entry_seq_seq '],
  [`create type mood as enum ('good')`, 'type mood '],
  ['create statistics extra_statistics on id, name from org', 'statistics extra_statistics '],
  [`insert into org values (gen_random_uuid(), 'first', now())`, 'rows org '],
]

test('the comparison notices a change of each kind', async (t) => {
  const client = await connectionTo(t, await testDatabase())
  const before = new Set(await describeSchema(client))
  for (const [statement] of changes) await client.query(statement)
  const after = await describeSchema(client)
  const differing = [...before].filter((line) => !after.includes(line))
  differing.push(...after.filter((line) => !before.has(line)))
  for (const [statement, start] of changes) {
    assert.ok(
      differing.some((line) => line.startsWith(start)),
      statement,
    )
  }
})

test('each table has a comment', () => {
  const tables = [...schema.matchAll(/^(.*)\ncreate (?:\w+ )?table (\w+)/gm)]
  assert.ok(tables.length > 30)
  for (const [, above, table] of tables) assert.match(above ?? '', /^-- \S/, table)
})

test('a database is told from one with other tables, whatever the comments say', () => {
  const name = schemaName('-- A thing.\ncreate table thing (\n  -- Its id.\n  id uuid\n);\n')
  assert.match(name, /^001-schema-[0-9a-f]{8}$/)
  assert.equal(schemaName('create table thing (\n  id uuid\n);\n'), name)
  assert.notEqual(schemaName('create table thing (\n  id int\n);\n'), name)
})
