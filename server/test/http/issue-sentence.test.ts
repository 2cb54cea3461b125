// Every way a value can fail a schema, each told in one sentence: the field as a client writes it, what it must be, and of
// what kind it is instead.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { z } from 'zod'
import { inOurWords, issueSentence } from '#server/core/issue-sentence.ts'

function tell(schema: z.ZodType, value: unknown, where = 'body'): string {
  const [issue] = schema.safeParse(value, inOurWords).error?.issues ?? []
  assert.ok(issue, 'the value is in order')
  return issueSentence(issue, where)
}

const field = (schema: z.ZodType) => z.strictObject({ f: schema })
const date = z.iso.date()
const datetime = z.iso.datetime()
const shapes = z.union([
  z.strictObject({ verdict: z.enum(['good', 'bad']), why: z.string().optional() }),
  z.enum(['good', 'bad']),
])
const tagged = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('a') }),
  z.object({ kind: z.literal('b'), size: z.number() }),
])

type Line = [what: string, schema: z.ZodType, value: unknown, sentence: string]

const kinds: Line[] = [
  ['string', z.string(), 7, 'must be a string, not a number'],
  ['string', z.string(), null, 'must be a string, not null'],
  ['number', z.number(), '7', 'must be a number, not a string'],
  ['number', z.number(), NaN, 'must be a number'],
  ['coerced number', z.coerce.number(), 'x', 'must be a number'],
  ['whole number', z.number().int(), 1.5, 'must be a whole number'],
  ['whole number', z.int(), '1', 'must be a number, not a string'],
  ['boolean', z.boolean(), 'yes', 'must be true or false, not a string'],
  ['string', z.string(), true, 'must be a string, not a boolean'],
  ['list', z.array(z.string()), {}, 'must be a list, not an object'],
  ['pair', z.tuple([z.string()]), 'a', 'must be a list, not a string'],
  ['object', z.object({}), [], 'must be an object, not a list'],
  ['record', z.record(z.string(), z.number()), 'a', 'must be an object, not a string'],
  ['null', z.null(), 'a', 'must be null, not a string'],
  ['nothing', z.never(), 'a', 'must be left out'],
  ['nothing', z.undefined(), 'a', 'must be left out'],
]

const missing: Line[] = [
  ['string', z.string(), undefined, 'must be a string and is missing'],
  ['list', z.array(z.string()), undefined, 'must be a list and is missing'],
  ['values', z.enum(['a', 'b']), undefined, 'must be one of a, b, and is missing'],
  ['format', datetime, undefined, 'must be a string and is missing'],
  [
    'union',
    z.union([z.string(), z.number()]),
    undefined,
    'must be a string or a number and is missing',
  ],
  ['made required', z.string().optional().nonoptional(), undefined, 'is missing'],
]

const values: Line[] = [
  ['several', z.enum(['a', 'b', 'c']), 'd', 'must be one of a, b, c'],
  ['several', z.enum(['a', 'b']), 7, 'must be one of a, b, not a number'],
  ['several', z.literal(['a b', 1, null, true]), 'c', 'must be one of "a b", 1, null, true'],
  ['one', z.literal('a'), 'b', 'must be a'],
  ['one', z.literal(7), '7', 'must be 7, not a string'],
]

const formats: Line[] = [
  ['id', z.uuid(), 'x', 'must be an id such as 01900000-0000-7000-8000-000000000000'],
  ['date', date, 'x', 'must be a date such as 2026-01-31'],
  ['time', datetime, 'x', 'must be a date and time such as 2026-01-31T12:00:00Z'],
  ['e-mail', z.email(), 'x', 'must be an e-mail address'],
  ['web address', z.url(), 'x', 'must be a web address'],
  ['another', z.ipv4(), 'x', 'must be a string of the format ipv4'],
  ['with a message', z.string().regex(/^a$/, 'must be the letter a'), 'x', 'must be the letter a'],
]

const limits: Line[] = [
  ['short', z.string().min(3), 'ab', 'must have at least 3 characters'],
  ['empty', z.string().min(1), '', 'must not be empty'],
  ['long', z.string().max(1), 'ab', 'must have at most 1 character'],
  ['exact', z.string().length(3), 'ab', 'must have exactly 3 characters'],
  ['few', z.array(z.any()).min(2), [], 'must hold at least 2 entries'],
  ['no entries', z.array(z.any()).min(1), [], 'must not be empty'],
  ['many', z.array(z.any()).max(1), [1, 2], 'must hold at most 1 entry'],
  ['small', z.number().min(1), 0, 'must be at least 1'],
  ['large', z.number().max(10), 11, 'must be at most 10'],
  ['not above', z.number().gt(0), 0, 'must be more than 0'],
  ['not below', z.number().lt(1), 1, 'must be less than 1'],
  ['unsafe', z.number().int(), 2 ** 60, 'must be at most 9,007,199,254,740,991'],
  ['step', z.number().multipleOf(5), 7, 'must be a multiple of 5'],
]

const others: Line[] = [
  ['own message', z.string().refine(() => false, 'must rhyme'), 'x', 'must rhyme'],
  ['no message', z.string().refine(() => false), 'x', 'is not valid'],
  [
    'either of two formats',
    z.union([datetime, date]),
    'x',
    'must be a date and time such as 2026-01-31T12:00:00Z or a date such as 2026-01-31',
  ],
  [
    'either of two formats, of another kind',
    z.union([datetime, date]),
    7,
    'must be a string, not a number',
  ],
  [
    'either of two lists of words',
    z.union([z.enum(['a', 'b']), z.enum(['b', 'c'])]),
    'x',
    'must be one of a, b, c',
  ],
  [
    'either of two kinds',
    z.union([z.string(), z.number()]),
    [],
    'must be a string or a number, not a list',
  ],
  ['an object or a word', shapes, 7, 'must be an object or one of good, bad, not a number'],
  ['an object or a word', shapes, 'x', 'must be an object or one of good, bad'],
  ['a union with a message', z.union([z.string(), z.number()], 'must be nice'), [], 'must be nice'],
  [
    'a union that knows nothing better',
    z.union([z.string().refine(() => false), z.string().refine(() => false)]),
    'x',
    'is not valid',
  ],
  [
    'more than one form',
    z.xor([z.string(), z.string().min(1)]),
    'x',
    'matches more than one of the allowed forms',
  ],
  [
    'an entry of a set',
    z.preprocess((list) => new Set(list as string[]), z.set(z.string())),
    [7],
    'must be a string, not a number',
  ],
]

for (const [title, lines] of Object.entries({ kinds, missing, values, formats, limits, others })) {
  describe(title, () => {
    for (const [what, schema, value, problem] of lines) {
      test(`${what}: ${problem}`, () => {
        const sentence = tell(field(schema), value === undefined ? {} : { f: value })
        assert.equal(sentence, `body field f: ${problem}.`)
        assert.doesNotMatch(sentence, /undefined|nonoptional|never|Invalid input|NaN/)
      })
    }
  })
}

describe('where it is', () => {
  const rows = z.strictObject({
    rows: z.array(z.strictObject({ messages: z.array(z.object({ role: z.string() })) })),
  })
  const good = { messages: [] }

  test('a field deep inside is named as it is written', () => {
    const bad = { messages: [{ role: 7 }] }
    assert.equal(
      tell(rows, { rows: [good, good, good, bad] }),
      'body field rows[3].messages[0].role: must be a string, not a number.',
    )
  })

  test('the whole is named by its part of the request', () => {
    assert.equal(tell(rows, []), 'The body must be an object, not a list.')
    assert.equal(tell(rows, 'x', 'query'), 'The query must be an object, not a string.')
  })

  test('the closest branch of a union is looked into', () => {
    assert.equal(
      tell(field(shapes), { f: { verdict: 'x' } }),
      'body field f.verdict: must be one of good, bad.',
    )
    assert.equal(
      tell(field(shapes), { f: { verdict: 'good', why: 7 } }),
      'body field f.why: must be a string, not a number.',
    )
    assert.equal(
      tell(field(shapes), { f: { verdict: 'good', who: 7 } }),
      'Unknown field in the body: f.who.',
    )
    const either = z.union([
      z.object({ a: z.string(), b: z.string() }),
      z.object({ c: z.array(shapes) }),
    ])
    assert.equal(
      tell(field(either), { f: { c: [{ verdict: 'bad', why: 7 }] } }),
      'body field f.c[0].why: must be a string, not a number.',
    )
  })

  test('of forms told apart by one field, that field is named', () => {
    assert.equal(
      tell(field(tagged), { f: {} }),
      'body field f.kind: must be one of a, b, and is missing.',
    )
    assert.equal(
      tell(field(tagged), { f: { kind: 7 } }),
      'body field f.kind: must be one of a, b, not a number.',
    )
    assert.equal(
      tell(field(tagged), { f: { kind: 'b' } }),
      'body field f.size: must be a number and is missing.',
    )
  })

  test('unknown fields are named, so many and so far as is useful', () => {
    assert.equal(tell(rows, { rows: [], a: 1, b: 1 }), 'Unknown field in the body: a, b.')
    assert.equal(
      tell(rows, { rows: [{ ...good, extra: 1 }] }),
      'Unknown field in the body: rows[0].extra.',
    )
    const many = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`f${i}`, 1]))
    assert.match(tell(rows, { rows: [], ...many }), /: f0, f1, .*, f9 and 2 more\.$/)
    const long = tell(rows, { rows: [], ['x'.repeat(100_000)]: 1 })
    assert.ok(long.length < 200 && long.includes('xxx...'), long)
    assert.equal(tell(rows, { rows: [], 'a\n"b': 1 }), 'Unknown field in the body: ["a\\n\\"b"].')
  })

  test('a bad key of a record is named', () => {
    const byTag = z.record(z.string().regex(/^[a-z]+$/, 'must be lower case letters'), z.number())
    assert.equal(
      tell(field(byTag), { f: { mail: 1, 'A B': 2 } }),
      'body field f["A B"]: has a name that must be lower case letters.',
    )
    assert.equal(
      tell(field(z.record(z.enum(['a', 'b']), z.number())), { f: { a: 1 } }),
      'body field f.b: must be a number and is missing.',
    )
    assert.equal(
      tell(field(z.partialRecord(z.enum(['a', 'b']), z.number())), { f: { a: 1, c: 1 } }),
      'Unknown field in the body: f.c.',
    )
  })
})

test('no sentence repeats what was sent', () => {
  const all = [...kinds, ...values, ...formats, ...limits]
  for (const [, schema] of all) {
    const parsed = field(schema).safeParse({ f: 'hunter2 hunter2' }, inOurWords)
    for (const issue of parsed.error?.issues ?? [])
      assert.ok(!issueSentence(issue, 'body').includes('hunter2'))
  }
})
