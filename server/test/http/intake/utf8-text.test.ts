// Bytes to text, cut anywhere.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Utf8Text } from '#server/lib/utf8-text.ts'

function decode(bytes: Buffer, cuts: number[]): string | null {
  const text = new Utf8Text()
  let at = 0
  for (const cut of [...cuts, bytes.length]) {
    if (!text.push(bytes.subarray(at, Math.max(at, cut)))) return null
    at = Math.max(at, cut)
  }
  return text.end()
}

function reference(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

const cutsIn = fc.array(fc.nat(60), { maxLength: 8 }).map((cuts) => cuts.sort((a, b) => a - b))

test('text comes out as it went in, and bytes that are no text do not', () => {
  const text = fc.string({ unit: 'binary', maxLength: 40 }).map((value) => Buffer.from(value))
  const bytes = fc.uint8Array({ maxLength: 12 }).map((value) => Buffer.from(value))
  const nearly = fc
    .array(fc.constantFrom(0x41, 0xc3, 0xa9, 0xe6, 0xbc, 0xa2, 0xf0, 0x9f, 0x98, 0x80, 0xed, 0xff))
    .map((value) => Buffer.from(value))
  fc.assert(
    fc.property(fc.oneof(text, bytes, nearly), cutsIn, (value, cuts) => {
      assert.equal(decode(value, cuts), reference(value))
    }),
    { numRuns: 5000 },
  )
})

test('the first and last characters of every length are read, wherever they are cut', () => {
  const edges = [
    '\u0080',
    '\u07ff',
    '\u0800',
    '\u0fff',
    '\ud7ff',
    '\uffff',
    '\u{10000}',
    '\u{10ffff}',
  ]
  for (const text of [...edges, ...edges.map((edge) => `a${edge}b`)]) {
    const bytes = Buffer.from(text)
    for (let first = 0; first <= bytes.length; first++) {
      for (let second = first; second <= bytes.length; second++) {
        assert.equal(decode(bytes, [first, second]), text)
      }
    }
  }
})

test('a character that others come between is none', () => {
  assert.equal(decode(Buffer.from([0xc3, 0x41, 0xa9]), [1, 2]), null)
  assert.equal(decode(Buffer.from([0xe6, 0xbc, 0x41, 0xa2]), [2, 3]), null)
})

test('a mark of byte order is dropped, once', () => {
  assert.equal(decode(Buffer.from('\ufeff{}'), []), '{}')
  assert.equal(decode(Buffer.from('{\ufeff}'), []), '{\ufeff}')

  for (let cut = 0; cut < 6; cut++) {
    assert.equal(decode(Buffer.from('\ufeff\ufeff{}'), [cut]), '\ufeff{}')
  }
})
