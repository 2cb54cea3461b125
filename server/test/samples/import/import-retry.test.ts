// Sending rows again: which are the same, what is stored twice, and whose feedback counts. Spec 2, import behaviour.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { importRowsMax } from '#contract/limits.ts'
import {
  imported,
  manyRows,
  postImport,
  postLines,
  served,
  storedRows,
  workspaceOf,
} from '#test/support/imports.ts'
import { judgeSample } from '#test/support/judge-sample.ts'
import { type TestHone, testHone } from '#test/support/test-hone.ts'

let hone: TestHone
before(async () => {
  hone = await testHone()
})
after(() => hone.stop())

let made = 0
const newImport = (): string => `import:${++made}`

async function giveFeedback(sampleId: string | undefined, verdict: string): Promise<void> {
  const answer = await hone.call('POST', `/api/loop/traces/${sampleId}/signals`, {
    key: hone.owner.key,
    body: { verdict },
  })
  assert.equal(answer.status, 201, answer.text)
}

describe('the same rows with the same import_id', () => {
  test('are stored once, however they are written', async () => {
    const import_id = newImport()
    const rows = manyRows(1200)
    const first = await imported(hone, { import_id, rows })
    assert.equal(first.imported, 1200)
    const jsonl = rows.map((row) => JSON.stringify(row)).join('\n')
    const spaced = rows.map((row) => ` ${JSON.stringify(row, null, 1).replaceAll('\n', ' ')}\r`)
    for (const again of [
      await imported(hone, { import_id, rows }),
      await imported(hone, { import_id, rows: jsonl }),
      served(await postLines(hone, `${spaced.join('\n\n')}\n`, { import_id })),
    ]) {
      assert.equal(again.imported, 0)
      assert.equal(again.already_present, 1200)
      assert.equal(again.import_id, import_id)
      assert.equal(again.needs_review, 1200)
      assert.deepEqual(again.trace_ids, first.trace_ids)
    }
    const stored = await storedRows(hone, import_id)
    assert.deepEqual(
      stored.map(({ id }) => id),
      first.trace_ids,
      'in the order of the rows',
    )
    assert.deepEqual(stored[700]?.conversation.answer, [{ type: 'text', text: 'Answer 700' }])
  })

  test('store what was missing, and nothing else', async () => {
    const import_id = newImport()
    const rows = manyRows(10)
    await imported(hone, { import_id, rows: [...rows.slice(0, 4), { text: 'bad' }] })
    const again = await imported(hone, { import_id, rows })
    assert.equal(again.already_present, 4)
    assert.equal(again.imported, 6)
    assert.deepEqual([again.reviewed, again.needs_review], [0, 10])
    assert.equal((await storedRows(hone, import_id)).length, 10)
    const good = { prompt: 'q', completion: 'a', label: true }
    const more = await imported(hone, { import_id, rows: [...rows, good, { prompt: 'p' }] })
    assert.deepEqual([more.already_present, more.imported], [10, 2])
    assert.deepEqual([more.reviewed, more.needs_review], [1, 11])
    assert.deepEqual(more.by_shape, {
      messages: 0,
      completion: 10,
      label: 1,
      correction: 0,
      preference: 0,
      ground_truth: 0,
      prompt: 1,
    })
  })

  test('are stored again once their sample is gone', async () => {
    const import_id = newImport()
    const rows = manyRows(2)
    const { trace_ids } = await imported(hone, { import_id, rows })
    await hone.app.storage.db
      .deleteFrom('sample')
      .where('id', '=', trace_ids[0] ?? '')
      .execute()
    const again = await imported(hone, { import_id, rows })
    assert.equal(again.imported, 1)
    assert.equal(again.already_present, 1)
  })

  test('sent at the same time are stored once', async () => {
    const import_id = newImport()
    const rows = manyRows(1500)
    const results = await Promise.all(
      Array.from({ length: 4 }, () => imported(hone, { import_id, rows })),
    )
    assert.equal(
      results.reduce((sum, result) => sum + result.imported, 0),
      1500,
    )
    for (const { imported: fresh, already_present } of results) {
      assert.equal(fresh + already_present, 1500)
    }
    assert.equal((await storedRows(hone, import_id)).length, 1500)
  })

  test('are other samples in another workspace', async () => {
    const import_id = newImport()
    const workspace = await hone.call('POST', '/api/workspaces', {
      key: hone.owner.key,
      body: { name: 'Second' },
    })
    assert.equal(workspace.status, 201)
    const rows = manyRows(3)
    await imported(hone, { import_id, rows })
    const session = await hone.login(hone.owner.email, hone.owner.password, 1)
    const there = await hone.call('POST', '/api/loop/import', {
      headers: session,
      body: { source: 'a file', import_id, rows },
    })
    assert.equal(served(there).imported, 3)
  })
})

describe('identity', () => {
  test('without import_id is always new', async () => {
    const rows = manyRows(3)
    const results = [await imported(hone, { rows }), await imported(hone, { rows })]
    assert.deepEqual(
      results.map((result) => result.imported),
      [3, 3],
    )
    assert.notEqual(results[0]?.import_id, results[1]?.import_id)
    assert.match(results[0]?.import_id ?? '', /^[0-9a-f-]{36}$/)
  })

  test('of a row is its place and its content', async () => {
    const import_id = newImport()
    await imported(hone, { import_id, rows: manyRows(3) })
    const moved = await imported(hone, { import_id, rows: manyRows(3).reverse() })
    assert.equal(moved.imported, 2, 'the one in the middle stayed where it was')
    const other = await imported(hone, { import_id, rows: [{ prompt: 'Question 0' }] })
    assert.equal(other.imported, 1)
  })

  test('lets the same content stand in one file twice', async () => {
    const row = { prompt: 'a', completion: 'b' }
    assert.equal((await imported(hone, { rows: [row, row] })).imported, 2)
  })

  test('over pages is the place in the file', async () => {
    const import_id = newImport()
    const pages = [
      { rows: manyRows(3), row_offset: 0 },
      { rows: manyRows(3), row_offset: 3 },
    ]
    for (const page of pages)
      assert.equal((await imported(hone, { import_id, ...page })).imported, 3)
    for (const page of pages) {
      assert.equal((await imported(hone, { import_id, ...page })).already_present, 3)
    }
    const lines = manyRows(3).map((row) => JSON.stringify(row))
    const again = await postLines(hone, lines.join('\n'), { import_id, row_offset: '3' })
    assert.equal(served(again).already_present, 3)
  })

  test('with row_ids is the id, and text is not compared', async () => {
    const import_id = newImport()
    const row_ids = ['a', 'b', 'c']
    await imported(hone, { import_id, row_ids, rows: manyRows(3) })
    const again = await imported(hone, {
      import_id,
      row_ids: ['c', 'd', 'a'],
      rows: manyRows(3, 50),
      row_offset: 70,
    })
    assert.equal(again.already_present, 2)
    assert.equal(again.imported, 1)
    const stored = await storedRows(hone, import_id)
    assert.deepEqual(
      stored.map(({ conversation }) => conversation.messages[0]?.blocks[0]),
      ['Question 0', 'Question 1', 'Question 2', 'Question 51'].map((text) => ({
        type: 'text',
        text,
      })),
    )
    const lines = manyRows(2).map((row) => JSON.stringify(row))
    const query = { import_id, row_ids: 'a,e' }
    assert.equal(served(await postLines(hone, lines.join('\n'), query)).already_present, 1)
  })

  test('by id is never that of a row without one', async () => {
    const import_id = newImport()
    const rows = manyRows(1)
    await imported(hone, { import_id, rows })
    const [stored] = await storedRows(hone, import_id)
    const row_ids = [stored?.row_key ?? '']
    assert.equal((await imported(hone, { import_id, rows, row_ids })).imported, 1)
  })
})

describe('feedback', () => {
  test('can be added by sending again, where there is none yet', async () => {
    const import_id = newImport()
    const row_ids = ['1', '2', '3', '4']
    const first = await imported(hone, {
      import_id,
      row_ids,
      rows: [...manyRows(3), { prompt: 'a' }],
    })
    assert.equal(first.needs_review, 4)
    const second = await imported(hone, {
      import_id,
      row_ids,
      rows: [
        { prompt: 'a', completion: 'b', label: true },
        { prompt: 'a', completion: 'b', correction: 'c' },
        { prompt: 'a', completion: 'b' },
        { prompt: 'a' },
      ],
    })
    assert.equal(second.already_present, 4)
    assert.equal(second.reviewed, 2)
    assert.equal(second.needs_review, 2)
    const third = await imported(hone, {
      import_id,
      row_ids,
      rows: [...manyRows(3), { prompt: 'a' }],
      default_feedback: 'good',
    })
    assert.equal(third.reviewed, 1)
    assert.equal(third.needs_review, 1)
    const stored = await storedRows(hone, import_id)
    assert.deepEqual(
      stored.map(({ verdict }) => verdict),
      ['accepted', 'edited', 'accepted', null],
    )
    assert.deepEqual(
      stored.map(({ signals }) =>
        signals.map(({ correction, given_by }) => [correction, given_by]),
      ),
      [[[null, 'import']], [['c', 'import']], [[null, 'import']], []],
    )
  })

  test('is added where only a judge has scored, and a judge’s score does not replace it', async () => {
    const import_id = newImport()
    const row_ids = ['1', '2', '3', '4']
    const rows = [...manyRows(3), { prompt: 'a', completion: 'b', label: false }]
    const { trace_ids } = await imported(hone, { import_id, row_ids, rows })
    const workspaceId = await workspaceOf(hone)
    for (const id of trace_ids) await judgeSample(hone.app, { workspaceId, id }, 0.875)
    const again = await imported(hone, { import_id, row_ids, rows })
    assert.deepEqual([again.reviewed, again.needs_review], [0, 3])
    const [row] = manyRows(1)
    const labelled = [{ ...row, label: false }, ...rows.slice(1)]
    const label = await imported(hone, { import_id, row_ids, rows: labelled })
    assert.deepEqual([label.reviewed, label.needs_review], [1, 2])
    const some = { row_ids: row_ids.slice(0, 2), rows: rows.slice(0, 2) }
    const good = await imported(hone, { import_id, ...some, default_feedback: 'good' })
    assert.deepEqual([good.reviewed, good.needs_review], [1, 0])
    for (const id of trace_ids) await judgeSample(hone.app, { workspaceId, id }, 0.875)
    const stored = await storedRows(hone, import_id)
    assert.deepEqual(
      stored.map(({ verdict, verdict_by, signals }) => [verdict, verdict_by, signals.length]),
      [
        ['rejected', 'import', 3],
        ['accepted', 'import', 3],
        ['accepted', 'judge', 2],
        ['rejected', 'import', 3],
      ],
    )
  })

  test('needs an answer to be about, unless it is the right one', async () => {
    const import_id = newImport()
    const row_ids = ['1', '2', '3']
    const asked = { import_id, row_ids, rows: [{ prompt: 'a' }, { prompt: 'a' }, { prompt: 'a' }] }
    assert.equal((await imported(hone, asked)).needs_review, 3)
    const rows = [
      { prompt: 'a', completion: 'b', label: true },
      { prompt: 'a', completion: 'b' },
      { prompt: 'a', completion: 'b', correction: 'c' },
    ]
    const again = await imported(hone, { import_id, row_ids, rows, default_feedback: 'good' })
    assert.deepEqual([again.already_present, again.reviewed, again.needs_review], [3, 1, 2])
    const stored = await storedRows(hone, import_id)
    assert.deepEqual(
      stored.map(({ verdict, signals }) => [verdict, signals.length]),
      [
        [null, 0],
        [null, 0],
        ['edited', 1],
      ],
    )
  })

  test('that is there is not overruled, whoever gave it', async () => {
    const import_id = newImport()
    const rows = [
      { prompt: 'a', completion: 'b', label: true },
      { prompt: 'a', completion: 'b', label: true },
      { prompt: 'a', completion: 'b' },
    ]
    const { trace_ids } = await imported(hone, { import_id, rows, row_ids: ['1', '2', '3'] })
    await giveFeedback(trace_ids[0], 'rejected')
    await giveFeedback(trace_ids[2], 'bad')
    const again = await imported(hone, {
      import_id,
      row_ids: ['1', '2', '3'],
      rows: rows.map((row) => ({ ...row, label: false })),
      default_feedback: 'good',
    })
    assert.equal(again.already_present, 3)
    assert.equal(again.reviewed, 0)
    assert.equal(again.needs_review, 0)
    const stored = await storedRows(hone, import_id)
    assert.deepEqual(
      stored.map(({ verdict, verdict_by, signals }) => [verdict, verdict_by, signals.length]),
      [
        ['rejected', 'person', 2],
        ['accepted', 'import', 1],
        ['rejected', 'person', 1],
      ],
    )
  })
})

describe('what cannot be an import', () => {
  const row = { prompt: 'a' }
  const offsetMax = Number.MAX_SAFE_INTEGER - importRowsMax
  const bad: [call: Record<string, unknown>, why: RegExp][] = [
    [{ rows: [row], import_id: '' }, /import_id/],
    [{ rows: [row], import_id: 'a b' }, /import_id/],
    [{ rows: [row], import_id: 'x'.repeat(129) }, /import_id/],
    [{ rows: [row], row_ids: ['a', 'b'] }, /row_ids must have one id for each row/],
    [{ rows: [row, row], row_ids: ['a', 'a'] }, /row_ids: holds "a" twice/],
    [{ rows: [row], row_ids: [''] }, /row_ids/],
    [{ rows: [row], row_ids: [7] }, /row_ids/],
    [{ rows: [row], row_ids: ['x'.repeat(201)] }, /row_ids/],
    [{ rows: [row], row_ids: ['\0'] }, /row_ids/],
    [{ rows: [row], row_offset: -1 }, /row_offset/],
    [{ rows: [row], row_offset: 1.5 }, /row_offset/],
    [{ rows: [row], row_offset: '1' }, /row_offset/],
    [{ rows: [row], row_offset: offsetMax + 1 }, /row_offset/],
  ]
  for (const [call, why] of bad) {
    test(`such as ${JSON.stringify(call).slice(0, 60)} is 400`, async () => {
      const answer = await postImport(hone, { rows: [], ...call })
      assert.equal(answer.status, 400, answer.text)
      assert.match(answer.json.error?.message ?? '', why)
    })
  }

  for (const row_offset of ['', ' ', '1 000', 'abc', '-1']) {
    test(`such as the offset ${JSON.stringify(row_offset)} beside lines is 400`, async () => {
      const answer = await postLines(hone, JSON.stringify(row), { row_offset })
      assert.equal(answer.status, 400, answer.text)
      assert.match(answer.json.error?.message ?? '', /^query field row_offset: must /)
    })
  }

  test('and the longest ids can', async () => {
    const result = await imported(hone, {
      rows: [row],
      import_id: 'x'.repeat(128),
      row_ids: ['𝒳'.repeat(100)],
      row_offset: offsetMax,
    })
    assert.equal(result.imported, 1)
  })

  test('and rows that are the same are told apart at the highest places too', async () => {
    const call = { rows: manyRows(importRowsMax).map(() => row), row_offset: offsetMax }
    const first = await imported(hone, { ...call, import_id: 'far' })
    assert.deepEqual([first.imported, first.already_present], [importRowsMax, 0])
    const again = await imported(hone, { ...call, import_id: 'far' })
    assert.deepEqual([again.imported, again.already_present], [0, importRowsMax])
  })
})
