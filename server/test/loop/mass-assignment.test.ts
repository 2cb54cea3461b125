// S11: fields that a client must not set are refused by name on every route of the loop that takes a body, and change
// nothing. The list of routes makes the tests, so a new route is covered the moment it is written.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import type { Route } from '#contract/route.ts'
import { type RouteName, routes } from '#contract/routes.ts'
import { newId } from '#server/lib/id.ts'
import { endedAs, keepAttempt } from '#test/support/attempt-rows.ts'
import { trainedWeights } from '#test/support/deployments.ts'
import { otherOrg } from '#test/support/accounts.ts'
import { type LoopHone, loopHone, trainableModel } from '#test/support/loop-hone.ts'
import { absentId, goodBodies } from '#test/support/platform-bodies.ts'
import type { Answer } from '#test/support/test-hone.ts'

const records = (routes as readonly Route[]).filter(
  ({ method, path }) => path.startsWith('/api/loop/') && ['POST', 'PUT', 'PATCH'].includes(method),
)

let hone: LoopHone
/** What each path parameter names: something that is there, so that a field that is taken would change it. */
const parameters: Record<string, string> = { deployment_id: 'serverless' }
let strangerWorkspace: string

before(async () => {
  hone = await loopHone({ tasks: [] })
  strangerWorkspace = (await otherOrg(hone)).workspaceId
  parameters.pipeline_id = (await hone.pipeline('Support')).rule_id
  parameters.sample_id = idOf(
    await send('POST', '/api/loop/traces', {
      deployment_id: 'serverless',
      prompt: 'Is it open?',
      completion: 'Until six.',
    }),
    'trace',
  )
  const { rule_id: reviewed } = await hone.pipeline('Reviewed')
  const waiting = { ...endedAs('waiting_for_review'), decide_by: new Date('2200-01-01') }
  const weights = await trainedWeights(hone)
  parameters.attempt_id = (await keepAttempt(hone, reviewed, { ...waiting, ...weights })).id
  const dataset = await send('POST', '/api/loop/datasets', { name: 'Some' })
  parameters.dataset_id = idOf(dataset, 'dataset')
})
after(() => hone.stop())

function idOf(answer: Answer, what: string): string {
  assert.equal(answer.status, 201, answer.text)
  return (answer.json as unknown as Record<string, { id: string }>)[what]?.id ?? ''
}

function send(method: string, path: string, body: unknown): Promise<Answer> {
  const headers = { 'idempotency-key': newId(new Date()) }
  return hone.call(method, path, { key: hone.owner.key, headers, body })
}

function urlOf({ path }: Route): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = parameters[name]
    assert.ok(value, `make one in this test and say here what a {${name}} is`)
    return encodeURIComponent(value)
  })
}

/** A body that would be served. */
function goodBody({ name, body }: Route): Record<string, unknown> {
  const good = goodBodies[name as RouteName]
  assert.ok(good, `say in platform-bodies.ts what a good body of ${name} is`)
  const namesModel = shapeOf(shapeOf(body as Schema)?.model) !== null
  return { ...good(), ...(namesModel ? { model: { id: trainableModel } } : {}) }
}

const forbidden: [field: string, value: unknown][] = [
  ['workspace_id', absentId],
  ['org_id', absentId],
  ['id', absentId],
  ['rule_id', absentId],
  ['sample_id', absentId],
  ['balance', '1000000'],
  ['live_version', 7],
  ['version_no', 7],
  ['revision', 7],
  ['result', 'improved'],
  ['tag', 'somebody-else'],
  ['origin', 'imported'],
  ['verdict_by', 'person'],
  ['given_by', 'judge'],
  ['gold', true],
  ['score', 1],
  ['user_id', absentId],
  ['object_key', '../../../etc/passwd'],
  ['expires_at', '2099-01-01T00:00:00Z'],
  ['created_at', '2001-01-01T00:00:00Z'],
  ['deleted_at', null],
  ['billed', false],
  ['constructor', {}],
  ['toString', 'x'],
]

/** A fingerprint of each table, but for those that tasks derive from others. */
async function contents(): Promise<Record<string, string>> {
  const { db } = hone.app.storage
  const own = /^(search|sample_storage|storage_day|storage_bill)/
  const { rows: tables } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public' order by 1
  `.execute(db)
  const prints: Record<string, string> = {}
  for (const { name } of tables.filter((table) => !own.test(table.name))) {
    const { rows } = await sql<{ print: string }>`
      select md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as print
      from ${sql.table(name)} t
    `.execute(db)
    prints[name] = rows[0]?.print ?? ''
  }
  return prints
}

/** A schema as far as this test looks into it. */
type Schema = { shape?: Record<string, Schema>; def?: { innerType?: Schema } }

/** The fields of an object, behind whatever makes it optional. */
function shapeOf(schema: Schema | undefined): Record<string, Schema> | null {
  if (!schema) return null
  return schema.shape ?? shapeOf(schema.def?.innerType)
}

type Place = {
  where: string
  takes: readonly string[]
  body: (field: string, value: unknown) => unknown
}

/** What names a model must have its id, or that is what is missing first. */
function leastOf(takes: readonly string[]): object {
  return takes.includes('id') ? { id: trainableModel } : {}
}

/** The body itself, and every object in it that is not the client's own data. */
function placesIn(record: Route): Place[] {
  const good = goodBody(record)
  const shape = shapeOf(record.body as Schema)
  assert.ok(shape, `the body of ${record.name} is no object`)
  const inside = Object.entries(shape).flatMap(([name, schema]) => {
    const fields = shapeOf(schema)
    return fields ? [{ name, takes: Object.keys(fields) }] : []
  })
  return [
    { where: '', takes: Object.keys(shape), body: (field, value) => ({ ...good, [field]: value }) },
    ...inside.map(({ name, takes }) => ({
      where: `${name}.`,
      takes,
      body: (field: string, value: unknown) => ({
        ...good,
        [name]: { ...(good[name] ?? leastOf(takes)), [field]: value },
      }),
    })),
  ]
}

describe('S11: mass assignment', () => {
  test('there are routes to try it on', () => {
    assert.ok(records.length >= 8)
  })

  for (const record of records) {
    if (!record.body) continue
    test(`${record.method} ${record.path} refuses each field by its name, and nothing changes`, async () => {
      const unchanged = await contents()
      for (const { where, takes, body } of placesIn(record)) {
        for (const [field, value] of forbidden) {
          if (takes.includes(field)) continue
          const answer = await send(record.method, urlOf(record), body(field, value))
          assert.equal(answer.status, 400, `${where}${field}: ${answer.text}`)
          assert.equal(answer.json.error?.code, 'BAD_REQUEST')
          const message = answer.json.error?.message ?? ''
          assert.equal(message, `Unknown field in the body: ${where}${field}.`)
        }
      }
      assert.deepEqual(await contents(), unchanged)
      const served = await send(record.method, urlOf(record), goodBody(record))
      assert.ok(served.status < 300, `without such a field it is served: ${served.text}`)
    })
  }

  test('several are all named', async () => {
    const body = { name: 'Several', workspace_id: strangerWorkspace, revision: 9 }
    const answer = await send('POST', '/api/loop/datasets', body)
    assert.equal(answer.status, 400, answer.text)
    assert.match(answer.json.error?.message ?? '', /workspace_id, revision/)
  })

  test('the feedback of a posted sample is no way around it', async () => {
    const unchanged = await contents()
    const { feedback: _, ...good } = goodBodies.postTrace?.() ?? {}
    for (const [field, value] of forbidden) {
      const feedback = { verdict: 'good', [field]: value }
      const answer = await send('POST', '/api/loop/traces', { ...good, feedback })
      assert.equal(answer.status, 400, answer.text)
      assert.equal(answer.json.error?.message, `Unknown field in the body: feedback.${field}.`)
    }
    assert.deepEqual(await contents(), unchanged)
  })

  test('nor is the query of an import of lines', async () => {
    const unchanged = await contents()
    for (const path of [
      '/api/loop/import',
      `/api/loop/pipelines/${parameters.pipeline_id}/import`,
    ]) {
      for (const [field, value] of forbidden) {
        const query = `source=f&${field}=${encodeURIComponent(String(value))}`
        const answer = await hone.call('POST', `${path}?${query}`, {
          key: hone.owner.key,
          headers: { 'content-type': 'application/x-ndjson' },
          raw: '{"prompt":"a","completion":"b"}\n',
        })
        assert.equal(answer.status, 400, answer.text)
        assert.equal(answer.json.error?.message, `Unknown field in the query: ${field}.`)
      }
    }
    assert.deepEqual(await contents(), unchanged)
  })

  test('what stands beside a conversation in a row of an import becomes nothing', async () => {
    const row = { prompt: 'A row', completion: 'Its answer', ...Object.fromEntries(forbidden) }
    const answer = await send('POST', '/api/loop/import', {
      source: 'a file',
      rows: [{ ...row, workspace_id: strangerWorkspace }],
    })
    const { trace_ids } = answer.json as unknown as { trace_ids: string[] }
    assert.equal(trace_ids.length, 1, answer.text)
    const [id = ''] = trace_ids
    assert.notEqual(id, absentId)
    const read = await hone.call('GET', `/api/loop/traces/${id}`, { key: hone.owner.key })
    const { trace } = read.json as unknown as { trace: Record<string, unknown> }
    assert.deepEqual(
      [trace.verdict_by, trace.score, trace.where, trace.tags, trace.signals],
      [null, null, 'platform', [], []],
    )
    assert.ok(Date.parse(String(trace.created_at)) > Date.parse('2025-01-01T00:00:00Z'))
    assert.ok(Date.parse(String(trace.expires_at)) < Date.parse('2098-01-01T00:00:00Z'))
  })
})
