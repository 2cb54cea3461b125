// What a tool was called with reaches every server as one JSON object: many parse it, and refuse the whole conversation or fall
// over it where it is none.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ChaosHone, chaosHone, dig } from '#test/support/chaos-hone.ts'

let rig: ChaosHone
before(async () => {
  rig = await chaosHone()
})
after(() => rig.stop())

/** What the client passes back, and what reaches a server. */
const table: Record<string, [text: string, sent: string]> = {
  'an object': ['{"city": "Paris", "big": 12345678901234567890}', 'as it is'],
  'an object amid white space': [' {"a":1}\n', 'as it is'],
  'no text': ['', '{}'],
  'half of an object, as of an answer that was cut': ['{"city', '{}'],
  'an object that is not closed': ['{"a":{"b":1}', '{}'],
  'a list': ['[1]', '{}'],
  'a text': ['"Paris"', '{}'],
  null: ['null', '{}'],
  'no JSON': ['city=Paris', '{}'],
}

for (const [what, [text, sent]] of Object.entries(table)) {
  test(`arguments that are ${what}`, async () => {
    const { body } = await rig.reached('chat', {
      messages: [
        { role: 'user', content: 'q' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: text } }],
        },
        { role: 'tool', tool_call_id: 'a', content: 'r' },
      ],
    })
    const reached = dig(body, 'messages.1.tool_calls.0.function.arguments')
    assert.equal(reached, sent === 'as it is' ? text : sent)
  })
}
