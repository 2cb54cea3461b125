// The lines of an import: the same rows wherever the bytes are cut, and both sides of what one row may hold.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  type ReadRow,
  RowLines,
  rowsOfList,
  type RowSource,
} from '#server/samples/import/row-lines.ts'

function readAll(source: RowSource): ReadRow[] {
  return Array.from({ length: source.count }, (_, index) => source.read(index))
}

function linesOf(...pieces: readonly (string | Buffer)[]): RowLines {
  const lines = new RowLines()
  for (const piece of pieces) assert.equal(lines.push(Buffer.from(piece)), true)
  assert.equal(lines.end(), true)
  return lines
}

const read = (...pieces: readonly (string | Buffer)[]): ReadRow[] => readAll(linesOf(...pieces))
const rowsOf = (read: readonly ReadRow[]): unknown[] =>
  read.map((one) => ('row' in one ? one.row : one.refused))

const notJson = 'The row is not valid JSON.'
const tooLarge = 'The row is larger than 4,194,304 bytes.'
const holdsTooMuch = 'The row holds more values, or is nested deeper, than a request may.'

test('rows are the same wherever the bytes are cut, blanks inside of them too', () => {
  const blank = fc.string({ unit: fc.constantFrom(' ', '\t', '\r'), maxLength: 3 })
  const said = fc.string({
    unit: fc.constantFrom(' ', '  ', 'a', 'ä', '😀', '\\', '"', '\n', '\t'),
  })
  const line = fc.oneof(
    fc.constant(null),
    fc.tuple(said, said).map(([prompt, completion]) => ({ prompt, completion })),
  )
  fc.assert(
    fc.property(
      fc.array(fc.tuple(blank, line, blank), { maxLength: 6 }),
      fc.array(fc.nat(), { maxLength: 8 }),
      (lines, cuts) => {
        const text = lines
          .map(([before, row, after]) => before + (row ? JSON.stringify(row) : '') + after)
          .join('\n')
        const bytes = Buffer.from(text)
        const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length]
        const at = ends.sort((a, b) => a - b)
        const pieces = at.map((end, i) => bytes.subarray(at[i - 1] ?? 0, end))
        const expected = lines.flatMap(([, row]) => row ?? [])
        assert.deepEqual(
          read(...pieces),
          expected.map((row) => ({ row, content: JSON.stringify(row) })),
        )
      },
    ),
  )
})

describe('rows in number', () => {
  const row = '{"prompt":"a"}\n'

  test('are at most 5000, whether the last one ends with its line or with the body', () => {
    assert.equal(linesOf(row.repeat(5000)).count, 5000)
    assert.equal(linesOf(row.repeat(4999), '{"prompt":', '"a"}').count, 5000)
    const lines = new RowLines()
    assert.equal(lines.push(Buffer.from(`${row.repeat(5000)}{"prompt":"a"}`)), true)
    assert.equal(lines.end(), false, 'the one that ends with the body counts')
  })

  test('of one more are told before the body has ended', () => {
    const lines = new RowLines()
    assert.equal(lines.push(Buffer.from(row.repeat(5000))), true)
    assert.equal(lines.push(Buffer.from(row)), false)
  })
})

describe('a row', () => {
  const mib = 1024 * 1024
  /** A row of so many bytes. */
  const ofBytes = (bytes: number): string => `{"prompt":"${'x'.repeat(bytes - 13)}"}`
  const next = { prompt: 'next' }

  test('of as many bytes as a sample may have is read, and of one more is refused alone', () => {
    for (const cut of [4 * mib, mib, 1000]) {
      const cutAt = (text: string): string[] => [text.slice(0, cut), text.slice(cut)]
      const [most] = read(...cutAt(ofBytes(4 * mib)))
      assert.ok(most && 'row' in most)
      const over = `${JSON.stringify(next)}\n${ofBytes(4 * mib + 1)}\n${JSON.stringify(next)}`
      assert.deepEqual(rowsOf(read(...cutAt(over))), [next, tooLarge, next])
    }
    const [most, over] = readAll(
      rowsOfList([JSON.parse(ofBytes(4 * mib)), JSON.parse(ofBytes(4 * mib + 1))]),
    )
    assert.ok(most && 'row' in most)
    assert.deepEqual(over, { refused: tooLarge })
  })

  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
  /** Each with keys of its own, so that no two have one shape. */
  const shapes = (count: number): string =>
    `[${Array.from({ length: count }, (_, at) => `{"k${at}":0}`).join()}]`
  for (const [what, most, over] of [
    ['levels', nested(100), nested(101)],
    ['values', `[${'0,'.repeat(99_000)}0]`, `[${'0,'.repeat(100_001)}0]`],
    ['shapes', shapes(9000), shapes(15_000)],
    ['bytes of keys', `{"${'k'.repeat(mib - 10)}":0}`, `{"${'k'.repeat(mib + 1)}":0}`],
    ['digits', '7'.repeat(2 * mib - 10), '7'.repeat(2 * mib + 1)],
    ['escapes', `"${'\\n'.repeat(1_999_999)}"`, `"${'\\n'.repeat(2_000_001)}"`],
  ] as const) {
    test(`of more ${what} than one request may have is refused alone`, () => {
      const rows = read(`${most}\n`, `${over}\n`, JSON.stringify(next))
      const refused = rows.map((row) => ('refused' in row ? row.refused : null))
      assert.deepEqual(refused, [null, holdsTooMuch, null])
    })
  }

  test('of bytes that are no text, or of no JSON, is refused alone', () => {
    const bad = [
      Buffer.from('{"prompt":"\xff"}\n', 'latin1'),
      '{"prompt":\n',
      'nonsense\n',
      '"\n',
      '{"a":1]\n',
      '}\n',
    ]
    const expected = bad.flatMap(() => [notJson, next])
    const pieces = bad.flatMap((line) => [line, `${JSON.stringify(next)}\n`])
    assert.deepEqual(rowsOf(read(...pieces)), expected)
  })

  test('is let go of once it was read', () => {
    for (const source of [linesOf('{"prompt":"a"}'), rowsOfList([{ prompt: 'a' }])]) {
      const [first, again] = [source.read(0), source.read(0)]
      assert.deepEqual('row' in first && first.row, { prompt: 'a' })
      assert.ok('refused' in again || again.row === null)
    }
  })
})
