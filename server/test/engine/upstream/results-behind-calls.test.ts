// What tools returned stands right behind the turn that called them, because servers of the chat dialect refuse it elsewhere;
// clients put words of their own in between.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ChaosHone, chaosHone, type Json } from '#test/support/chaos-hone.ts'

let rig: ChaosHone
before(async () => {
  rig = await chaosHone()
})
after(() => rig.stop())

const call = (...ids: string[]): object => ({
  role: 'assistant',
  content: ids.map((id) => ({ type: 'tool_use', id, name: 'f', input: {} })),
})
const result = (id: string): object => ({ type: 'tool_result', tool_use_id: id, content: id })

/** Each message in short: its role, and what was called or returned. */
async function sent(messages: object[]): Promise<string[]> {
  const tools = [{ name: 'f', input_schema: { type: 'object' } }]
  const { body } = await rig.reached('messages', { model: 'ok', tools, messages })
  return (body.messages as Json[]).map(({ role, tool_call_id, tool_calls, content }) => {
    const calls = Array.isArray(tool_calls) ? (tool_calls as Json[]).map(({ id }) => id) : []
    return [role, tool_call_id ?? (calls.length > 0 ? calls.join('+') : content)].join(' ')
  })
}

const user = (content: unknown): object => ({ role: 'user', content })

test('a system message between a call and its result goes behind the result', async () => {
  const messages = [
    user('q'),
    call('t'),
    { role: 'system', content: 's' },
    user([{ type: 'text', text: 'words' }, result('t')]),
  ]
  assert.deepEqual(await sent(messages), [
    'user q',
    'assistant t',
    'tool t',
    'system s',
    'user words',
  ])
})

test('so do words of the user, for each of several calls', async () => {
  const messages = [
    user('q'),
    call('a', 'b'),
    user('wait'),
    user([result('b')]),
    user([result('a')]),
    call('c'),
    user([result('c')]),
    user('go on'),
  ]
  assert.deepEqual(await sent(messages), [
    'user q',
    'assistant a+b',
    'tool b',
    'tool a',
    'user wait',
    'assistant c',
    'tool c',
    'user go on',
  ])
})

test('an id that is used again belongs to the turn that used it last', async () => {
  const messages = [user('q'), call('t'), user([result('t')]), call('t'), user([result('t')])]
  assert.deepEqual(await sent(messages), [
    'user q',
    'assistant t',
    'tool t',
    'assistant t',
    'tool t',
  ])
})
