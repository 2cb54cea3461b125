// The tag that a pipeline's name makes.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { tag } from '#contract/sample.ts'
import { tagOfName } from '#server/loop/pipeline/tag-of-name.ts'
import fc from 'fast-check'

const id = '01900000-0000-7000-8000-0000a1b3c4d5'

describe('the tag of a name', () => {
  for (const [name, made] of [
    ['Support bot', 'support-bot'],
    ['  Support -- BOT!  ', 'support-bot'],
    ['Crème brûlée', 'creme-brulee'],
    ['Straße & Smørrebrød', 'strasse-smorrebrod'],
    ['Łódź Œuvre ÆTHER', 'lodz-oeuvre-aether'],
    ['v1.2_x', 'v1-2-x'],
    ['７Ｅ', '7e'],
    ['客服 2', '2'],
    ['客服', 'pipeline-b3c4d5'],
    ['Поддержка', 'pipeline-b3c4d5'],
    ['---', 'pipeline-b3c4d5'],
    ['a'.repeat(70), 'a'.repeat(63)],
    [`${'a'.repeat(62)} b`, 'a'.repeat(62)],
  ] as const) {
    test(`${JSON.stringify(name)} makes ${JSON.stringify(made)}`, () => {
      assert.equal(tagOfName(name, id), made)
    })
  }

  test('is a tag, whatever the name, and makes itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 120 }), (name) => {
        const made = tagOfName(name, id)
        assert.ok(tag.safeParse(made).success, made)
        assert.equal(tagOfName(made, id), made)
      }),
    )
  })
})
