// What was said in the tests of a deleted pipeline is forgotten after its deletion, in statements of bounded size, and also what calls
// under way store later.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { newId } from '#server/lib/id.ts'
import { changeAttempt } from '#server/loop/attempt/attempt-store.ts'
import type { AttemptRow } from '#server/loop/attempt/attempt.ts'
import { insertAnswer, insertReading } from '#server/loop/test/test-store.ts'
import { listWordsHeld } from '#server/loop/test/test-words-store.ts'
import type { Erasure } from '#server/samples/own-storage/erasure-store.ts'
import {
  digestOf,
  folderOf,
  testWordsKey,
  writeReference,
} from '#server/samples/own-storage/object-key.ts'
import { insertSamples } from '#server/samples/sample/sample-store.ts'
import type { Db } from '#server/storage/open-storage.ts'
import { forgetTestWords } from '#server/task/forget-test-words.ts'
import { endedAs, keepAttempt } from '#test/support/attempt-rows.ts'
import { tablesWith } from '#test/support/database-text.ts'
import { type LoopHone, loopHone } from '#test/support/loop-hone.ts'
import { firstWorkspace, newSample } from '#test/support/new-samples.ts'

const tables = ['tested_sample', 'test_answer', 'test_reading']
let hone: LoopHone
let db: Db

before(async () => {
  hone = await loopHone({ tasks: [] })
  db = hone.app.storage.db
  await sql`create table changed (rows integer)`.execute(db)
  await sql`create function count_changed() returns trigger language plpgsql as $$ begin
    insert into changed select count(*) from n; return null; end $$`.execute(db)
  for (const table of tables) {
    for (const event of ['update', 'delete']) {
      const rows = sql.raw(event === 'update' ? 'new' : 'old')
      await sql`create trigger ${sql.ref(`count_${event}`)} after ${sql.raw(event)} on ${sql.table(table)}
        referencing ${rows} table as n for each statement execute function count_changed()`.execute(
        db,
      )
    }
  }
})
after(() => hone.stop())

async function changedRows(): Promise<{ all: number; most: number }> {
  const { rows } = await sql<{ all: number; most: number }>`
    select coalesce(sum(rows), 0)::int as all, coalesce(max(rows), 0)::int as most from changed
  `.execute(db)
  await sql`delete from changed`.execute(db)
  return rows[0]!
}

/** As if the attempt had been tested on as many samples. */
async function said(attempt: AttemptRow, samples: number): Promise<void> {
  await sql`insert into tested_sample (attempt_id, no, sample_id, signal_id, question, live_words, tags)
    select ${attempt.id}, no, gen_random_uuid(), gen_random_uuid(), 'asked', false, '{unsayable}'
    from generate_series(1, ${samples}) as no`.execute(db)
  await sql`insert into test_answer (attempt_id, sample_id, side, answer, answer_key, cost)
    select attempt_id, sample_id, side, 'unsayable', 'unsayable key', 1
    from tested_sample, unnest(array['candidate', 'live']) as side
    where attempt_id = ${attempt.id}`.execute(db)
  await sql`insert into test_reading (attempt_id, sample_id, kind, reason, reason_key, cost)
    select attempt_id, sample_id, kind, 'unsayable', 'unsayable key', 1
    from tested_sample, unnest(array['score_candidate', 'score_live', 'pair', 'pair_swapped']) as kind
    where attempt_id = ${attempt.id}`.execute(db)
}

async function remove(pipelineId: string): Promise<void> {
  const path = `/api/loop/pipelines/${pipelineId}`
  const { status, text } = await hone.call('DELETE', path, { key: hone.owner.key })
  assert.equal(status, 204, text)
}

async function queued(): Promise<number> {
  const { rows } = await sql`select from pipeline_erasure`.execute(db)
  return rows.length
}

test('deleting a pipeline changes none of it; then all goes in portions, also where one failed', async () => {
  const { rule_id: id } = await hone.pipeline('Deleted')
  const { rule_id: other } = await hone.pipeline('Kept')
  const samples = 450
  const ended = endedAs('not_better')
  for (const attempt_no of [1, 2, 3]) {
    const attempt = { id: newId(new Date()), attempt_no, ...ended }
    await said(await keepAttempt(hone, id, attempt), samples)
  }
  const kept = await keepAttempt(hone, other, { id: newId(new Date()), ...ended })
  await said(kept, 1)
  await changedRows()
  await remove(id)
  assert.deepEqual(await changedRows(), { all: 0, most: 0 })

  // The second portion of the second attempt.
  await sql`create function refuse() returns trigger language plpgsql as $$ begin
    if old.no = 300 and (select attempt_no from attempt where id = old.attempt_id) = 2 then
      raise 'refused'; end if; return old; end $$`.execute(db)
  await sql`create trigger refuse before delete on tested_sample
    for each row execute function refuse()`.execute(db)
  await assert.rejects(forgetTestWords.run(hone.app), /refused/)
  await sql`drop trigger refuse on tested_sample`.execute(db)
  const rowsOfSample = 1 + 2 + 4
  const before = await changedRows()
  assert.equal(before.all, (samples + 200) * rowsOfSample)
  await forgetTestWords.run(hone.app)
  const then = await changedRows()
  assert.equal(before.all + then.all, 3 * samples * rowsOfSample)
  assert.ok(Math.max(before.most, then.most) <= 1000)
  assert.equal(await queued(), 0)

  assert.deepEqual(await tablesWith(db, 'unsayable'), tables.toSorted(), 'of the other pipeline')
  await remove(other)
  await forgetTestWords.run(hone.app)
  assert.deepEqual(await tablesWith(db, 'unsayable'), [])
})

test('only the tests in which objects were said are looked at for what still holds them', async () => {
  const { rule_id: id } = await hone.pipeline('Tested often')
  const { id: workspaceId } = await firstWorkspace(hone)
  const [storageId, sampleId] = [newId(new Date()), newId(new Date())]
  const objects: Erasure[] = []
  for (const attempt_no of [1, 2]) {
    const attempt = await keepAttempt(hone, id, { attempt_no, ...endedAs('not_better') })
    const object_key = testWordsKey(folderOf('', workspaceId), attempt.id, newId(new Date()))
    const answer_key = writeReference({ storageId, digest: digestOf('words'), key: object_key })
    await sql`insert into tested_sample (attempt_id, no, sample_id, signal_id, question, live_words, tags)
      values (${attempt.id}, 1, ${sampleId}, ${sampleId}, 'asked', false, '{}')`.execute(db)
    await sql`insert into test_answer (attempt_id, sample_id, side, answer_key, cost)
      values (${attempt.id}, ${sampleId}, 'live', ${answer_key}, 1)`.execute(db)
    const of = { storage_id: storageId, workspace_id: workspaceId, sample_id: sampleId }
    objects.push({ ...of, object_key })
  }
  assert.deepEqual(await listWordsHeld(db, objects.slice(0, 1)), objects.slice(0, 1))
  assert.deepEqual(await listWordsHeld(db, [{ ...objects[0]!, object_key: 'hone/samples/1' }]), [])
})

test('what calls under way store after the deletion goes too, also where a member had stopped the attempt', async () => {
  const { rule_id: id } = await hone.pipeline('Cancelled, then deleted')
  const now = new Date()
  const stopped = { cancelled_at: now, cancelled_by: newId(now) }
  const attempt = await keepAttempt(hone, id, { id: newId(now), ...stopped })
  const { id: workspaceId } = await firstWorkspace(hone)
  const sample = newSample(workspaceId, now)
  await insertSamples(hone.app.storage, [sample])
  await sql`insert into tested_sample (attempt_id, no, sample_id, signal_id, question, live_words, tags)
    values (${attempt.id}, 1, ${sample.id}, ${newId(now)}, 'asked', false, '{}')`.execute(db)
  const row = { sample_id: sample.id, failure: null, cost: 1n }
  const answer = { ...row, answer: 'unsayable', answer_key: null }
  const reading = { ...row, score: 1, better: null, reason: 'unsayable', reason_key: null }
  await insertAnswer(db, attempt, { ...answer, side: 'live' })
  await remove(id)
  await forgetTestWords.run(hone.app)
  assert.deepEqual(await tablesWith(db, 'unsayable'), [])

  await insertAnswer(db, attempt, { ...answer, side: 'candidate' })
  await insertReading(db, attempt, { ...reading, kind: 'score_candidate' })
  assert.deepEqual(await tablesWith(db, 'unsayable'), ['test_answer', 'test_reading'])
  await forgetTestWords.run(hone.app)
  assert.deepEqual(await tablesWith(db, 'unsayable'), [])

  await insertReading(db, attempt, { ...reading, kind: 'score_live' })
  const moved = { why: 'A member stopped it.', at: now }
  await db.transaction().execute((tx) => changeAttempt(tx, attempt, endedAs('stopped'), moved))
  assert.equal(await queued(), 1, 'looked at until its attempt has ended')
  await forgetTestWords.run(hone.app)
  assert.deepEqual(await tablesWith(db, 'unsayable'), [])
  assert.equal(await queued(), 0)
})
