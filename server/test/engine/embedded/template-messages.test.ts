// What a chat template is given of a conversation, and where it is found.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Message } from '#server/core/block.ts'
import { chatTemplateOf, openChatTemplate } from '#server/engine/embedded/prompt/chat-template.ts'
import { withoutFarThoughts } from '#server/engine/embedded/prompt/prompt-too-long.ts'
import { templateMessages } from '#server/engine/embedded/prompt/template-messages.ts'
import { tokenizerOf } from '#server/engine/embedded/prompt/tokenizer.ts'
import { trainingExample } from '#server/engine/embedded/prompt/training-example.ts'
import { utf8Stream } from '#server/engine/embedded/prompt/utf8-stream.ts'
import { request, text } from './requests.ts'
import { toyTemplate, toyTokenizerJson } from './toy-model.ts'

const tokenizer = tokenizerOf(toyTokenizerJson())
const given = (messages: Message[]) => templateMessages(request('', { messages }), (value) => value)

const called: Message = {
  role: 'assistant',
  blocks: [{ type: 'tool-call', id: 'c1', name: 'find', arguments: ' \n' }],
}
const result = (toolCallId: string): Message => ({
  role: 'user',
  blocks: [
    { type: 'tool-result', toolCallId, content: [{ type: 'text', text: 'found' }], isError: false },
  ],
})

test('a result is a message of its own, under the name and the id of its call, and no empty turn follows', () => {
  assert.deepEqual(given([called, result('c1'), result('c2')]), [
    {
      role: 'assistant',
      content: '',
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'find', arguments: {} } }],
    },
    { role: 'tool', content: 'found', tool_call_id: 'c1', name: 'find' },
    { role: 'tool', content: 'found', tool_call_id: 'c2' },
  ])
})

test('a message without content is a turn all the same, and one without thoughts or calls names none', () => {
  assert.deepEqual(given([{ role: 'user', blocks: [] }]), [{ role: 'user', content: '' }])
})

test('a template is taken from its own file, or from the field beside the vocabulary', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'hone-template-'))
  t.after(() => rm(folder, { recursive: true }))
  const configure = (config: object) =>
    writeFile(join(folder, 'tokenizer_config.json'), JSON.stringify(config))
  const rendered = async () => {
    const variables = { messages: [], tools: null, add_generation_prompt: true }
    return (await openChatTemplate(folder)).render({ ...variables, enable_thinking: false })
  }
  await assert.rejects(rendered, /no chat template/)
  await configure({ chat_template: [{ name: 'tool_use', template: 'tools' }] })
  await assert.rejects(rendered, /no chat template/)
  await configure({
    chat_template: [
      { name: 'tool_use', template: 'tools' },
      { name: 'default', template: 'default' },
    ],
  })
  assert.equal(await rendered(), 'default')
  const tokens = { bos_token: '<s>', eos_token: { content: '</s>' }, pad_token: '<p>' }
  const source = '{{ bos_token }}{{ eos_token }}{{ pad_token }}{{ unk_token }}'
  await configure({ ...tokens, unk_token: '<u>', chat_template: source })
  assert.equal(await rendered(), '<s></s><p><u>')
  await configure({ ...tokens, unk_token: null, chat_template: source })
  assert.equal(await rendered(), '<s></s><p>')
  await writeFile(join(folder, 'chat_template.jinja'), 'file')
  assert.equal(await rendered(), 'file')
  await writeFile(join(folder, 'tokenizer_config.json'), '{')
  await assert.rejects(rendered, /tokenizer_config\.json .* not JSON/)
})

test('what a template renders otherwise once it is answered, or without an end, teaches nothing', () => {
  const messages: Message[] = [
    { role: 'user', blocks: [text('a')] },
    { role: 'assistant', blocks: [text('b')] },
  ]
  const reason = (template: string) =>
    trainingExample(
      { tokenizer, template: chatTemplateOf(template) },
      request('', { messages }),
      [1],
    )
  assert.deepEqual(reason(`{{ messages | length }}${toyTemplate}`), {
    skipped: 'the chat template renders the prompt differently once it is answered',
  })
  assert.deepEqual(reason('{% for m in messages %}{{ m.content }}{% endfor %}'), {
    skipped: 'the last turn has no end-of-turn token',
  })
})

test('what a template writes behind the end of the turn is not learned', () => {
  const messages: Message[] = [
    { role: 'user', blocks: [text('a')] },
    { role: 'assistant', blocks: [text('b')] },
  ]
  const template = chatTemplateOf(`${toyTemplate}{% if not add_generation_prompt %}tail{% endif %}`)
  const example = trainingExample({ tokenizer, template }, request('', { messages }), [1])
  assert.ok(!('skipped' in example))
  assert.equal(example.inputIds.at(-1), 1)
  assert.equal(example.labels.at(-1), 1)
  assert.equal(example.inputIds.length, example.labels.length)
})

test('a mark of byte order is a character like others', () => {
  assert.equal(utf8Stream().push(Buffer.from('\ufeffa')), '\ufeffa')
})

test('what thousands of results share is looked through once, and of long ids the beginning', () => {
  let looked = 0
  const guard = <T>(value: T): T => {
    if (typeof value === 'string') looked += value.length
    return value
  }
  const [id, name] = ['i', 'n'].map((letter) => letter.repeat(100_000)) as [string, string]
  const messages = [
    { ...called, blocks: [{ type: 'tool-call' as const, id, name, arguments: '' }] },
    ...Array.from({ length: 1_000 }, () => result(id)),
  ]
  const [, first] = templateMessages(request('', { messages }), guard)
  assert.equal(first?.name, name)
  assert.equal(first?.tool_call_id, 'i'.repeat(1_000))
  assert.ok(looked < 2_000_000, `${looked} characters`)
})

test('of thoughts that no window holds the newest are kept, and all where they may fit', () => {
  const thoughts = (...texts: string[]): Message[] =>
    texts.map((thought) => ({
      role: 'assistant',
      blocks: [{ type: 'thinking', text: thought, signature: '' }, text('said')],
    }))
  const kept = (tokensMax: number, messages: Message[]): unknown[] =>
    withoutFarThoughts({ tokensMax, longestTokenBytes: 2 }, messages).map(
      ({ blocks }) => blocks[0]?.type === 'thinking' && blocks[0].text,
    )
  const said = thoughts('old'.repeat(9), 'middle', 'newest')
  assert.deepEqual(kept(2, said), ['', 'mi', 'newest'])
  assert.deepEqual(kept(Infinity, said), ['old'.repeat(9), 'middle', 'newest'])
  assert.deepEqual(kept(2, said.slice(0, 1)), ['oldoldol'])
  assert.deepEqual(withoutFarThoughts({ tokensMax: 0, longestTokenBytes: 1 }, [called]), [called])
})
