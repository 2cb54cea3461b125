// Every beginning of a key or token that is known: with the shortest and the longest body it is one, with a shorter or a
// longer one, a body of plain words or another writing of the beginning it is none.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redactText } from '#server/samples/redact/redact-text.ts'
import { tokenFormats } from '#server/samples/redact/token-formats.ts'
import { tokenRows } from './token-rows.ts'

type Token = {
  prefix: string
  kind: string
  of: string
  min: number
  max: number | null
  looks: string[]
}

const tokens = tokenRows
  .trim()
  .split('\n')
  .flatMap((line): Token[] => {
    const [kind, of, length, looks, ...prefixes] = line.split(' ') as [
      string,
      string,
      string,
      string,
    ]
    const [min, max = null] = length.split('-').map(Number) as [number, number?]
    return prefixes.map((prefix) => ({ prefix, kind, of, min, max, looks: looks.split(',') }))
  })

/** What a body of each sort has besides letters and digits. */
const signsOf: Record<string, string> = {
  tokenic: '-_',
  dotted: '._-',
  path: '/-_',
  base64: '+/',
  wide: '+/-_',
  wideDotted: '.+/-_',
  dollars: '$-_',
}

function bodyOf({ of, looks }: Token, length: number): string {
  if (looks.includes('uuid')) return '550e8400-e29b-41d4-a716-446655440000'
  const pieces = of === 'hex' ? 'a1b2c3d4e5f60789' : 'hS7xQ2mK9pL4vR8wT3zB'
  let body = pieces.repeat(30).slice(0, length)
  // In the middle, so that it is looked at and what stands around it is none of them.
  for (const [at, sign] of [...(signsOf[of] ?? '')].entries()) {
    body = body.slice(0, 3 + 2 * at) + sign + body.slice(4 + 2 * at)
  }
  return looks.includes('capitals') ? body.toUpperCase() : body
}

const said = (value: string): string => `so it is ${value} they said`

function isTaken({ kind }: Token, value: string): boolean {
  const redacted = redactText(said(value)).text
  if (redacted === said(value)) return false
  assert.equal(redacted, said(`[redacted:${kind}]`), value)
  return true
}

/** Where another begins in it too, what is none of the one may be one of the other. */
const alone = tokens.filter(({ prefix, looks }) => {
  const words = prefix.split(/(?<=[^a-z0-9])/i).map((_, at, all) => all.slice(at).join(''))
  return tokens.every(
    (other) =>
      (other.prefix === prefix && other.looks.join() === looks.join()) ||
      !words.some((word) => word !== '' && word.startsWith(other.prefix)),
  )
})

test('every row of the table is told here, and none else', () => {
  const each = (list: readonly { prefix: string; min: number }[]): string[] =>
    list.map(({ prefix, min }) => `${prefix} ${min}`).sort()
  assert.deepEqual(each(tokens), each(tokenFormats))
})

test('the shortest and the longest are taken, whole', () => {
  for (const token of tokens) {
    const { prefix, min, max, looks } = token
    for (const length of looks.includes('uuid') ? [min] : [min, min + 1, max ?? min + 30]) {
      if (max !== null && length > max) continue
      assert.ok(isTaken(token, prefix + bodyOf(token, length)), `${prefix} ${length}`)
    }
  }
})

test('what is shorter or longer is not taken', () => {
  for (const token of alone) {
    const { prefix, min, max, looks } = token
    const shorter = bodyOf(token, min - 1).slice(0, min - 1)
    assert.ok(!isTaken(token, prefix + shorter), `${prefix} ${min - 1}`)
    if (max === null || looks.includes('uuid')) continue
    assert.ok(!isTaken(token, prefix + bodyOf(token, max + 1)), `${prefix} ${max + 1}`)
  }
})

test('letters alone are taken only where the beginning tells enough', () => {
  for (const token of alone) {
    const { prefix, of, min, max, looks } = token
    if (looks.includes('uuid')) {
      assert.ok(!isTaken(token, `${prefix}${'not-a-uuid-but-as-long-as-one-is-here'.slice(0, 36)}`))
      continue
    }
    const small = (of === 'hex' ? 'abcdefabcdeffedcba' : 'sometimesawordislong').repeat(20)
    const word = small.slice(0, max ?? min + 2)
    assert.equal(
      isTaken(token, prefix + (looks.includes('capitals') ? word.toUpperCase() : word)),
      !looks.includes('mixed'),
      prefix,
    )
    if (looks.includes('capitals'))
      assert.ok(!isTaken(token, prefix + bodyOf(token, min).replace('S', 's')))
    else if (of !== 'hex') {
      const cased = 'NtYbmkBpMSHRVmZjfmzMQjmeLwQx'.repeat(9)
      const isLong = min >= (looks.includes('mixed') ? 30 : 0)
      const isCased = looks.some((look) => look.startsWith('cased'))
      assert.equal(isTaken(token, prefix + cased.slice(0, min)), isLong || isCased, prefix)
    }
  }
})

test('a beginning in other letters is none', () => {
  for (const token of alone) {
    const { prefix, min } = token
    const other = prefix.replace(/[a-z]/i, (letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    )
    if (other === prefix || tokens.some((one) => other.startsWith(one.prefix))) continue
    assert.ok(!isTaken(token, other + bodyOf(token, min)), other)
  }
})
