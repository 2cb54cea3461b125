// A tool that failed, told to a model whose prompt has no field for it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { defaultCatalog } from '#server/catalog/default-catalog.ts'
import { type TestHone, testHone } from '#test/support/test-hone.ts'

let hone: TestHone
before(async () => {
  hone = await testHone({ catalog: defaultCatalog })
})
after(() => hone.stop())

/** Prompt tokens of a conversation in which a tool returned this, as counted and as billed. */
async function promptTokens(result: object): Promise<number> {
  const body = {
    model: 'hone/hone-mini',
    max_tokens: 1,
    prompt_cache: { mode: 'off' },
    tools: [{ name: 'weather', input_schema: { type: 'object' } }],
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'weather', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', ...result }] },
    ],
  }
  const ask = async (path: string) => {
    const answer = await hone.call('POST', path, { bearer: hone.owner.key, body })
    assert.equal(answer.status, 200, answer.text)
    return answer.json as { input_tokens?: number; usage?: { input_tokens: number } }
  }
  const { usage } = await ask('/v1/messages')
  assert.equal((await ask('/v1/messages/count_tokens')).input_tokens, usage?.input_tokens)
  return usage?.input_tokens ?? 0
}

test('the bundled model reads of a failed tool that it failed', async () => {
  const content = 'there is no such city'
  const fine = await promptTokens({ content })
  const failed = await promptTokens({ content, is_error: true })
  assert.ok(failed > fine)
  const said = `Error: ${content}`
  assert.equal(failed, await promptTokens({ content: said }))
  assert.equal(failed, await promptTokens({ content: said, is_error: true }))
  assert.equal(fine, await promptTokens({ content, is_error: false }))
})
