// Databases that somebody else set up: with other defaults, where Hone works all the same, and such that it could not work
// on, which a start tells in one sentence.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Client } from 'pg'
import { readConfig } from '#server/config.ts'
import { StartupProblem } from '#server/lib/startup-problem.ts'
import { migrate } from '#server/storage/migrate.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { scriptedCatalog, scriptedUpstream } from '#test/support/scripted-upstream.ts'
import { emptyDatabase } from '#test/support/test-database.ts'
import { testHone } from '#test/support/test-hone.ts'
import { transactionPooler } from '#test/support/transaction-pooler.ts'
import { until } from '#test/support/until.ts'

const asked = { max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] }

/** `first` is done before the database is dropped: it may need it. */
async function databaseFor(
  t: TestContext,
): Promise<{ url: string; name: string; first: (tidy: () => Promise<unknown>) => void }> {
  const database = await emptyDatabase()
  let first = (): Promise<unknown> => Promise.resolve()
  t.after(async () => {
    await first()
  })
  const { url } = database
  return { url, name: new URL(url).pathname.slice(1), first: (tidy) => (first = tidy) }
}

async function problemOf(url: string): Promise<string> {
  try {
    await migrate(url)
  } catch (error) {
    assert.ok(error instanceof StartupProblem, String(error))
    return error.message
  }
  return 'none'
}

test('other defaults of the database change nothing that Hone reads or does', async (t) => {
  const { url, name, first } = await databaseFor(t)
  for (const setting of [
    `datestyle = 'SQL, DMY'`,
    `timezone = 'Asia/Tokyo'`,
    `default_transaction_isolation = 'serializable'`,
    'standard_conforming_strings = off',
  ]) {
    await inDatabase(url, `alter database ${name} set ${setting}`)
  }
  const hone = await testHone({ databaseUrl: url })
  first(() => hone.stop())
  const { key } = hone.owner
  const topUps = await Promise.all(
    Array.from({ length: 12 }, (_, i) =>
      hone.call('POST', '/api/wallet/top-ups', {
        key,
        body: { amount_usd: '1' },
        headers: { 'idempotency-key': `at once ${i}` },
      }),
    ),
  )
  assert.deepEqual([...new Set(topUps.map(({ status }) => status))], [201])
  const wallet = await hone.call('GET', '/api/wallet', { key })
  assert.deepEqual(wallet.json, { balance_usd: '112', held_usd: '0' })
  const ledger = await hone.call('GET', '/api/wallet/transactions', { key })
  const { transactions } = ledger.json as unknown as { transactions: { created_at: string }[] }
  assert.equal(transactions.length, 13)
  for (const { created_at } of transactions) assert.match(created_at, /^\d{4}-\d\d-\d\dT.*Z$/)
})

test('a limit on waits for locks refuses what can be tried again, and loses no charge', async (t) => {
  const { url, name, first } = await databaseFor(t)
  const upstream = await scriptedUpstream()
  await migrate(url)
  await inDatabase(url, `alter database ${name} set lock_timeout = 50`)
  const other = new Client({ connectionString: url })
  await other.connect()
  const hone = await testHone({ databaseUrl: url, catalog: scriptedCatalog(upstream.baseUrl) })
  first(async () => {
    await other.end()
    await hone.stop()
    await upstream.close()
  })
  const { key } = hone.owner
  const ask = () =>
    hone.call('POST', '/v1/chat/completions', { bearer: key, body: { model: 'plain', ...asked } })
  assert.equal((await ask()).status, 200)
  await other.query('begin; lock table ledger_entry in share row exclusive mode')
  const topUp = await hone.call('POST', '/api/wallet/top-ups', {
    key,
    body: { amount_usd: '1' },
    headers: { 'idempotency-key': 'in the way' },
  })
  assert.equal(topUp.status, 503, topUp.text)
  assert.match(topUp.text, /UNAVAILABLE.*This change conflicted with another one/)
  // Its charge is in the journal until the ledger takes it.
  const { pool } = hone.app.storage
  const query = pool.query.bind(pool)
  let refusals = 0
  pool.query = (statement, ...rest) =>
    query<never>(statement, ...rest).catch((error: unknown) => {
      if (statement === 'post_charges') refusals += 1
      throw error
    })
  assert.equal((await ask()).status, 200)
  await until(() => refusals >= 2)
  await other.query('commit')
  const charges = (): Promise<unknown[]> =>
    inDatabase(url, `select 1 from ledger_entry where request_id is not null`)
  await until(async () => (await charges()).length === 2)
  const { json } = await hone.call('GET', '/api/wallet', { key })
  assert.equal((json as { held_usd?: string }).held_usd, '0')
})

test('a role that may not come in for a while is a database that cannot be reached, and loses no charge', async (t) => {
  const { url, name, first } = await databaseFor(t)
  const upstream = await scriptedUpstream()
  const role = `${name}_role`
  await migrate(url)
  await inDatabase(
    url,
    `create role ${role} login; grant all on all tables in schema public to ${role}`,
  )
  const roleUrl = new URL(url)
  roleUrl.username = role
  const hone = await testHone({
    databaseUrl: roleUrl.href,
    storage: {},
    catalog: scriptedCatalog(upstream.baseUrl),
  })
  first(async () => {
    await hone.stop()
    await upstream.close()
    await inDatabase(url, `drop owned by ${role}; drop role ${role}`)
  })
  const { key } = hone.owner
  const asking = hone.call('POST', '/v1/chat/completions', {
    bearer: key,
    body: { model: 'gated', ...asked },
  })
  await until(() => upstream.calls.length === 1)
  await inDatabase(url, `alter role ${role} nologin`)
  await inDatabase(
    url,
    `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`,
  )
  const connections = `select from pg_stat_activity where usename = '${role}'`
  await until(async () => (await inDatabase(url, connections)).length === 0)
  upstream.open()
  // Its charge is in the journal until the ledger takes it.
  assert.equal((await asking).status, 200)
  const wallet = () => hone.call('GET', '/api/wallet', { key })
  const refused = await wallet()
  assert.equal(refused.status, 503, refused.text)
  assert.match(refused.text, /UNAVAILABLE.*cannot be reached/)
  await inDatabase(url, `alter role ${role} login`)
  await until(async () => (await wallet()).status === 200)
  const charges = `select 1 from ledger_entry where request_id is not null`
  await until(async () => (await inDatabase(url, charges)).length === 1)
})

test('a limit on the time of statements does not cut a migration off', async (t) => {
  const { url, first } = await databaseFor(t)
  await migrate(url)
  const other = new Client({ connectionString: url })
  await other.connect()
  first(() => other.end())
  await other.query('begin; lock table kysely_migration in access exclusive mode')
  const limited = new URL(url)
  limited.searchParams.set('options', '-c statement_timeout=1000')
  let problem: string | null = null
  const told = problemOf(limited.href).then((said) => (problem = said))
  await until(async () => {
    const waiting = await inDatabase(
      url,
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
         and query_start < clock_timestamp() - interval '1100 ms'`,
    )
    return waiting.length > 0 || problem !== null
  })
  await other.query('commit')
  assert.equal(await told, 'none')
})

test('a database with the tables of an unreleased version is refused, and stays as it is', async (t) => {
  const { url } = await databaseFor(t)
  await migrate(url)
  for (const names of [['001-accounts', '002-wallet'], ['001-schema-00000000']]) {
    await inDatabase(
      url,
      `truncate kysely_migration;
       insert into kysely_migration values ('${names.join("', now()), ('")}', now())`,
    )
    assert.equal(
      await problemOf(url),
      'The database was made by a version of Hone from before the release of 0.1.0, whose tables this version cannot read; start with an empty one (set HONE_DATA_DIR to another folder, or DATABASE_URL to another database if you use that), or go on with the version that made it.',
    )
    const migrations = await inDatabase<{ name: string }>(
      url,
      'select name from kysely_migration order by name',
    )
    assert.deepEqual(
      migrations.map(({ name }) => name),
      names,
    )
  }
})

test('a database that cannot keep every text is refused, and nothing is made in it', async (t) => {
  const { url, name, first } = await databaseFor(t)
  const other = `${name}_latin`
  await inDatabase(
    url,
    `create database ${other} template template0 encoding 'LATIN1' locale_provider libc locale 'C'`,
  )
  first(() => inDatabase(url, `drop database ${other} with (force)`))
  const otherUrl = new URL(url)
  otherUrl.pathname = `/${other}`
  assert.equal(
    await problemOf(otherUrl.href),
    'The database has the encoding LATIN1, which cannot store every character; point DATABASE_URL at one with the encoding UTF8.',
  )
  const tables = `select relname from pg_class where relnamespace = 'public'::regnamespace`
  assert.deepEqual(await inDatabase(otherUrl.href, tables), [])
})

test('a role with too few rights is told which, and works once it has them', async (t) => {
  const { url, name, first } = await databaseFor(t)
  const role = `${name}_role`
  await inDatabase(url, `create role ${role} login password 'of the role'`)
  first(() => inDatabase(url, `drop owned by ${role}; drop role ${role}`))
  const roleUrl = new URL(url)
  roleUrl.username = role
  roleUrl.password = 'of the role'
  assert.equal(
    await problemOf(roleUrl.href),
    'The database could not be migrated and was left as it was (permission denied for schema public); let the role of DATABASE_URL create tables there, and make it the owner of the existing ones.',
  )
  await migrate(url)
  await inDatabase(url, `grant select on all tables in schema public to ${role}`)
  assert.equal(
    await problemOf(roleUrl.href),
    'The role of DATABASE_URL may not write into wallet, ledger_entry, usage_record, api_key; grant it select, insert, update and delete on all tables of Hone.',
  )
  await inDatabase(url, `grant insert on all tables in schema public to ${role}`)
  assert.equal(
    await problemOf(roleUrl.href),
    'The role of DATABASE_URL may not write into wallet, usage_record, api_key; grant it select, insert, update and delete on all tables of Hone.',
  )
  await inDatabase(
    url,
    `grant select, insert, update, delete on all tables in schema public to ${role}`,
  )
  assert.equal(await problemOf(roleUrl.href), 'none')
})

test('a pooler that lends connections for a transaction is refused, and nothing is made behind it', async (t) => {
  const { url, first } = await databaseFor(t)
  const pooler = await transactionPooler(url)
  first(() => pooler.close())
  assert.equal(
    await problemOf(pooler.url),
    'DATABASE_URL leads to a connection pooler in transaction mode, over which Hone cannot receive notifications; point it at the server itself, or at a pooler in session mode.',
  )
  const tables = `select relname from pg_class where relnamespace = 'public'::regnamespace`
  assert.deepEqual(await inDatabase(url, tables), [])
})

test('a role that may have one connection only is told so', async (t) => {
  const { url, name, first } = await databaseFor(t)
  const role = `${name}_single`
  await inDatabase(
    url,
    `create role ${role} login password 'of the role' connection limit 1; grant create on schema public to ${role}`,
  )
  first(() => inDatabase(url, `drop owned by ${role}; drop role ${role}`))
  const roleUrl = new URL(url)
  roleUrl.username = role
  roleUrl.password = 'of the role'
  assert.match(
    await problemOf(roleUrl.href),
    /^Cannot reach the database \(too many connections for role .*\); check DATABASE_URL/,
  )
})

test('a certificate that is asked for is checked, without a warning of the driver on every start', () => {
  const read = (query: string): string | undefined =>
    readConfig({ DATABASE_URL: `postgres://db.example.com/hone?${query}` }).databaseUrl?.split(
      '?',
    )[1]
  assert.equal(read('sslmode=require&application_name=x'), 'sslmode=verify-full&application_name=x')
  assert.equal(read('a=b&sslmode=prefer'), 'a=b&sslmode=verify-full')
  assert.equal(read('sslmode=verify-ca'), 'sslmode=verify-full')
  for (const kept of [
    'sslmode=disable',
    'sslmode=no-verify',
    'sslmode=require&uselibpqcompat=true',
  ]) {
    assert.equal(read(kept), kept)
  }
})
