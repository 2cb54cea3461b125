// What an orderly stop leaves behind: all that calls have yet to tell the database is there before the connections go.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { inDatabase } from '#test/support/in-database.ts'
import { scriptedCatalog, scriptedUpstream } from '#test/support/scripted-upstream.ts'
import { testDatabase } from '#test/support/test-database.ts'
import { testHone } from '#test/support/test-hone.ts'

type Catalog = { models: object[] }

/** Each is written behind the answers, into a table that another may lock for a while. */
const kept = [
  ['samples', 'sample'],
  ['counts of what was recorded', 'capture_count'],
  ['calls that failed', 'usage_record'],
  ['entries of the prompt cache', 'prompt_cache_entry'],
  ['charges', 'ledger_entry'],
] as const

for (const [what, table] of kept) {
  test(`a stop right after calls waits until they are written: ${what}`, async (t) => {
    const [database, upstream] = [await testDatabase(), await scriptedUpstream()]
    const { models } = scriptedCatalog(upstream.baseUrl) as Catalog
    const caching = { prompt_caching: { type: 'explicit', min_tokens: 1 } }
    const catalog = { models: models.map((model) => ({ ...model, ...caching })) }
    const hone = await testHone({ databaseUrl: database.url, catalog, tasks: [] })
    const other = new Client({ connectionString: database.url })
    await other.connect()
    t.after(async () => {
      await other.end()
      await hone.stop()
      await upstream.close()
    })
    const put = { key: hone.owner.key, body: { enabled: true, tags: ['kept'] } }
    assert.equal((await hone.call('PUT', '/api/loop/configs/serverless', put)).status, 200)

    await other.query(`begin; lock table ${table} in exclusive mode`)
    const content = [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }]
    const ask = async (model: string): Promise<number> => {
      const body = { model, max_tokens: 9, messages: [{ role: 'user', content }] }
      return (await hone.call('POST', '/v1/messages', { bearer: hone.owner.key, body })).status
    }
    const statuses = [await ask('plain'), await ask('plain'), await ask('refuses')]
    assert.deepEqual(statuses, [200, 200, 503])
    let stopped = false
    const stopping = hone.stop().then(() => (stopped = true))
    await delay(500)
    assert.equal(stopped, false)
    await other.query('commit')
    await stopping
    const rows = await inDatabase(
      database.url,
      `select (select count(*)::integer from sample) as samples,
        (select sum(calls)::integer from capture_count where outcome = 'recorded') as recorded,
        (select count(*)::integer from usage_record) as failed,
        (select count(*)::integer from prompt_cache_entry) as entries,
        (select count(*)::integer from ledger_entry where kind = 'charge') as charges,
        (select coalesce(sum(amount), 0)::integer from wallet_lease) as leased,
        (select count(*)::integer from call_claim) as claims`,
    )
    const all = { samples: 2, recorded: 2, failed: 1, entries: 1, charges: 2, leased: 0, claims: 0 }
    assert.deepEqual(rows, [all])
  })
}
