// Marks in a row: any number of them is normalized in a time that grows with the text, and what people write stays as it is.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareAnswers } from '#server/engine/judge-basic/compare-answers.ts'
import { streamSafe } from '#server/lib/stream-safe.ts'
import { foldForSearch } from '#server/samples/sample/search-text.ts'

const joiner = '\u034f'

test('a text with up to thirty marks in a row stays as it is', () => {
  for (const text of [
    '',
    'abc',
    'e\u0301',
    'مَرْحَبًا',
    'ｶﾞ',
    `a${'\u0301'.repeat(30)}b${'\u0323'.repeat(30)}`,
  ]) {
    assert.equal(streamSafe(text), text)
  }
})

test('of more marks, every thirty are followed by a joiner, and none is lost', () => {
  for (const mark of ['\u0301', '\u0323', '\uff9e', '\u{1d165}']) {
    const text = `a${mark.repeat(61)}b`
    const safe = `a${mark.repeat(30)}${joiner}${mark.repeat(30)}${joiner}${mark}b`
    assert.equal(streamSafe(text), safe)
  }
})

// Marks are sorted by their class one by one: without joiners, each of these took minutes.
const count = 250_000
const hostile = {
  'a letter': `a${'\u0301'.repeat(count)}${'\u0323'.repeat(count)}`,
  'signs that become marks': `ｶ${'\u0301'.repeat(count)}${'\uff9e'.repeat(count)}`,
}
for (const [what, text] of Object.entries(hostile)) {
  test(`hundreds of thousands of marks behind ${what} are folded and compared like any text`, () => {
    const folded = foldForSearch(text)
    assert.equal(folded, foldForSearch(folded))
    assert.equal(compareAnswers(text, text.toUpperCase()).score, 1)
    assert.equal(compareAnswers(text, 'b').score, 0)
    assert.equal(compareAnswers(`["${text}"]`, `["${text}", 1]`).score > 0.5, true)
  })
}
