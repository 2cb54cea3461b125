// Samples past their time: everything of them goes, nothing of the others, whoever dies or comes twice in between.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { newId } from '#server/lib/id.ts'
import { expireBatch, portionsOf } from '#server/samples/retention/expire-batch.ts'
import { retryMs } from '#server/samples/retention/erase-due-objects.ts'
import { dropSamples } from '#server/samples/retention/erase-samples.ts'
import { listExpired } from '#server/samples/retention/sample-object-store.ts'
import { insertSamples } from '#server/samples/sample/sample-store.ts'
import { billStorage } from '#server/task/bill-storage.ts'
import { eraseObjects } from '#server/task/erase-objects.ts'
import { expireSamples } from '#server/task/expire-samples.ts'
import { forgetExpired } from '#server/task/forget-expired.ts'
import { tablesWith } from '#test/support/database-text.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { firstWorkspace, keepSamples, newSample, textOf } from '#test/support/new-samples.ts'
import { s3Keys, type S3Server, s3Server } from '#test/support/s3-server.ts'
import { type TestHone, testHone } from '#test/support/test-hone.ts'

const dayMs = 86_400_000
const clock = new ManualClock()
let hone: TestHone
let second: TestHone
let s3: S3Server
let workspaceId: string

before(async () => {
  s3 = await s3Server()
  const env = { HONE_STORAGE_HOSTS: s3.host }
  hone = await testHone({ clock, env, tasks: [] })
  second = await testHone({ clock, env, tasks: [], databaseUrl: hone.databaseUrl })
  workspaceId = (await firstWorkspace(hone)).id
})
after(async () => {
  await second.stop()
  await hone.stop()
  await s3.close()
})
beforeEach(() =>
  inDatabase(hone.databaseUrl, 'delete from sample; delete from sample_text; delete from signal'),
)

const ids = async (): Promise<string[]> =>
  (await inDatabase<{ id: string }>(hone.databaseUrl, 'select id from sample order by id')).map(
    ({ id }) => id,
  )

async function keep(
  count: number,
  change: Parameters<typeof newSample>[2] = {},
): Promise<string[]> {
  const samples = Array.from({ length: count }, () => newSample(workspaceId, clock.now(), change))
  await keepSamples(hone.app, samples)
  return samples.map(({ id }) => id).sort()
}

test('a sample stays until its last moment and is gone after it', async () => {
  const [short, long] = [await keep(2, { days: 30 }), await keep(2, { days: 365 })]
  clock.forward(30 * dayMs - 1)
  await expireSamples.run(hone.app)
  assert.deepEqual(await ids(), [...short, ...long].sort())
  clock.forward(1)
  await expireSamples.run(hone.app)
  assert.deepEqual(await ids(), long)
  clock.forward(335 * dayMs)
  await expireSamples.run(hone.app)
  assert.deepEqual(await ids(), [])
})

test('nothing of it remains: text, search, labels, feedback, other names', async () => {
  const at = clock.now()
  const said = 'canary conversation of one who left'
  const correction = 'canary correction of one who left'
  const signal = {
    id: newId(at),
    verdict: 'edited' as const,
    correction,
    givenBy: 'person' as const,
    gold: true,
    userId: null,
    keyId: null,
  }
  const tags = ['canary-label']
  const [id = ''] = await keep(1, { days: 1, said, signal, tags, requestId: 'canary-request' })
  await inDatabase(
    hone.databaseUrl,
    `insert into sample_alias values ('${workspaceId}', '${newId(at)}', '${id}')`,
  )
  const everything = [said, correction, 'canary-label', 'canary-request', id]
  const { db } = hone.app.storage
  for (const text of everything) assert.notDeepEqual(await tablesWith(db, text), [], text)
  clock.forward(dayMs)
  await expireSamples.run(hone.app)
  await billStorage.run(hone.app)
  for (const text of everything) assert.deepEqual(await tablesWith(db, text), [], text)
})

test('objects go with their samples', async () => {
  const body = { endpoint: s3.endpoint, region: 'us-east-1', bucket: 'customer-data', ...s3Keys }
  const call = { key: hone.owner.key, body }
  assert.equal((await hone.call('PUT', '/api/integrations/storage', call)).status, 200)
  await keep(30, { days: 1 })
  const [stays = ''] = await keep(1, { days: 9 })
  await s3.write('foreign.json', 'not of Hone')
  clock.forward(dayMs)
  await expireSamples.run(hone.app)
  assert.deepEqual(await ids(), [stays])
  assert.equal((await s3.keys()).length, 32, 'rows first, so that nobody finds a row without text')
  await eraseObjects.run(hone.app)
  const left = await s3.keys()
  assert.deepEqual([left.length, left.some((key) => key.includes(stays))], [2, true])
  assert.equal((await hone.call('DELETE', '/api/integrations/storage', call)).status, 204)
})

test('more than a batch is worked off, and two processes at once do no harm', async () => {
  await keep(1_203, { days: 1 })
  const stay = await keep(3, { days: 2 })
  clock.forward(dayMs)
  await Promise.all([expireSamples.run(hone.app), expireSamples.run(second.app)])
  assert.deepEqual(await ids(), stay)
  assert.deepEqual(await inDatabase(hone.databaseUrl, 'select 1 from sample_text offset 3'), [])
})

test('whoever dies after a batch leaves whole samples for the next', async () => {
  await keep(700, { days: 1 })
  clock.forward(dayMs)
  assert.equal(await expireBatch(hone.app), true)
  const halfway = await ids()
  assert.equal(halfway.length, 200)
  const texts = await inDatabase<{ sample_id: string }>(
    hone.databaseUrl,
    'select sample_id from sample_text order by sample_id',
  )
  assert.deepEqual(
    texts.map(({ sample_id }) => sample_id),
    halfway,
  )
  await expireSamples.run(second.app)
  assert.deepEqual(await ids(), [])
})

test('a transaction that fails in the middle takes nothing', async () => {
  const kept = await keep(3, { days: 1 })
  await inDatabase(
    hone.databaseUrl,
    `create function refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
     create trigger refuse before delete on sample_alias for each statement execute function refuse()`,
  )
  await assert.rejects(dropSamples(hone.app, workspaceId, kept), /no/)
  await inDatabase(hone.databaseUrl, 'drop trigger refuse on sample_alias; drop function refuse')
  assert.deepEqual(await ids(), kept)
  for (const table of ['signal', 'sample_text']) {
    const rows = await inDatabase(hone.databaseUrl, `select * from ${table}`)
    assert.equal(rows.length, table === 'signal' ? 0 : 3)
  }
  await dropSamples(hone.app, workspaceId, kept)
  assert.deepEqual(await ids(), [])
})

test('large texts go a few at a time, so that no statement takes longer than it may', async () => {
  await keep(10, { days: 1, text: textOf(100) })
  // As if each had four megabytes, of which eight fit into a portion.
  await inDatabase(
    hone.databaseUrl,
    `update sample set bytes = 4000000;
     create function refuse() returns trigger language plpgsql as $$ begin
       if (select count(*) > 8 from gone) then raise 'too much'; end if;
       return null;
     end $$;
     create trigger refuse after delete on sample_text referencing old table as gone
       for each statement execute function refuse()`,
  )
  clock.forward(dayMs)
  await expireSamples.run(hone.app)
  await inDatabase(hone.databaseUrl, 'drop trigger refuse on sample_text; drop function refuse')
  assert.deepEqual(await ids(), [])
})

test('feedback and tests weigh too, and a portion is of one workspace', async () => {
  const signal = {
    id: newId(clock.now()),
    verdict: 'edited' as const,
    correction: 'right',
    givenBy: 'person' as const,
    gold: true,
    userId: null,
    keyId: null,
  }
  const [plain = ''] = await keep(1, { days: 1, text: textOf(100) })
  const [rated = ''] = await keep(1, { days: 1, text: textOf(100), signal })
  clock.forward(dayMs)
  const weighed = await listExpired(hone.app.storage.db, clock.now(), 10)
  assert.deepEqual(
    new Map(weighed.map(({ id, bytes, signals }) => [id, [bytes, signals]])),
    new Map([
      [plain, [100, 0]],
      [rated, [105, 1]],
    ]),
  )
  await inDatabase(
    hone.databaseUrl,
    `alter table tested_sample drop constraint tested_sample_attempt_id_fkey;
    insert into tested_sample (attempt_id, no, sample_id, signal_id, question, live_words, tags)
      select gen_random_uuid(), 1, '${rated}', '${rated}', 'asked', false, '{told}'
      from generate_series(1, 3);
    alter table pipeline_sample drop constraint pipeline_sample_pipeline_id_fkey;
    insert into pipeline_sample (pipeline_id, sample_id, workspace_id)
      select gen_random_uuid(), id::uuid, '${workspaceId}'
      from unnest(array['${plain}', '${rated}', '${rated}']) as id`,
  )
  const counted = await hone.app.samples.derived.countRows(hone.app.storage.db, [plain, rated])
  const rows = [
    [plain, 1],
    [rated, 3 * (1 + 2 + 4) + 2],
  ] as const
  assert.deepEqual(new Map(counted), new Map(rows))
  await dropSamples(hone.app, workspaceId, [rated])
  const labels = 'select distinct tags from tested_sample'
  assert.deepEqual(await inDatabase(hone.databaseUrl, labels), [{ tags: [] }])
  const expired = (workspace_id: string, bytes: number, signals = 0) => ({
    ...{ workspace_id, id: `${workspace_id}${bytes}`, bytes, signals },
  })
  const mebibytes = (count: number) => count * 1024 * 1024
  const tested = new Map([['b4', 40_000]])
  const samples = [
    expired('a', mebibytes(20)),
    expired('b', 1),
    expired('a', mebibytes(11)),
    expired('a', mebibytes(2)),
    expired('a', mebibytes(90)),
    expired('b', 2, 40_000),
    expired('b', 3),
    expired('b', 4),
    expired('b', 5),
  ]
  const portions = portionsOf(samples, tested)
  assert.deepEqual(
    portions.map((portion) => portion.map(({ id }) => id)),
    [
      [`a${mebibytes(20)}`, `a${mebibytes(11)}`],
      [`a${mebibytes(2)}`],
      [`a${mebibytes(90)}`],
      ['b1'],
      ['b2'],
      ['b3'],
      ['b4'],
      ['b5'],
    ],
  )
})

test('samples that cannot be erased now keep none of another workspace', async () => {
  const other = newId(clock.now())
  const stays = newSample(other, clock.now(), { days: 1 })
  await insertSamples(hone.app.storage, [stays])
  await keep(3, { days: 1.5 })
  await inDatabase(
    hone.databaseUrl,
    `create function refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
     create trigger refuse before delete on sample for each row when (old.workspace_id = '${other}')
       execute function refuse()`,
  )
  clock.forward(2 * dayMs)
  await assert.rejects(expireBatch(hone.app), /no/)
  assert.deepEqual(await ids(), [stays.id])
  await inDatabase(hone.databaseUrl, 'drop trigger refuse on sample; drop function refuse')
  await expireSamples.run(hone.app)
  assert.deepEqual(await ids(), [])
})

test('cached prompts that ran out are all forgotten, however many a minute brought', async () => {
  await inDatabase(
    hone.databaseUrl,
    `insert into prompt_cache_entry (workspace_id, model, prefix_hash, ttl, tokens, expires_at)
     select '${workspaceId}', 'm', sha256(n::text::bytea), '5m', 1, '2000-01-01' from generate_series(1, 2500) n`,
  )
  await forgetExpired.run(hone.app)
  assert.deepEqual(await inDatabase(hone.databaseUrl, 'select 1 from prompt_cache_entry'), [])
})

test('samples of several workspaces expire in one go', async () => {
  const other = newId(clock.now())
  await insertSamples(hone.app.storage, [
    newSample(workspaceId, clock.now(), { days: 1 }),
    newSample(other, clock.now(), { days: 1 }),
  ])
  clock.forward(dayMs)
  await expireSamples.run(hone.app)
  assert.deepEqual(await ids(), [])
})

test('a bucket that stays away is asked at growing distances, at most an hour', () => {
  assert.deepEqual(
    [0, 1, 2, 6, 7, 100].map(retryMs),
    [30_000, 60_000, 120_000, 1_920_000, 3_600_000, 3_600_000],
  )
})
