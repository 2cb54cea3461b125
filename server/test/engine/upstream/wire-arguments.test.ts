// What a tool was called with reaches every server as one JSON object: many parse it, and refuse the whole conversation or fall
// over it where it is none. Calls with other arguments are refused; what was imported may have them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { argumentsIn } from '#server/engine/tool-arguments.ts'
import { type ChaosHone, chaosHone, dig } from '#test/support/chaos-hone.ts'

let rig: ChaosHone
before(async () => {
  rig = await chaosHone()
})
after(() => rig.stop())

const call = (text: string): object => ({
  id: 'a',
  type: 'function',
  function: { name: 'f', arguments: text },
})

const conversation = (...texts: string[]): object => ({
  messages: [
    { role: 'system', content: 's' },
    { role: 'user', content: 'q' },
    { role: 'assistant', content: 'Now', tool_calls: texts.map(call) },
    { role: 'tool', tool_call_id: 'a', content: 'r' },
  ],
})

/** What the client passes back, and what reaches a server. */
const taken: Record<string, [text: string, sent: string]> = {
  'an object': ['{"city": "Paris", "big": 12345678901234567890}', 'as it is'],
  'an object amid white space': [' {"a":1}\n', 'as it is'],
  'no text': ['', '{}'],
  'white space': [' \n', '{}'],
}

for (const [what, [text, sent]] of Object.entries(taken)) {
  test(`arguments that are ${what}`, async () => {
    const { body } = await rig.reached('chat', conversation(text))
    const reached = dig(body, 'messages.2.tool_calls.0.function.arguments')
    assert.equal(reached, sent === 'as it is' ? text : sent)
  })
}

const refused: Record<string, string> = {
  'half of an object, as of an answer that was cut': '{"city',
  'an object that is not closed': '{"a":{"b":1}',
  'a list': '[1]',
  'a text': '"Paris"',
  null: 'null',
  'no JSON': 'city=Paris',
}

for (const [what, text] of Object.entries(refused)) {
  test(`arguments that are ${what} are refused, with the place where they stand`, async () => {
    const answer = await rig.post('chat', conversation('{}', text))
    assert.equal(answer.status, 400)
    assert.equal(dig(answer.json, 'error.param'), 'messages')
    assert.equal(
      dig(answer.json, 'error.message'),
      'messages[2].tool_calls[1].function.arguments must be the text of a JSON object, or empty.',
    )
    assert.equal(argumentsIn(text), null)
  })
}
