// Which block of the messages dialect may stand in a message of which role.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseMessagesBody } from '#server/dialect/messages/parse.ts'

const tool = { type: 'tool_reference', name: 'weather' }
const blocks: [roles: string[], block: Record<string, unknown>][] = [
  [['user', 'assistant', 'system'], { type: 'text', text: 'a' }],
  [
    ['user'],
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
  ],
  [['user'], { type: 'tool_result', tool_use_id: 't', content: 'a' }],
  [['assistant'], { type: 'tool_use', id: 't', name: 'weather', input: {} }],
  [['assistant'], { type: 'thinking', thinking: 'a', signature: 'b' }],
  [['assistant'], { type: 'redacted_thinking', data: 'a' }],
  [['system'], { type: 'tool_addition', tool }],
  [['system'], { type: 'tool_removal', tool }],
]

test('a block is taken in messages of its role, and refused in all others by their name', () => {
  for (const [roles, block] of blocks) {
    for (const role of ['user', 'assistant', 'system']) {
      const messages = [
        { role: 'user', content: 'Q' },
        { role, content: [block] },
      ]
      const parse = () => parseMessagesBody({ model: 'm', max_tokens: 1, messages })
      if (roles.includes(role)) {
        assert.equal(parse().request.messages[1]!.role, role)
        continue
      }
      assert.throws(parse, (error: Error & { code: string; detail: { param: string } }) => {
        assert.equal(error.code, 'invalid_value')
        assert.equal(error.detail.param, 'messages')
        assert.match(
          error.message,
          new RegExp(
            `^messages\\[1\\]\\.content\\[0\\]: an? ${String(block.type)} block .* role ${roles[0]}\\.$`,
          ),
        )
        return true
      })
    }
  }
})
