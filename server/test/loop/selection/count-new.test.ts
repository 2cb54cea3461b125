// What of its samples a pipeline counts as held back, not learned, not used and new since its last selection, from its marks.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Selectable } from 'kysely'
import { systemClock } from '#server/lib/clock.ts'
import { newId } from '#server/lib/id.ts'
import { goLive } from '#server/loop/attempt/go-live.ts'
import { countNew } from '#server/loop/selection/count-new.ts'
import { pipelineSelection } from '#server/loop/selection/pipeline-selection.ts'
import { insertSamples } from '#server/samples/sample/sample-store.ts'
import { openStorage, type Storage } from '#server/storage/open-storage.ts'
import type { Database } from '#server/storage/schema.ts'
import { endedAs, keepAttempt } from '#test/support/attempt-rows.ts'
import { newSample } from '#test/support/new-samples.ts'
import { keepPipeline } from '#test/support/pipeline-rows.ts'
import { testDatabase } from '#test/support/test-database.ts'

let storage: Storage
before(async () => {
  storage = await openStorage((await testDatabase()).url, systemClock)
})
after(() => storage.close())

type Mark = Selectable<Database['pipeline_sample']>

const used = (change: Partial<Mark>): Partial<Mark> => ({ used_by: 1, ...change })

const cases: [
  what: string,
  verdict: 'accepted' | 'edited' | 'rejected',
  mark: Partial<Mark> | null,
  counts: { usable: number; heldBack: number; unlearned: number; unused: number; arrived: number },
][] = [
  ['a new one', 'accepted', null, { usable: 1, heldBack: 0, unlearned: 1, unused: 1, arrived: 1 }],
  ['a bad one', 'rejected', null, { usable: 0, heldBack: 0, unlearned: 0, unused: 0, arrived: 0 }],
  [
    'a held-back one',
    'accepted',
    { held_at: new Date() },
    { usable: 1, heldBack: 1, unlearned: 0, unused: 0, arrived: 0 },
  ],
  [
    'one that stands on neither side',
    'accepted',
    { held_at: new Date(), set_aside: true },
    { usable: 0, heldBack: 0, unlearned: 0, unused: 0, arrived: 0 },
  ],
  [
    'one that an attempt used in vain',
    'accepted',
    used({}),
    { usable: 1, heldBack: 0, unlearned: 1, unused: 0, arrived: 1 },
  ],
  [
    'one that a version learned',
    'accepted',
    used({ learned_by: 1 }),
    { usable: 1, heldBack: 0, unlearned: 0, unused: 0, arrived: 1 },
  ],
  [
    'one that an attempt has learned which is not live',
    'accepted',
    used({ learned_by: 2 }),
    { usable: 1, heldBack: 0, unlearned: 1, unused: 0, arrived: 1 },
  ],
  [
    'one that was corrected since',
    'edited',
    used({ learned_by: 1, used_signal: newId(new Date()) }),
    { usable: 1, heldBack: 0, unlearned: 1, unused: 1, arrived: 1 },
  ],
]

for (const [what, verdict, mark, expected] of cases) {
  test(`${what} counts as ${JSON.stringify(expected)}`, async () => {
    const at = new Date()
    const before = new Date(at.getTime() - 1000).toISOString()
    const shortfall = { samples: 1, held_back: 0, have: 0, at: before }
    const pipeline = await keepPipeline(storage, { shortfall })
    const { id: pipeline_id, workspace_id } = pipeline
    const ended = { ...endedAs('not_tested'), adapter: 'a'.repeat(64) }
    const attempt = await keepAttempt({ app: { storage } }, pipeline_id, ended)
    const rates = { candidate: null, live: null }
    const promotion = { attempt, rates, movedBy: 'promotion', userId: null, at } as const
    await storage.db.transaction().execute((tx) => goLive(tx, promotion))
    const correction = verdict === 'edited' ? 'So.' : null
    const given = { givenBy: 'person' as const, gold: true, userId: null, keyId: null }
    const signal = { id: newId(at), verdict, correction, ...given }
    const sample = newSample(workspace_id, at, { tags: [pipeline.tag], signal })
    await insertSamples(storage, [sample])
    const none = {
      held_at: null,
      used_by: null,
      used_signal: null,
      first_used_by: null,
      learned_by: null,
      question: null,
      set_aside: false,
    }
    const row: Mark = { ...none, ...mark, pipeline_id, workspace_id, sample_id: sample.id }
    if (mark) await storage.db.insertInto('pipeline_sample').values(row).execute()
    const selection = await pipelineSelection(storage.db, pipeline, at)
    const count = () => countNew(storage.db, pipeline, selection, null)
    const { newestAt: _, ...counts } = await count()
    assert.deepEqual(counts, { ...expected, heldBackLasting: expected.heldBack })
    const expires_at = new Date(at.getTime() + 14 * 86_400_000)
    await storage.db.updateTable('sample').set({ expires_at }).where('id', '=', sample.id).execute()
    const soon = await count()
    assert.deepEqual([soon.heldBack, soon.heldBackLasting], [expected.heldBack, 0])
  })
}
