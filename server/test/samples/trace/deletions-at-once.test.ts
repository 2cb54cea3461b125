// Posts, feedback and reads of samples that others delete at the same moment: each is answered as if it came before or after
// the deletion, and nothing stays behind that belongs to no sample.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import type { Trace } from '#contract/sample.ts'
import { newId } from '#server/lib/id.ts'
import { insertAliases } from '#server/samples/sample/sample-store.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { type LoopHone, loopHone } from '#test/support/loop-hone.ts'
import { newSample } from '#test/support/new-samples.ts'
import type { Answer } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'

let hone: LoopHone
before(async () => {
  hone = await loopHone()
})
after(() => hone.stop())

const key = (): string => hone.owner.key

function post(body: object): Promise<Answer> {
  const qa = { deployment_id: 'serverless', prompt: 'Q', completion: 'A' }
  return hone.call('POST', '/api/loop/traces', { key: key(), body: { ...qa, ...body } })
}

async function posted(body: object): Promise<Trace> {
  const answer = await post(body)
  assert.equal(answer.status, 201, answer.text)
  return (answer.json as unknown as { trace: Trace }).trace
}

/** Rows that name a sample which is not there. */
async function leftBehind(): Promise<string[]> {
  const tables = ['sample_text', 'sample_alias', 'signal']
  const rows = await inDatabase<{ place: string }>(
    hone.databaseUrl,
    tables
      .map(
        (table) => `select '${table}' as place from ${table} t
          where not exists (select 1 from sample s where s.id = t.sample_id)`,
      )
      .join(' union all '),
  )
  return rows.map(({ place }) => place)
}

test('posts, feedback, reads and deletions at once', async () => {
  for (let round = 0; round < 15; round++) {
    const request_id = `round-${round}`
    const { id } = await posted({ request_id, feedback: 'good' })
    const path = `/api/loop/traces/${id}`
    const signal = { verdict: 'edited', correction: 'B', labels: ['late'] }
    const answers = await Promise.all([
      post({ request_id, feedback: 'bad', labels: ['again'] }),
      post({ request_id, labels: ['more'] }),
      hone.call('DELETE', path, { key: key() }),
      hone.call('POST', `${path}/signals`, { key: key(), body: signal }),
      hone.call('GET', path, { key: key() }),
      post({ request_id, feedback: { verdict: 'edited', correction: 'C' } }),
      hone.call('DELETE', path, { key: key() }),
      hone.call('POST', `${path}/signals`, { key: key(), body: { verdict: 'good' } }),
    ])
    const expected = [
      [201],
      [201],
      [204, 404],
      [201, 404],
      [200, 404],
      [201],
      [204, 404],
      [201, 404],
    ]
    for (const [at, answer] of answers.entries()) {
      assert.ok(expected[at]?.includes(answer.status), `${at}: ${answer.status} ${answer.text}`)
    }
  }
  assert.deepEqual(await leftBehind(), [])
})

test('an id that is to lead to a sample waits for who deletes that, and then leads nowhere', async () => {
  const trace = await posted({ request_id: 'gone' })
  const [row] = await inDatabase<{ workspace_id: string }>(
    hone.databaseUrl,
    `select workspace_id from sample where id = '${trace.id}'`,
  )
  const now = new Date()
  const repeated = newSample(row?.workspace_id ?? '', now, { id: newId(now), requestId: 'gone' })
  const deleting = new pg.Client({ connectionString: hone.databaseUrl })
  await deleting.connect()
  try {
    await deleting.query('begin')
    await deleting.query(`delete from sample_text where sample_id = '${trace.id}'`)
    await deleting.query(`delete from sample where id = '${trace.id}'`)
    let isSettled = false
    const pointing = insertAliases(hone.app.storage, [repeated]).finally(() => (isSettled = true))
    await until(async () => isSettled || (await isWaiting()))
    await deleting.query('commit')
    assert.deepEqual(await pointing, new Set())
  } finally {
    await deleting.end()
  }
  assert.deepEqual(await leftBehind(), [])
})

async function isWaiting(): Promise<boolean> {
  const rows = await inDatabase(
    hone.databaseUrl,
    `select 1 from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and query like '%sample_alias%'`,
  )
  return rows.length > 0
}
