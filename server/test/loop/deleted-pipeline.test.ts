// A pipeline that has learned and tested much, and is deleted: no statement and no transaction of Hone may take over a second, which its
// database ends, and nothing of what was said, learned or stored stays. HONE_FULL_SIZE=1 takes as much as a pipeline can have.
import assert from 'node:assert/strict'
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { systemClock } from '#server/lib/clock.ts'
import { newId } from '#server/lib/id.ts'
import { readAttempt } from '#server/loop/attempt/attempt-store.ts'
import type { AttemptRow } from '#server/loop/attempt/attempt.ts'
import { ending } from '#server/loop/attempt/ending.ts'
import { openStorage, type Storage } from '#server/storage/open-storage.ts'
import { eraseObjects } from '#server/task/erase-objects.ts'
import { forgetTestWords } from '#server/task/forget-test-words.ts'
import { removeUnnamedWeights } from '#server/task/remove-unnamed-weights.ts'
import { endedAs, keepAttempt } from '#test/support/attempt-rows.ts'
import { tablesWith } from '#test/support/database-text.ts'
import { storeAdapter } from '#test/support/deployments.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { type LoopHone, loopHone } from '#test/support/loop-hone.ts'
import { s3Keys, type S3Server, s3Server } from '#test/support/s3-server.ts'
import { testDatabase } from '#test/support/test-database.ts'
import { until } from '#test/support/until.ts'

// The small ones are still more than a portion each. So many of the tests have their words in the bucket.
const size =
  process.env.HONE_FULL_SIZE === '1'
    ? { marks: 200_000, tests: 100, samples: 500, inBucket: 5 }
    : { marks: 11_000, tests: 3, samples: 210, inBucket: 1 }

let hone: LoopHone
let s3: S3Server
/** Without the limits of Hone's own connections. */
let look: Storage
let url: string

before(async () => {
  url = (await testDatabase()).url
  const limited = new URL(url)
  limited.searchParams.set('options', '-c statement_timeout=1s -c transaction_timeout=1s')
  s3 = await s3Server()
  const env = { HONE_STORAGE_HOSTS: s3.host }
  hone = await loopHone({ databaseUrl: limited.href, env, tasks: [] })
  look = await openStorage(url, systemClock, { queryMs: 600_000 })
  const body = { endpoint: s3.endpoint, region: 'us-east-1', bucket: 'customer-data', ...s3Keys }
  const answer = await hone.call('PUT', '/api/integrations/storage', { key: hone.owner.key, body })
  assert.equal(answer.status, 200, answer.text)
})
after(async () => {
  await hone.stop()
  await look.close()
  await s3.close()
})

const write = (statement: string) => inDatabase(url, statement)

async function walkedToItsEnd({ id }: AttemptRow): Promise<string> {
  let row = await readAttempt(look.db, id)
  await until(async () => {
    await hone.background.walker.walkDue(hone.app)
    row = await readAttempt(look.db, id)
    return row?.result !== 'running'
  })
  return row!.result
}

/** As if the attempt had been tested on the samples that are held back. */
async function say({ id, workspace_id, pipeline_id }: AttemptRow, isInBucket: boolean) {
  const words = (about: string) => `repeat('unsayable ${about} ', 20)`
  const key = `(select id from own_storage) || ':' || repeat('A', 43) ||
    ':hone/${workspace_id}/tests/${id}/' || gen_random_uuid() || '.json'`
  const said = (about: string) => (isInBucket ? `null, ${key}` : `${words(about)}, null`)
  await write(`
    insert into tested_sample (attempt_id, no, sample_id, signal_id, question, live_words, tags)
      select '${id}', row_number() over (order by sample_id), sample_id, sample_id, 'asked', false,
        '{unsayable}'
      from pipeline_sample where pipeline_id = '${pipeline_id}' and held_at is not null;
    insert into test_answer (attempt_id, sample_id, side, answer, answer_key, cost)
      select attempt_id, sample_id, side, ${said('answer')}, 1
      from tested_sample, unnest(array['candidate', 'live']) as side where attempt_id = '${id}';
    insert into test_reading (attempt_id, sample_id, kind, reason, reason_key, cost)
      select attempt_id, sample_id, kind, ${said('reason')}, 1
      from tested_sample, unnest(array['score_candidate', 'score_live', 'pair', 'pair_swapped']) as kind
      where attempt_id = '${id}'`)
  if (!isInBucket) return
  const rows = await inDatabase<{ key: string }>(
    url,
    `select substr(key, 82) as key from (
      select answer_key as key from test_answer where attempt_id = '${id}'
      union all select reason_key from test_reading where attempt_id = '${id}') as said`,
  )
  for (const { key: name } of rows) await s3.write(name, 'unsayable')
}

const leftIn = async (folder: string): Promise<string[]> =>
  readdir(join(hone.app.config.dataDir, folder)).catch(() => [])

test('much is learned, taken back and forgotten in statements of bounded time, and nothing stays', async () => {
  const { app, owner } = hone
  const { dataDir } = app.config
  const { rule_id: pipelineId } = await hone.pipeline('Deleted')
  const keep = (no: number, row: Partial<AttemptRow>) =>
    keepAttempt(hone, pipelineId, { id: newId(new Date()), attempt_no: no, ...row })
  const due = (state: AttemptRow['state']) => ({ state, wake_at: app.clock.now() })

  const learns = await keep(1, {
    ...due({ phase: 'promoting', model: 'open', closing: ending('became_version', 'so') }),
    adapter: await storeAdapter(hone),
  })
  await write(`
    insert into pipeline_sample (pipeline_id, sample_id, workspace_id, used_by, first_used_by, held_at)
      select '${pipelineId}', gen_random_uuid(), '${learns.workspace_id}', n.by, n.by,
        case when n.by is null then now() end
      from (select case when no > ${size.samples} then 1 end as by
        from generate_series(1, ${size.marks + size.samples}) as no) as n;
    insert into pipeline_question (pipeline_id, kind, key, question, used_by, first_used_by)
      select '${pipelineId}', 'full', uuid_send(gen_random_uuid()), '', 1, 1
      from generate_series(1, ${size.marks});
    -- As a database in service does by itself.
    analyze pipeline_sample, pipeline_question`)
  // The limits hold, and what takes longer fails.
  const { rows: limits } = await sql`
    select current_setting('statement_timeout') as a, current_setting('transaction_timeout') as b
  `.execute(app.storage.db)
  assert.deepEqual(limits, [{ a: '1s', b: '1s' }])
  const marks = (holds: string) =>
    inDatabase(
      url,
      `select (select count(*)::int from pipeline_sample where ${holds}) as samples,
        (select count(*)::int from pipeline_question where ${holds}) as questions`,
    )
  const all = [{ samples: size.marks, questions: size.marks }]
  assert.equal(await walkedToItsEnd(learns), 'became_version')
  assert.deepEqual(await marks('learned_by = 1'), all)

  await write('update pipeline_sample set used_by = 2 where used_by = 1')
  await write('update pipeline_question set used_by = 2 where used_by = 1')
  const gives = ending('not_tested', 'so', { marks_back: true })
  assert.equal(
    await walkedToItsEnd(await keep(2, due({ phase: 'preparing', closing: gives }))),
    'not_tested',
  )
  assert.deepEqual(await marks('used_by is not null'), [{ samples: 0, questions: 0 }])

  const ids: string[] = []
  for (let no = 1; no <= size.tests; no++) {
    const attempt = await keep(2 + no, endedAs('not_better'))
    ids.push(attempt.id)
    await say(attempt, no <= size.inBucket)
  }
  const running = await keep(3 + size.tests, {
    state: { phase: 'training', since: new Date(0).toISOString() },
  })
  const job = join(dataDir, 'compute', running.id)
  for (const folder of [join(dataDir, 'rows'), job]) await mkdir(folder, { recursive: true })
  await writeFile(join(dataDir, 'rows', `${running.id}.jsonl`), 'unsayable')
  await writeFile(join(job, 'job.json'), JSON.stringify({ id: running.id }))
  await writeFile(join(job, 'result.json'), JSON.stringify({ state: 'stopped', seconds: 1 }))
  // It is there, so that looking for it finds it.
  const tables = ['test_answer', 'test_reading', 'tested_sample']
  assert.deepEqual(await tablesWith(look.db, 'unsayable'), tables)
  const objects = (await s3.keys()).filter((key) => key.includes('/tests/'))
  assert.equal(objects.length, size.inBucket * size.samples * 6)
  for (const folder of ['rows', 'compute', 'objects/adapters', 'objects/models']) {
    assert.equal((await leftIn(folder)).length, 1, folder)
  }

  const path = `/api/loop/pipelines/${pipelineId}`
  assert.equal((await hone.call('DELETE', path, { key: owner.key })).status, 204)
  await walkedToItsEnd(running)
  await forgetTestWords.run(app)
  await eraseObjects.run(app)
  for (const kind of ['objects/adapters', 'objects/models']) {
    const old = new Date(Date.now() - 2 * 3_600_000)
    for (const name of await leftIn(kind)) await utimes(join(dataDir, kind, name), old, old)
  }
  await removeUnnamedWeights.run(app)

  assert.deepEqual(await tablesWith(look.db, 'unsayable'), [])
  assert.deepEqual(
    (await s3.keys()).filter((key) => key.includes('/tests/')),
    [],
  )
  for (const folder of ['rows', 'compute', 'objects/adapters', 'objects/models']) {
    assert.deepEqual(await leftIn(folder), [], folder)
  }
  // The numbers and times of an attempt stay, as what was paid for.
  const named = ['api_key', 'attempt', 'audit_event', 'deployment', 'live_history', 'pipeline']
  assert.deepEqual(await tablesWith(look.db, pipelineId), [...named, 'version'])
  assert.deepEqual(await tablesWith(look.db, ids[0]!), ['attempt', 'attempt_move'])
})
