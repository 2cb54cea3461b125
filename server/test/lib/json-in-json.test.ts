import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { openingOf, standIn, takeOut, TextInPieces, writeAround } from '#server/lib/json-in-json.ts'

const opening = openingOf('content')
const long = 'Lorem ipsum. '.repeat(60)

/** JSON of a text as another program may write it: everything that may be escaped is. */
function escaped(text: string): string {
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`
}

const odd = fc.oneof(
  fc.constantFrom('"', '\\', '\\"', '"content":"', '\n', '\u2028', '\ud83d\ude00', '\ud800', '/'),
  fc.string({ unit: 'binary', maxLength: 12 }),
)
const text = fc.array(odd).map((pieces) => pieces.join(long))

describe('taking a string out of JSON', () => {
  test('leaves the stand-in, and gives its JSON', () => {
    fc.assert(
      fc.property(text, fc.boolean(), (said, isEscaped) => {
        const literal = isEscaped ? escaped(said) : JSON.stringify(said)
        const parts = takeOut(`{"a":[{ "content" : ${literal} ,"b":1}]}`, opening)
        if (literal.length < 512) return assert.equal(parts, null)
        assert.equal(parts?.taken, literal)
        assert.deepEqual(JSON.parse(parts.around), { a: [{ content: standIn, b: 1 }] })
      }),
      { numRuns: 500 },
    )
  })

  for (const [what, json] of Object.entries({
    'no string of that name': `{"text":"${long}"}`,
    'a string without an end': `{"content":"${long}`,
    'a string whose last quote is escaped': `{"content":"${long}\\"}`,
    'a short one': `{"content":"short","text":"${long}"}`,
    'something else than a string': `{"content":["${long}"]}`,
  })) {
    test(`${what}: there is nothing to take out`, () => assert.equal(takeOut(json, opening), null))
  }

  test('a backslash before the closing quote that is itself escaped does not hide it', () => {
    assert.equal(takeOut(`{"content":"${long}\\\\"}`, opening)?.taken, `"${long}\\\\"`)
  })
})

test('writing around texts is writing them in their places', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 4 }), fc.jsonValue(), (texts, rest) => {
      const value = (place: (text: string) => string): object => ({
        rest,
        blocks: texts.map((said) => ({ type: 'text', text: place(said) })),
      })
      const written = writeAround(
        value(() => standIn),
        texts.map((said) => JSON.stringify(said)),
      )
      assert.equal(written, JSON.stringify(value((said) => said)))
    }),
  )
})

describe('a text in pieces', () => {
  test('has the same JSON value whether its pieces bring theirs or not', () => {
    const piece = fc.record({ said: text, brings: fc.constantFrom('none', 'plain', 'escaped') })
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const whole = new TextInPieces()
        for (const { said, brings } of pieces) {
          if (brings === 'none') whole.add(said)
          else whole.add(said, brings === 'plain' ? JSON.stringify(said) : escaped(said))
        }
        const said = pieces.map((one) => one.said).join('')
        assert.equal(whole.text, said)
        assert.equal(JSON.parse(whole.json), said)
      }),
      { numRuns: 500 },
    )
  })

  test('is not written anew where every piece brought its JSON', () => {
    const whole = new TextInPieces()
    whole.add(`${long}/`, `"${long}\\/"`)
    whole.add(`${long}é`, `"${long}\\u00e9"`)
    assert.equal(whole.json, `"${long}\\/${long}\\u00e9"`)
  })

  test('a character that is cut between two pieces is whole again', () => {
    const whole = new TextInPieces()
    whole.add(`${long}\ud83d`, `"${long}\\ud83d"`)
    whole.add(`\ude00${long}`, `"\\ude00${long}"`)
    assert.equal(JSON.parse(whole.json), `${long}😀${long}`)
  })
})
