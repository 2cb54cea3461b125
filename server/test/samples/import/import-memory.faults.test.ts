// Imports hand their rows over in memory that is used again: what is stored of one is never a part of another, whether they
// come one behind the other or side by side.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readStoredText } from '#server/samples/sample/stored-text.ts'
import { imported } from '#test/support/imports.ts'
import { type TestHone, testHone } from '#test/support/test-hone.ts'

let hone: TestHone
before(async () => {
  hone = await testHone()
})
after(() => hone.stop())

type Row = { prompt: string; completion: string }

const rowsOf = (name: string, count: number, length: number): Row[] =>
  Array.from({ length: count }, (_, index) => ({
    prompt: `${name} asks ${index} ${'ä'.repeat(length)}`,
    completion: `${name} answers ${index} ${'z'.repeat(length)}`,
  }))

async function assertStored(importId: string, rows: readonly Row[]): Promise<void> {
  const stored = await hone.app.storage.db
    .selectFrom('sample')
    .innerJoin('sample_text', 'sample_text.sample_id', 'sample.id')
    .where('import_id', '=', importId)
    .orderBy('sample.row_key')
    .select(['conversation', 'search_text'])
    .execute()
  assert.equal(stored.length, rows.length)
  for (const [at, { prompt, completion }] of rows.entries()) {
    const { conversation, search_text } = stored[at] as (typeof stored)[number]
    const text = (said: string): object => ({ type: 'text', text: said })
    const messages = [{ role: 'user', blocks: [text(prompt)] }]
    const whole = { tools: [], system: [], messages, answer: [text(completion)] }
    assert.deepEqual(readStoredText(conversation), whole)
    assert.equal(search_text, null)
  }
}

test('one behind the other, longer and shorter', async () => {
  for (const [name, length] of Object.entries({ long: 900, short: 3, longer: 1500, tiny: 0 })) {
    const rows = rowsOf(name, 1200, length)
    await assertStored((await imported(hone, { rows })).import_id, rows)
  }
})

test('side by side', async () => {
  const all = ['a', 'b', 'c', 'd'].map((name, at) => rowsOf(name, 1500, 200 * at))
  const answers = await Promise.all(all.map((rows) => imported(hone, { rows })))
  for (const [at, { import_id }] of answers.entries()) {
    await assertStored(import_id, all[at] as Row[])
  }
})
