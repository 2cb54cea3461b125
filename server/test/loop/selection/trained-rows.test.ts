// What a sample becomes for the trainer: labels on its right answer alone, or a reason why it is never learned.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Block } from '#server/core/block.ts'
import { embeddedRows } from '#server/compute/embedded/embedded-rows.ts'
import { openRowEncoder } from '#server/compute/open-row-encoder.ts'
import { openTokenizer } from '#server/engine/embedded/prompt/tokenizer.ts'
import { bundledModel } from '#server/engine/engines.ts'
import { trainingRow } from '#server/loop/selection/training-row.ts'
import type { SkipReason } from '#contract/run-plan.ts'
import type { Conversation } from '#server/samples/sample/conversation.ts'

const tokenizer = await openTokenizer(bundledModel)
const encoder = await openRowEncoder(bundledModel, 2048)

const text = (words: string): Block => ({ type: 'text', text: words })
const image: Block = {
  type: 'image',
  source: { kind: 'bytes', mediaType: 'image/png', base64: 'AA==' },
}
const asked = (...blocks: Block[]): Conversation => ({
  tools: [],
  system: [],
  messages: [{ role: 'user', blocks }],
  answer: null,
})
const plain = asked(text('Where is my parcel?'))

const learned = (conversation: Conversation, answer: Block[]): string => {
  const row = trainingRow(encoder, conversation, answer)
  assert.ok(!('skipped' in row), JSON.stringify(row))
  assert.equal(row.inputIds.length, row.labels.length)
  const bytes = row.labels
    .filter((label) => label !== -100)
    .map((id) => Buffer.from(tokenizer.bytes[id] ?? []))
  return Buffer.concat(bytes).toString()
}

test('labels are on the right answer alone, its tool calls included', () => {
  assert.equal(learned(plain, [text('On its way.')]), 'On its way.')
  const call: Block = { type: 'tool-call', id: 'c', name: 'find_parcel', arguments: '{"order":7}' }
  const words = learned(plain, [text('I look.'), call])
  assert.match(words, /I look\..*find_parcel/s)
  assert.doesNotMatch(words, /Where is my parcel/)
})

test('what was said after the answer is not trained on', () => {
  const after = [{ role: 'user' as const, blocks: [text('Thank you so much!')] }]
  const row = trainingRow(encoder, { ...plain, after }, [text('On its way.')])
  assert.deepEqual(row, trainingRow(encoder, plain, [text('On its way.')]))
})

const long = 'word '.repeat(5000)
const reasons: [string, SkipReason, Conversation, Block[]][] = [
  ['an answer with a marker', 'redacted_answer', plain, [text('Write to [redacted:email].')]],
  [
    'a tool call with a marker',
    'redacted_answer',
    plain,
    [{ type: 'tool-call', id: 'c', name: 'mail', arguments: '{"to":"[redacted:email]"}' }],
  ],
  ['an image in the question', 'image', asked(text('What is this?'), image), [text('A rose.')]],
  [
    'an image in a result',
    'image',
    asked({ type: 'tool-result', toolCallId: 'c', content: [image], isError: false }),
    [text('A rose.')],
  ],
  ['a blank answer', 'empty_answer', plain, [text(' \n')]],
  ['an answer that is not seen', 'empty_answer', plain, [text('\u200b \ufe0f\u00ad')]],
  ['no answer', 'empty_answer', plain, []],
  ['a long question', 'too_long', asked(text(long)), [text('Yes.')]],
  ['a long answer', 'too_long', plain, [text(long)]],
  ['a question far too long', 'too_long', asked(text(long.repeat(100))), [text('Yes.')]],
]
for (const [name, reason, conversation, answer] of reasons) {
  test(`${name} is not learned: ${reason}`, () => {
    assert.deepEqual(trainingRow(encoder, conversation, answer), { skipped: reason })
  })
}

test('a marker in the question may be learned with', () => {
  assert.equal(learned(asked(text('I am [redacted:email].')), [text('Hello.')]), 'Hello.')
  assert.equal(learned(plain, [text('See [1] and [redacted: no].')]), 'See [1] and [redacted: no].')
})

test('what the chat template cannot render is not learned: template', () => {
  const template = {
    render() {
      throw new Error('roles must alternate')
    },
  }
  const strict = embeddedRows({ tokenizer, template }, [], 2048)
  assert.deepEqual(trainingRow(strict, plain, [text('Yes.')]), { skipped: 'template' })
})
