// The table of who gave feedback before, and who gives it now.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Giver } from '#contract/sample.ts'
import { countsInstead } from '#server/samples/feedback/feedback-that-counts.ts'

for (const [given, counting, expected] of [
  ['person', null, true],
  ['person', 'person', true],
  ['person', 'import', true],
  ['person', 'judge', true],
  ['import', null, true],
  ['import', 'person', false],
  ['import', 'import', true],
  ['import', 'judge', true],
  ['judge', null, true],
  ['judge', 'person', false],
  ['judge', 'import', false],
  ['judge', 'judge', true],
] satisfies [Giver, Giver | null, boolean][]) {
  const standing =
    counting === null ? 'where nothing counts' : `where the word of a ${counting} counts`
  test(`what a ${given} says ${expected ? 'counts' : 'does not count'} ${standing}`, () => {
    assert.equal(countsInstead(given, counting), expected)
  })
}
