// What the demo prints: calls without their secrets, and progress on a terminal and elsewhere.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Printout } from '#server/demo/printout.ts'
import { shortBody } from '#server/demo/short-body.ts'

test('the body of a call hides passwords and cuts long lists and texts', () => {
  assert.equal(
    shortBody({ email: 'a@b.example', password: 'secret' }),
    '{"email": "a@b.example", "password": "..."}',
  )
  assert.equal(
    shortBody({ rows: Array.from({ length: 1200 }, (_, id) => ({ id })) }),
    '{"rows": [{"id": 0}, ... 1,199 more]}',
  )
  assert.equal(
    shortBody({ on: true, none: null, list: [1, 2] }),
    '{"on": true, "none": null, "list": [1, 2]}',
  )
  assert.ok(shortBody('word '.repeat(100)).length < 100)
})

function printed(isTTY: boolean, act: (paper: Printout) => void): string {
  let text = ''
  const output = { isTTY, columns: 60, write: (part: string) => ((text += part), true) }
  act(new Printout(output))
  return text
}

const training = (paper: Printout): void => {
  for (const step of [1, 2, 30, 31, 60]) {
    paper.going({ what: 'training', share: step / 60, detail: `step ${step}` })
  }
  paper.line('done')
}

test('a terminal has progress on one line, which is gone when the next one comes', () => {
  const text = printed(true, training)
  assert.equal(text.split('\n').length, 2)
  assert.match(text, /\r\u001b\[2K {3}training +\[#{24}\] step 60\r\u001b\[2K {3}done\n$/)
})

test('elsewhere progress is a line for each quarter', () => {
  assert.equal(
    printed(false, training),
    '   training: step 1\n   training: step 30\n   training: step 60\n   done\n',
  )
})
