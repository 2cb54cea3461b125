// The dry run over HTTP: real samples, partly in a bucket, real tokens and a real pace.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { RunPlan } from '#contract/run-plan.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { type LoopHone, loopHone } from '#test/support/loop-hone.ts'
import { s3Error, s3Keys, type S3Server, s3Server } from '#test/support/s3-server.ts'
import type { Answer } from '#test/support/test-hone.ts'

let hone: LoopHone
let s3: S3Server

before(async () => {
  s3 = await s3Server()
  hone = await loopHone({ env: { HONE_STORAGE_HOSTS: s3.host } })
})
after(async () => {
  await hone.stop()
  await s3.close()
})

const dryRun = (id: string, body: object = { dry_run: true }): Promise<Answer> =>
  hone.call('POST', `/api/loop/pipelines/${id}/run`, { key: hone.owner.key, body })
async function plan(id: string): Promise<RunPlan> {
  const answer = await dryRun(id)
  assert.equal(answer.status, 200, answer.text)
  return (answer.json as unknown as { plan: RunPlan }).plan
}
async function feed(id: string, rows: object[]): Promise<void> {
  const path = `/api/loop/pipelines/${id}/import`
  const body = { rows, default_feedback: 'good' }
  const answer = await hone.call('POST', path, { key: hone.owner.key, body })
  assert.equal(answer.status, 200, answer.text)
}
const row = (number: number): { prompt: string; completion: string } => ({
  prompt: `Where does order ${number} go?`,
  completion: `DESK-${number % 7}`,
})
const rows = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => row(from + index))

test('a dry run counts, times and prices what a training would take, and says what stands in its way', async () => {
  const { rule_id: id } = await hone.pipeline('Garden Desk')
  assert.deepEqual(await plan(id), {
    train_rows: 0,
    holdout_rows: 0,
    skipped_rows: [],
    have: 0,
    need: 1100,
    steps: 0,
    seconds: 0,
    cost_usd: '0',
    test_usd: '0',
    most_usd: '2.4',
    blocked_by: 'NOT_ENOUGH_SAMPLES',
  })
  const all = rows(0, 1200)
  all[0]!.completion = 'Write to jane.doe@corp.example please'
  all[1]!.prompt = all[2]!.prompt
  await feed(id, all.slice(0, 600))
  const early = await plan(id)
  assert.deepEqual([early.have, early.blocked_by], [599, 'NOT_ENOUGH_SAMPLES'])
  await feed(id, all.slice(600))
  const { seconds, cost_usd, test_usd, most_usd, ...counts } = await plan(id)
  assert.deepEqual(counts, {
    train_rows: 1099,
    holdout_rows: 100,
    skipped_rows: [{ reason: 'redacted_answer', count: 1 }],
    have: 1199,
    need: 1100,
    steps: 990,
    blocked_by: null,
  })
  assert.ok(Number.isInteger(seconds) && seconds > 0)
  assert.equal(Number(cost_usd).toFixed(9), ((seconds * 0.6) / 3600).toFixed(9))
  assert.ok(Number(test_usd) > 0.1 && Number(test_usd) < 0.5, test_usd)
  assert.ok(Number(most_usd) > 2.4 + Number(test_usd) && Number(most_usd) < 4, most_usd)

  const bad = { rows: [{ ...row(1300), label: false }, row(1301)] }
  await hone.call('POST', `/api/loop/pipelines/${id}/import`, { key: hone.owner.key, body: bad })
  assert.equal((await plan(id)).have, 1199, 'bad and unreviewed samples are not learned from')

  const tables = await hone.app.storage.db.selectFrom('pipeline_sample').selectAll().execute()
  assert.deepEqual(tables, [], 'a dry run leaves no marks')
})

test('rows in a bucket are read, one that is gone is skipped, and a bucket that is away is no reason to skip', async () => {
  const { rule_id: id } = await hone.pipeline('In a bucket')
  await feed(id, rows(0, 10))
  const body = { endpoint: s3.endpoint, region: 'us-east-1', bucket: 'customer-data', ...s3Keys }
  await hone.call('PUT', '/api/integrations/storage', { key: hone.owner.key, body })
  await feed(id, rows(100, 150))
  const keys = await s3.keys()
  assert.ok(keys.length >= 50, `${keys.length} objects`)
  const there = await plan(id)
  assert.deepEqual([there.have, there.skipped_rows], [60, []])

  const objects = keys.filter((key) => key.endsWith('.json'))
  await s3.remove(objects[0]!)
  await s3.write(objects[1]!, '{"other":"text"}')
  const gone = await plan(id)
  assert.deepEqual([gone.have, gone.skipped_rows], [58, [{ reason: 'unreadable', count: 2 }]])

  const refusing = (code: string) => {
    s3.trouble = (_, response) => {
      s3Error(response, 403, code)
      return true
    }
  }
  const lastSkipped = `select last_skipped from pipeline where id = '${id}'`
  const says = async (reason: string, sentence: RegExp) => {
    const { status, json } = await dryRun(id)
    assert.equal(status, 503)
    assert.partialDeepStrictEqual(json.error, { code: 'UNAVAILABLE', reason })
    assert.match(json.error?.message ?? '', sentence)
    assert.deepEqual(await inDatabase(hone.databaseUrl, lastSkipped), [{ last_skipped: 2 }])
  }
  for (const code of ['AccessDenied', 'InvalidAccessKeyId']) {
    refusing(code)
    await says('credentials', /no longer accepts its access key/)
  }
  let reads = 0
  s3.trouble = (_, response) => (++reads > 20 ? !!response.destroy() : false)
  await says('unreachable', /does not answer/)
  s3.trouble = null
  await s3.pause()
  await says('unreachable', /does not answer/)
  await s3.resume()
  assert.equal((await plan(id)).have, 58)

  const { key } = hone.owner
  assert.equal((await hone.call('DELETE', '/api/integrations/storage', { key })).status, 204)
  const without = await plan(id)
  const unreadable = [{ reason: 'unreadable', count: 50 }]
  assert.deepEqual([without.have, without.skipped_rows], [10, unreadable])
  assert.deepEqual(await inDatabase(hone.databaseUrl, lastSkipped), [{ last_skipped: 2 }])
})

test('one workspace has one dry run at a time; another one waits a little and is then refused', async () => {
  const { rule_id: id } = await hone.pipeline('At once')
  const { id: workspaceId } = await workspace()
  const running = Promise.withResolvers<void>()
  const held = hone.app.learning.rowSelector.dryRun(workspaceId, () => running.promise)
  const refused = await dryRun(id)
  assert.deepEqual([refused.status, refused.json.error?.code], [429, 'RATE_LIMITED'])
  const waiting = dryRun(id)
  running.resolve()
  await held
  assert.equal((await waiting).status, 200)
})

async function workspace(): Promise<{ id: string }> {
  return hone.app.storage.db.selectFrom('workspace').select('id').executeTakeFirstOrThrow()
}

test('only what is there can be asked about', async () => {
  const { rule_id: id } = await hone.pipeline('Not yet')
  const codes = async (answer: Promise<Answer>): Promise<unknown[]> => {
    const { status, json } = await answer
    return [status, json.error?.code]
  }
  assert.deepEqual(await codes(dryRun(id, { dry_run: 'yes' })), [400, 'BAD_REQUEST'])
  assert.deepEqual(await codes(dryRun(id, { dryrun: true })), [400, 'BAD_REQUEST'])
  const nowhere = dryRun('01900000-0000-7000-8000-000000000000')
  assert.deepEqual(await codes(nowhere), [404, 'NOT_FOUND'])
})
