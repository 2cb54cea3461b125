// Which samples are one question, by their keys: prompts that a person takes for the same, and turns of one conversation.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Block, Message } from '#server/core/block.ts'
import { questionKeys } from '#server/loop/selection/question-keys.ts'
import type { Conversation } from '#server/samples/sample/conversation.ts'

const text = (words: string) => ({ type: 'text' as const, text: words })
const user = (...words: string[]): Message => ({ role: 'user', blocks: words.map(text) })
const assistant = (...words: string[]): Message => ({ role: 'assistant', blocks: words.map(text) })
const call = (id: string, order = 7): Message => ({
  role: 'assistant',
  blocks: [{ type: 'tool-call', id, name: 'find', arguments: `{ "order": ${order} }` }],
})
const result = (toolCallId: string): Message => ({
  role: 'user',
  blocks: [{ type: 'tool-result', toolCallId, content: [text('found')], isError: false }],
})
const thought: Block = { type: 'thinking', text: 'hm', signature: '' }
const tool = { name: 'find', description: '', parameters: {} }

type Prompt = Pick<Conversation, 'system' | 'messages'>
const prompt = (...messages: Message[]): Prompt => ({ system: [text('Be short.')], messages })
const under = (...system: string[]): Prompt => ({
  system: system.map(text),
  messages: [user('Hi')],
})
const asked = (words: string): Prompt => prompt(user(words))
const keys = (of: Prompt, ...answers: string[]) =>
  questionKeys(
    'a-pipeline',
    of,
    answers.map((answer) => [text(answer)]),
  )

const same: [string, Prompt, Prompt][] = [
  ['case', asked('where is it?'), asked('Where is it?')],
  ['white space', asked('Where  is\n\tit?  '), asked('Where is it?')],
  ['a question mark', asked('Where is it'), asked('Where is it?')],
  ['a typographic apostrophe', asked('What\u2019s that'), asked("What's that")],
  ['an accent for an apostrophe', asked('What\u00b4s that'), asked("What's that")],
  ['a grave accent for one', asked('What`s that'), asked("What's that")],
  ['a prime for one', asked('What\u2032s that'), asked("What's that")],
  ['a letter like a prime for one', asked('What\u02b9s that'), asked("What's that")],
  ['composed letters', asked('Caf\u00e9'), asked('Cafe\u0301')],
  ['a ligature, a wide letter', asked('\uff26ile \ufb01x'), asked('File fix')],
  ['a zero-width space', asked('Where\u200b is it?'), asked('Where is it?')],
  ['a selector of variants', asked('\u2764\ufe0f it'), asked('\u2764 it')],
  ['one block or two', prompt(user('a', 'b')), asked('a\nb')],
  ['one turn or two', prompt(user('a'), user('b')), asked('a b')],
  ['other ids of calls', prompt(call('c1'), result('c1')), prompt(call('c2'), result('c2'))],
  ['a thought', prompt({ role: 'user', blocks: [thought, text('a')] }), asked('a')],
  ['a list of tools', { ...asked('a'), tools: [tool] } as Prompt, asked('a')],
  ['the date in the instructions', under('On 3 May 2024, 9:05:'), under('On 14 May 2025, 10:30:')],
  [
    'the date in words in the instructions',
    under('Today is Monday, 3 May 2024, 9:05 a.m.'),
    under('Today is Tuesday, 14 June 2025, 10:30 PM.'),
  ],
  ['a short date in the instructions', under('Mon 3 Mar, 9am'), under('Sun 14 Dec, 10 pm')],
  ['a date in words or in numbers', under('On 3 May 2024:'), under('On 2024-05-03:')],
  [
    'instructions that are a message',
    { system: [], messages: [{ role: 'system', blocks: [text('Short!')] }, user('Hi')] },
    under('Short'),
  ],
]
for (const [name, a, b] of same) {
  test(`${name} makes no other question`, () => assert.equal(keys(a).prompt, keys(b).prompt))
}

const different: [string, Prompt, Prompt][] = [
  ['a word', asked('Where is he?'), asked('Where is she?')],
  ['a number that is asked for', asked('Order 7?'), asked('Order 8?')],
  ['a month that is asked for', asked('What about May?'), asked('What about June?')],
  ['a word that begins like a month', under('Be a marble.'), under('Be a decent.')],
  ['an accent that is a letter\u2019s', asked('Caf\u00e9'), asked('Cafe')],
  ['an emoji', asked('\u{1f600}'), asked('\u{1f622}')],
  ['punctuation alone', asked('??'), asked('!')],
  ['instructions', under(), under('Be short.')],
  ['who said it', prompt(assistant('Hi')), asked('Hi')],
  ['where a turn ends', prompt(user('a'), assistant('b'), user('c')), asked('abc')],
  ['an argument of a call', prompt(call('c', 7)), prompt(call('c', 8))],
  ['a tool result', prompt(user('Hi'), result('c')), asked('Hi')],
]
for (const [name, a, b] of different) {
  test(`${name} makes another question`, () => assert.notEqual(keys(a).prompt, keys(b).prompt))
}

test('a conversation that goes on begins with the prompt and the answer of each earlier turn', () => {
  const [one, two] = [user('one'), user('two')]
  const first = keys(prompt(one), 'yes', 'corrected')
  const second = keys(prompt(one, assistant('Yes!'), two), 'no')
  const third = keys(prompt(one, assistant('yes'), two, assistant('No.'), user('three')), 'so')
  assert.deepEqual(second.prefix, [first.full[0]])
  assert.deepEqual(third.prefix, [first.full[0], second.full[0]])
  const corrected = keys(prompt(one, assistant('Corrected'), two))
  assert.deepEqual(corrected.prefix, [first.full[1]])
  assert.deepEqual(keys(prompt(one), 'yes', 'Yes').full, [first.full[0]])
})

test('an answer that calls a tool is gone on from when its result is there', () => {
  const first = questionKeys('a-pipeline', asked('Where?'), [call('c').blocks])
  assert.deepEqual(keys(prompt(user('Where?'), call('d'), result('d'))).prefix, first.full)
})

test('keys are the same in every process and version, and others in another pipeline', () => {
  const { prompt: key } = keys(asked('Where is it?'))
  assert.equal(Buffer.from(key, 'latin1').toString('hex'), 'ca05f77de25deff8bcbc658b4e0e78f7')
  assert.notEqual(questionKeys('another', asked('Where is it?'), []).prompt, key)
})
