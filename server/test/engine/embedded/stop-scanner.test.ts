// Stop strings: found across any split, and never seen, whole or in part.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { StopScanner } from '#server/engine/stop-scanner.ts'

function scan(pieces: string[], stops: string[]): { text: string; stop: string | null } {
  const scanner = new StopScanner(stops)
  let text = ''
  for (const piece of pieces) {
    const result = scanner.push(piece)
    text += result.text
    if (result.stop !== null) return { text, stop: result.stop }
  }
  return { text: text + scanner.end(), stop: null }
}

test('however the text is cut, what comes out ends before the first stop string', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '日'), maxLength: 20 })
  const stops = fc.array(
    fc.string({ unit: fc.constantFrom('a', 'b', '日'), minLength: 1, maxLength: 4 }),
    { maxLength: 3 },
  )
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 6 }), stops, (pieces, wanted) => {
      const whole = pieces.join('')
      const result = scan(pieces, wanted)
      assert.deepEqual(scan([whole], wanted), result)
      if (result.stop === null) {
        assert.equal(result.text, whole)
        assert.ok(wanted.every((stop) => !whole.includes(stop)))
      } else {
        assert.ok(whole.startsWith(result.text + result.stop))
        assert.ok(wanted.every((stop) => !result.text.includes(stop)))
      }
    }),
    { numRuns: 1000 },
  )
})

test('text that may be a beginning waits, and is let go when it is not', () => {
  const scanner = new StopScanner(['END'])
  assert.deepEqual(scanner.push('the E'), { text: 'the ', stop: null })
  assert.deepEqual(scanner.push('N'), { text: '', stop: null })
  assert.deepEqual(scanner.push('x'), { text: 'ENx', stop: null })
  assert.deepEqual(scanner.push('E'), { text: '', stop: null })
  assert.equal(scanner.end(), 'E')
})

test('of two, the one that is complete first counts, and of those that end together the longer one', () => {
  assert.deepEqual(scan(['abc tail'], ['abc', 'b']), { text: 'a', stop: 'b' })
  assert.deepEqual(scan(['ab', 'c tail'], ['abc', 'b']), { text: 'a', stop: 'b' })
  assert.deepEqual(scan(['x abc'], ['bc', 'abc']), { text: 'x ', stop: 'abc' })
})

test('a stop string of a million letters costs no more than reading the text', () => {
  const count = 1_000_000
  const almost = 'a'.repeat(count)
  const stop = `${almost}b`
  const pieces = Array.from({ length: 1000 }, () => 'a'.repeat(count / 1000))
  for (const text of [[`${almost}c`], [...pieces, ...pieces, 'c']]) {
    assert.deepEqual(scan(text, [stop]), { text: text.join(''), stop: null })
  }
  assert.deepEqual(scan([...pieces, ...pieces, 'b'], [stop]), { text: almost, stop })
})

test('an empty stop string stops nothing', () => {
  assert.deepEqual(scan(['ab'], ['']), { text: 'ab', stop: null })
})
