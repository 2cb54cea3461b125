// Rows of any kind: each is stored or refused with a reason, none is lost, and none brings the server down.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { importResult } from '#contract/import.ts'
import { imported, postLines, served, storedRows } from '#test/support/imports.ts'
import { type TestHone, testHone } from '#test/support/test-hone.ts'

let hone: TestHone
before(async () => {
  hone = await testHone()
})
after(() => hone.stop())

const anything = fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' })
const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.constant('a'))
const message = fc.record(
  {
    role: fc.constantFrom(
      ...['system', 'developer', 'user', 'assistant', 'tool', 'function', 'robot'],
    ),
    content: fc.oneof(text, anything),
    tool_calls: fc.oneof(
      anything,
      fc.constant([{ id: 'c', function: { name: 'f', arguments: '{}' } }]),
      fc.constant([{ function: { name: 'f', arguments: {} } }]),
    ),
    function_call: fc.oneof(anything, fc.constant({ name: 'f', arguments: '{}' })),
    tool_call_id: fc.oneof(fc.constant('c'), anything),
    name: fc.oneof(fc.constant('f'), anything),
  },
  { requiredKeys: ['role'] },
)
const messages = fc.array(message, { maxLength: 5 })
const reply = fc.oneof(text, messages, message, anything)
const row = fc.oneof(anything, {
  weight: 4,
  arbitrary: fc.record(
    {
      messages: fc.oneof(messages, anything),
      prompt: fc.oneof(text, messages),
      completion: reply,
      chosen: reply,
      rejected: reply,
      correction: fc.oneof(text, anything),
      ground_truth: text,
      label: fc.oneof(fc.boolean(), anything),
      tools: anything,
      functions: fc.oneof(anything, fc.constant([{ name: 'f' }])),
      system: fc.oneof(text, anything),
      text,
      feedback: anything,
      ['__proto__']: anything,
    },
    { requiredKeys: [] },
  ),
})

function checkSums(result: Awaited<ReturnType<typeof imported>>, sent: number): void {
  importResult.parse(result)
  assert.equal(result.imported + result.refused, sent)
  assert.equal(result.refused_why.flatMap(({ rows }) => rows).length, result.refused)
  assert.equal(result.trace_ids.length, result.imported)
  assert.equal(result.reviewed + result.needs_review, result.imported)
  assert.equal(
    Object.values(result.by_shape).reduce((sum, count) => sum + count, 0),
    result.imported,
  )
}

test('rows of any JSON are stored or refused, and can be read back', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 30 }), async (rows) => {
      const result = await imported(hone, { rows })
      checkSums(result, rows.length)
      assert.equal((await storedRows(hone, result.import_id)).length, result.imported)
      const again = await imported(hone, { rows, import_id: result.import_id })
      assert.equal(again.already_present, result.imported)
    }),
    { numRuns: 60 },
  )
})

test('lines of any bytes are stored or refused', async () => {
  const line = fc.oneof(
    row.map((value) => Buffer.from(JSON.stringify(value))),
    fc.uint8Array({ minLength: 1 }).map((bytes) => Buffer.from(bytes)),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 20 }), async (lines) => {
      const bytes = new Uint8Array(Buffer.concat(lines.flatMap((one) => [one, Buffer.from('\n')])))
      const answer = await postLines(hone, bytes)
      if (answer.status === 400) return assert.match(answer.text, /no rows/)
      const result = served(answer)
      checkSums(result, result.imported + result.refused)
    }),
    { numRuns: 60 },
  )
})
