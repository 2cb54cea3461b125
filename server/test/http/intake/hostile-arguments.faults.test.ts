// The arguments of tool calls are JSON in a text of the body, and engines parse them: they are bounded like the body itself.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { inferenceBodyBytesMax, jsonDepthMax, jsonValuesMax } from '#contract/limits.ts'
import { type ChaosHone, chaosHone, type Json } from '#test/support/chaos-hone.ts'
import type { Answer } from '#test/support/test-hone.ts'

let rig: ChaosHone
before(async () => {
  rig = await chaosHone()
})
after(() => rig.stop())

function conversation(texts: readonly string[]): Json[] {
  const calls = texts.map((text, index) => ({
    id: `call-${index}`,
    type: 'function',
    function: { name: 'f', arguments: text },
  }))
  const results = calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'done' }))
  return [
    { role: 'user', content: 'q' },
    { role: 'assistant', tool_calls: calls },
    ...results,
  ] as Json[]
}

function ask(model: string, ...texts: string[]): Promise<Answer> {
  const body = { model, messages: conversation(texts) }
  return rig.hone.call('POST', '/v1/chat/completions', { bearer: rig.hone.owner.key, body })
}

/** Short ones are parsed whatever they hold. */
const long = `"long":"${'a'.repeat(64 * 1024)}"`
/** The object, the long text and the list are values too. */
const values = (count: number): string => `{${long},"list":[${'1,'.repeat(count - 4)}1]}`
const deep = (depth: number): string =>
  `{${long},"deep":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`

const taken: Record<string, string[]> = {
  'as many values as a body may have': [values(jsonValuesMax)],
  'as many in two calls': [values(jsonValuesMax / 2), values(jsonValuesMax / 2)],
  'as deep as a body may be': [deep(jsonDepthMax)],
  'deeper, but short': [`{"deep":${'['.repeat(1000)}${']'.repeat(1000)}}`],
  'megabytes of text': [`{"file":"${'a'.repeat(8 << 20)}"}`],
}
const refused: Record<string, string[]> = {
  'one value more': [values(jsonValuesMax + 1)],
  'one value more in two calls': [values(jsonValuesMax / 2), values(jsonValuesMax / 2 + 1)],
  'one level deeper': [deep(jsonDepthMax + 1)],
  'a depth of millions': ['['.repeat(8e6) + ']'.repeat(8e6)],
  'a body full of lists': [`[${'[],'.repeat((inferenceBodyBytesMax - 1000) / 3)}1]`],
}

for (const model of ['ok', 'anthropic/ok']) {
  for (const [what, texts] of Object.entries(taken)) {
    test(`arguments are taken: ${what}, ${model}`, async () => {
      const answer = await ask(model, ...texts)
      assert.equal(answer.status, 200, answer.text.slice(0, 300))
    })
  }
  for (const [what, texts] of Object.entries(refused)) {
    test(`arguments are refused: ${what}, ${model}`, async () => {
      const { status, text } = await ask(model, ...texts)
      assert.equal(status, 400, text.slice(0, 300))
      assert.match(text, /arguments of the tool calls/)
      assert.match(text, /"param":"messages"/)
    })
  }
}
