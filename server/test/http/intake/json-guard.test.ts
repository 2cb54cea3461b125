// The guard alone: what it refuses, that cutting the text changes nothing, and that it takes linear time.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type JsonFault, JsonGuard, type JsonLimits } from '#server/lib/json-guard.ts'

const limits: JsonLimits = {
  depthMax: 100,
  valuesMax: 100_000,
  shapesMax: 10_000,
  keyBytesMax: 1024 * 1024,
  numberBytesMax: 2 * 1024 * 1024,
  escapesMax: 2_000_000,
}

function verdict(
  text: string | Buffer,
  changes: Partial<JsonLimits> = {},
  pieceBytes = 65_536,
): JsonFault | null {
  const guard = new JsonGuard({ ...limits, ...changes })
  const bytes = Buffer.from(text as string)
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const fault = guard.push(bytes.subarray(at, at + pieceBytes))
    if (fault) return fault
  }
  return null
}

/** The same bounds over whole tokens, with none of the guard's code. */
function expected(text: string, { depthMax, valuesMax }: JsonLimits): JsonFault | null {
  const open: string[] = []
  let values = 0
  let keyNext = false
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/gs)) {
    if (token === '{' || token === '[') {
      if (open.push(token) > depthMax) return 'depth'
      keyNext = token === '{'
      values++
    } else if (token === '}' || token === ']') {
      open.pop()
      keyNext = false
    } else if (token === ',') keyNext = open.at(-1) === '{'
    else if (token !== ':') {
      if (!keyNext) values++
      keyNext = false
    }
    if (values > valuesMax) return 'values'
  }
  return null
}

const jsonText = fc
  .tuple(
    fc.jsonValue({ maxDepth: 8, noUnicodeString: false }),
    fc.constantFrom(undefined, 2, '\t', '  \n'),
  )
  .map(([value, indent]) => JSON.stringify(value, null, indent))

test('P3: any JSON text cut anywhere gets the verdict of whole tokens', () => {
  fc.assert(
    fc.property(
      jsonText,
      fc.array(fc.nat(40), { minLength: 1 }),
      fc.integer({ min: 0, max: 6 }),
      fc.integer({ min: 0, max: 30 }),
      (text, cuts, depthMax, valuesMax) => {
        const small = { ...limits, depthMax, valuesMax }
        const guard = new JsonGuard(small)
        let rest = Buffer.from(text)
        let fault: JsonFault | null = null
        for (let turn = 0; rest.length > 0; turn++) {
          const size = cuts[turn % cuts.length]! || 1
          fault = guard.push(rest.subarray(0, size))
          rest = rest.subarray(size)
        }
        assert.equal(fault, expected(text, small))
      },
    ),
    { numRuns: 2000 },
  )
})

test('P3: any bytes, cut anywhere, get the verdict they get in one piece', () => {
  const bytes = fc
    .array(fc.constantFrom(...'[]{},:"\\ 1nu\n', 'é', '\u0000'), { maxLength: 200 })
    .map((characters) => Buffer.from(characters.join('')))
  const tight = { depthMax: 3, valuesMax: 9, shapesMax: 2, keyBytesMax: 20, numberBytesMax: 9 }
  fc.assert(
    fc.property(bytes, fc.integer({ min: 1, max: 9 }), (text, size) => {
      const changes = { ...tight, escapesMax: 3 }
      assert.equal(verdict(text, changes, size), verdict(text, changes))
    }),
    { numRuns: 3000 },
  )
})

test('a text full of quotes, brackets and escapes is one value, wherever it is cut', () => {
  const tricky = '"]}[{,:\\\\\\" é漢😀 \u2028 \\u0022 '.repeat(9)
  const text = JSON.stringify({ [tricky]: [tricky, tricky.repeat(20)] })
  const bytes = Buffer.from(text)
  for (let cut = 0; cut <= bytes.length; cut++) {
    const guard = new JsonGuard({ ...limits, depthMax: 2, valuesMax: 4 })
    guard.push(bytes.subarray(0, cut))
    assert.equal(guard.push(bytes.subarray(cut)), null, `cut at ${cut}`)
    assert.equal(guard.values, 4)
  }
})

for (const depth of [1e3, 1e4, 1e5, 1e6, 1e7]) {
  test(`P2: a depth of ${depth} is refused at the 101st level`, () => {
    for (const open of ['[', '{"a":', '[{"":']) {
      assert.equal(verdict(open.repeat(Math.min(depth, 2e6))), 'depth')
      const guard = new JsonGuard(limits)
      assert.equal(guard.push(Buffer.from(open.repeat(open === '[{"":' ? 50 : 100))), null)
      assert.equal(guard.push(Buffer.from('[')), 'depth')
    }
  })
}

const list = (count: number, item: (index: number) => string): string =>
  `[${Array.from({ length: count }, (_, index) => item(index)).join()}]`
const object = (count: number, key: (index: number) => string): string =>
  `{${Array.from({ length: count }, (_, index) => `"${key(index)}":1`).join()}}`

for (const [name, text, fault] of [
  ['32 MiB of [],', `[${'[],'.repeat((32 * 1024 * 1024) / 3)}`, 'values'],
  ['2 MiB of numbers with nothing between them', '1 '.repeat(1024 * 1024), 'malformed'],
  ['lists with nothing between them', '[[] []]', 'malformed'],
  ['a text behind a key with nothing between them', '{"a" "b"}', 'malformed'],
  ['a comma behind the whole text', '[],', 'malformed'],
  ['100,000 values', list(99_999, () => '1'), null],
  ['100,001 values', list(100_000, () => '1'), 'values'],
  ['a million keys', object(1e6, (index) => `k${index}`), 'shapes'],
  ['5,000 keys', object(5000, (index) => `k${index}`), null],
  ['one key again and again in one object', object(50_000, () => 'a'), 'shapes'],
  ['integer-like keys', object(1e6, (index) => String(4_294_967_294 - index)), 'shapes'],
  ['sparse integer keys', list(1e5, (index) => `{"${index * 40_000}":1}`), 'shapes'],
  ['many orders of few keys', list(2e4, orderOfKeys), 'shapes'],
  ['one shape again and again', list(20_000, () => '{"role":"user","content":"x"}'), null],
  ['long keys', object(2000, (index) => `${'k'.repeat(2000)}${index}`), 'key-bytes'],
  ['one number of 2 MiB', '1'.repeat(2 << 20), null],
  ['one number of 2 MiB and a digit', `1${'1'.repeat(2 << 20)}`, 'number-bytes'],
  ['2 million escapes', `"${'\\n'.repeat(2e6)}"`, null],
  ['2 million escapes and one', `"${'\\n'.repeat(2e6 + 1)}"`, 'escapes'],
  ['one number of 3 MiB', '1'.repeat(3 << 20), 'number-bytes'],
  ['5 million escapes', `"${'\\u0041'.repeat(5e6)}"`, 'escapes'],
  ['one text of 32 MiB', `"${'a'.repeat(32 * 1024 * 1024 - 2)}"`, null],
  ['a bracket too many', '[]]', 'malformed'],
  ['brackets that do not match', '[{"a":[}]', 'malformed'],
  ['3 MiB of one letter', 'a'.repeat(3 << 20), 'malformed'],
  ['3 MiB of the first letter of a word', 't'.repeat(3 << 20), 'malformed'],
  ['3 MiB of a letter of numbers', 'e'.repeat(3 << 20), 'malformed'],
  ['3 MiB of prose', 'not a word of JSON '.repeat((3 << 20) / 19), 'malformed'],
  ['3 MiB of letters beyond ASCII', 'é'.repeat(3 << 19), 'malformed'],
  ['a number that goes on with letters', `[1${'a'.repeat(3 << 20)}]`, 'malformed'],
  ['a word that goes on', '[nullnull]', 'malformed'],
  ['words and numbers', '[true,false ,null\n,-1.5E+3,0,2e-7]', null],
  ['a mark of byte order', '\ufeff{"a":true}', null],
  ['a mark of byte order behind the start', '[\ufeff1]', 'malformed'],
] as const) {
  test(`${name}: ${fault ?? 'passes'}`, () => {
    assert.equal(verdict(text), fault)
  })
}

function orderOfKeys(index: number): string {
  const key = (digit: number): string => String.fromCharCode(97 + digit)
  const digits = [index % 26, Math.floor(index / 26) % 26, Math.floor(index / 676) % 26]
  return `{${digits.map((digit, place) => `"${key(digit)}${place}":1`).join()}}`
}

test('what is escaped in keys counts like what is escaped in texts', () => {
  const text = JSON.stringify({ '\n\n': '\n' })
  assert.equal(verdict(text, { escapesMax: 3 }), null)
  assert.equal(verdict(text, { escapesMax: 2 }), 'escapes')
})

test('P3: reading takes time in proportion to the bytes, also for texts full of escapes', () => {
  const free = { ...limits, escapesMax: Infinity, valuesMax: Infinity, numberBytesMax: Infinity }
  for (const piece of ['\\"', `${'a'.repeat(40)}\\\\`, '","']) {
    const time = (bytes: number, repetitions: number): number => {
      const text = Buffer.from(`["${piece.repeat(bytes / piece.length)}"]`)
      const times = Array.from({ length: 5 }, () => {
        const start = process.cpuUsage()
        for (let i = 0; i < repetitions; i++) verdict(text, free, text.length)
        return process.cpuUsage(start).user
      })
      return Math.min(...times)
    }
    // The same number of bytes, in one piece or in eight. The system counts processor time in ticks of some milliseconds.
    const [inEight, inOne] = [time(1 << 18, 8), time(1 << 21, 1)]
    assert.ok(
      inOne < 5 * Math.max(inEight, 15_000),
      `${piece}: ${inEight} and ${inOne} microseconds`,
    )
  }
})
