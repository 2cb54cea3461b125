// Marking what an attempt uses and erasing samples lock the same samples, so both begin with the oldest.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { readAttempt } from '#server/loop/attempt/attempt-store.ts'
import { effects } from '#server/loop/attempt/effects.ts'
import { lockObjectKeys } from '#server/samples/retention/sample-object-store.ts'
import { readyPipeline, started } from '#test/support/attempts.ts'
import { type LoopHone, loopHone } from '#test/support/loop-hone.ts'
import { until } from '#test/support/until.ts'

let hone: LoopHone
before(async () => {
  hone = await loopHone({ tasks: [] })
})
after(() => hone.stop())

test('what is held back is not locked before older samples that are used', async () => {
  const { app } = hone
  const { db } = app.storage
  const { id } = await started(hone, await readyPipeline(hone, 'Marked'))
  const attempt = (await readAttempt(db, id))!
  const { workspace_id: workspaceId } = attempt
  const done = await effects['write-rows'](app, attempt, new AbortController().signal)
  assert.ok(done?.together)
  const mark = () => db.transaction().execute((tx) => done.together!(tx))
  const undone = new Error('undone')
  const found: string[] = []
  const marked = db.transaction().execute(async (tx) => {
    await done.together!(tx)
    for (const which of [
      sql`used_by is not null order by 1`,
      sql`held_at is not null order by 1 desc`,
    ]) {
      const ids = sql<{
        sample_id: string
      }>`select sample_id from pipeline_sample where ${which} limit 1`
      found.push((await ids.execute(tx)).rows[0]!.sample_id)
    }
    throw undone
  })
  await assert.rejects(marked, undone)
  const [used = '', held = ''] = found
  assert.ok(used < held)
  let marking = Promise.resolve()
  await db.transaction().execute(async (erasing) => {
    await lockObjectKeys(erasing, workspaceId, [used])
    marking = mark()
    await until(async () => {
      const waiting = await sql`select from pg_locks where not granted`.execute(db)
      return waiting.rows.length > 0
    })
    await sql`select from sample where id = ${held} for update nowait`.execute(erasing)
  })
  await marking
})
