// Numbers with more digits than JavaScript keeps, in the arguments of tools and in schemas: ids, times and their bounds come
// through to the last digit, in whichever direction and form.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { wireTurns } from '#server/engine/anthropic-compatible/wire-turns.ts'
import { holdsLong, parseToWrite, quoteLong, unquoteLong } from '#server/lib/long-numbers.ts'
import { type ChaosHone, chaosHone, dig, type Json } from '#test/support/chaos-hone.ts'

let rig: ChaosHone

before(async () => {
  rig = await chaosHone()
})
after(() => rig.stop())

const input = '{"id":12345678901234567890,"at":[-1763330400123456789,1.0],"x":"1e999"}'
const tools = [{ name: 'find', input_schema: { type: 'object' } }]

for (const model of ['scripted', 'anthropic/scripted']) {
  test(`${model}: a whole message has the input as the model wrote it`, async () => {
    const pieces = [input.slice(0, 12), input.slice(12)]
    rig.upstream.script = { text: ['So:'], calls: [{ id: 'c', name: 'find', pieces }] }
    const answer = await rig.post('messages', { model, tools })
    assert.match(answer.text, /"text":"So:"/)
    assert.ok(answer.text.includes(`"name":"find","input":${input}}`), answer.text)
  })
}

test('an input that comes back is shown to the model with all of its digits', async () => {
  const seen = rig.upstream.calls.length
  const answer = await rig.post('messages', {}, { raw: bodyWith(input) })
  assert.equal(answer.status, 200, answer.text)
  const sent = rig.upstream.calls[seen]?.body
  // Only what has so many digits is kept as text; 1.0 is 1.
  const shown = input.replace('1.0', '1')
  assert.equal(dig(sent, 'messages.1.tool_calls.0.function.arguments'), shown)
  assert.equal(dig(sent, 'messages.2.content'), 'found "12345678901234567890"')
  const roles = (dig(sent, 'messages') as Json[]).map(({ role }) => role)
  assert.deepEqual(roles, ['user', 'assistant', 'tool'])
})

test('a conversation with such an input is streamed like any other', async () => {
  const raw = bodyWith(input).replace('{', '{"stream":true,')
  const answer = await rig.post('messages', {}, { raw })
  assert.match(answer.headers.get('content-type') ?? '', /^text\/event-stream/)
  assert.match(answer.text, /event: message_stop/)
})

test('what is wrong with a body that has long numbers is still found', async () => {
  for (const wrong of ['12345678901234567890', '"text"', '[12345678901234567890]']) {
    const answer = await rig.post('messages', {}, { raw: bodyWith(wrong) })
    assert.equal(answer.status, 400)
    assert.equal(answer.json.error?.param, 'messages')
  }
})

test('arguments of the chat dialect reach a server of the other one with all of their digits', () => {
  const call = { type: 'tool-call' as const, id: 'c', name: 'find', arguments: input }
  const [, turn] = wireTurns(
    [
      { role: 'user', blocks: [{ type: 'text', text: 'Hi' }] },
      { role: 'assistant', blocks: [call] },
    ],
    null,
  )
  assert.ok(JSON.stringify(turn).includes(`"input":${input.replace('1.0', '1')}`))
})

const bounds =
  '{"type":"object","properties":{"id":{"type":"integer","minimum":-9223372036854775808,"maximum":18446744073709551615}}}'
/** What has as many characters but is no whole number stays what it is. */
const rest =
  '"temperature":0.30000000000000004,"max_tokens":100,"messages":[{"role":"user","content":"Hi"}]'

for (const model of ['ok', 'anthropic/ok']) {
  test(`${model}: schemas of tools and answers reach a server with all of their digits`, async () => {
    const tool = `"name":"find","description":""`
    const plain = '{"type":"object","properties":{}}'
    const bodies = {
      chat: `{"model":"${model}",${rest},"tools":[
        {"type":"function","function":{${tool.replace('find', 'plain')},"parameters":${plain}}},
        {"type":"function","function":{${tool},"parameters":${bounds}}}],
        "response_format":{"type":"json_schema","json_schema":{"name":"x","schema":${bounds}}}}`,
      messages: `{"model":"${model}",${rest},"tools":[
        {${tool.replace('find', 'plain')},"input_schema":${plain}},{${tool},"input_schema":${bounds}}],
        "output_config":{"format":{"type":"json_schema","schema":${bounds}}}}`,
    }
    for (const dialect of ['chat', 'messages'] as const) {
      const { text } = await rig.reached(dialect, {}, { raw: bodies[dialect] })
      // The end of a schema is where some servers are told more.
      const numbers = bounds.slice(0, -1)
      const [first, last] = [text.indexOf(numbers), text.lastIndexOf(numbers)]
      assert.ok(first > text.indexOf('find'), text)
      assert.ok(last > first, text)
      assert.ok(text.includes(plain), text)
    }
  })
}

test('a count is of the schema with all of its digits', async () => {
  rig.upstream.counts = { input_tokens: 7 }
  const raw = `{"model":"anthropic/ok",${rest},"tools":[{"name":"find","input_schema":${bounds}}]}`
  const options = { bearer: rig.hone.owner.key, raw }
  const answer = await rig.hone.call('POST', '/v1/messages/count_tokens', options)
  assert.equal(answer.status, 200, answer.text)
  assert.ok(rig.upstream.counted.at(-1)?.text.includes(bounds))
})

test('a tool that may not be called takes the digits of no other', async () => {
  const tool = (name: string, parameters: string): string =>
    `{"type":"function","function":{"name":"${name}","parameters":${parameters}}}`
  const choice =
    '{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"b"}}]}}'
  const raw = `{"model":"ok",${rest},"tools":[${tool('a', '{"maximum":12345678901234567}')},${tool('b', bounds)}],"tool_choice":${choice}}`
  const { text, body } = await rig.reached('chat', {}, { raw })
  assert.ok(text.includes(bounds), text)
  assert.equal((body.tools as unknown[]).length, 1)
})

test('long numbers are told from all that looks like them', () => {
  const json = String.raw`{"1234567890123456789":"1234567890123456789","a\"":[1234567890123456789,-1.5e300],"b\\":1234567890123456,"c":true,"":9007199254740993}`
  const quoted = JSON.parse(quoteLong(json)) as Record<string, unknown>
  assert.equal(quoted['1234567890123456789'], '1234567890123456789')
  assert.equal(quoted.c, true)
  assert.match(String(quoted['']), /9007199254740993$/)
  assert.equal(unquoteLong(quoteLong(json)), json)
  assert.equal(holdsLong(JSON.parse(json)), true)
  assert.equal(holdsLong([1, { a: [2, -(2 ** 53)] }, 3]), true)
  assert.equal(holdsLong([{ a: Number.MAX_SAFE_INTEGER, b: '1e400', c: null, d: 0.1 }]), false)
  assert.equal(parseToWrite('12345678901234567890'), 12345678901234567890)
})

/** A conversation with one call of a tool, as a client that keeps its numbers would write it. */
function bodyWith(inputJson: string): string {
  return `{"model":"ok","max_tokens":100,"tools":${JSON.stringify(tools)},"messages":[
    {"role":"user","content":"Hi"},
    {"role":"assistant","content":[{"type":"tool_use","id":"t","name":"find","input":${inputJson}}]},
    {"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"found \\"12345678901234567890\\""}]}
  ]}`
}
