// Conversations that are redacted together come back as they would alone, whatever stands between them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Block, Message } from '#server/core/block.ts'
import { redactJson } from '#server/samples/redact/redact-json.ts'
import type { Conversation } from '#server/samples/sample/conversation.ts'
import {
  redactConversation,
  redactConversations,
} from '#server/samples/sample/redact-conversation.ts'
import { readStoredText, storedText } from '#server/samples/sample/stored-text.ts'

const text = (said: string): Block => ({ type: 'text', text: said })
const image = (base64: string): Block => ({
  type: 'image',
  source: { kind: 'bytes', mediaType: 'image/png', base64 },
})
const asked = (...blocks: Block[]): Message => ({ role: 'user', blocks })

function conversation(messages: Message[], more: Partial<Conversation> = {}): Conversation {
  return { tools: [], system: [], messages, answer: null, ...more }
}

const conversations = [
  conversation([asked(text('First QUESTION'))], { answer: [text('first answer')] }),
  conversation([asked(text('Look'), image('AAAA'))], { answer: [text('a cat')] }),
  conversation([asked(text('Write to ada@example.org'))], { answer: [text('Done.')] }),
  conversation([asked(text('nobody has answered'))], {
    system: [{ type: 'text', text: 'Be brief.' }],
  }),
  conversation([asked(image('BBBB'))], { answer: [text('mail bob@example.org')] }),
  conversation([asked(text('again')), { role: 'assistant', blocks: [] }, asked(text('AND again'))]),
  conversation([asked(text('with a tool'))], {
    tools: [{ name: 'find', description: 'finds', parameters: { type: 'object' } }],
    answer: [{ type: 'tool-call', id: 'c', name: 'find', arguments: '{"who":"eve@example.org"}' }],
  }),
  conversation([asked(text('last'))], { answer: [] }),
]

const redact = <T>(value: T): T => redactJson(value).value

test('together is as one by one', async () => {
  const together = await redactConversations(
    { redact: async (value) => redact(value) },
    conversations,
  )
  assert.deepEqual(
    together,
    conversations.map((one) => redactConversation(one, redact)),
  )
})

test('what holds nothing sensitive is written as it is, with its own images', () => {
  for (const at of [0, 1, 3, 5, 7]) {
    const one = conversations[at] as Conversation
    assert.deepEqual(redactConversation(one, redact), storedText(one))
  }
})

const token = 'ghp' + '_c4naryc4naryc4naryc4naryc4naryc4nary12'
const said = (...blocks: Block[]): Message => ({ role: 'assistant', blocks })

test('an answer that continues what it was made to begin with is read together with it', () => {
  const thought: Block = { type: 'thinking', text: 'so', signature: '' }
  for (const [begun, answer, redacted] of [
    ['{"password": "', 'hunter2x9"}', '[redacted:key]"}'],
    ['password: ', 'hunter2x9', '[redacted:key]'],
    ['My SSN is', ' 536904399.', ' [redacted:national_id].'],
  ] as const) {
    const one = conversation([asked(text('go on')), said(text(begun))], { answer: [text(answer)] })
    assert.deepEqual(
      redactConversation(one, redact),
      storedText({ ...one, answer: [text(redacted)] }),
    )
  }
  const marker = text('[redacted:key]')
  const cut = [token.slice(0, 20), token.slice(20, 30), token.slice(30)].map(text) as [
    Block,
    Block,
    Block,
  ]
  const pictured = asked(image('CCCC'), text('go on'))
  const two = conversation([pictured, said(cut[0]), said(cut[1])], { answer: [thought, cut[2]] })
  assert.deepEqual(
    redactConversation(two, redact),
    storedText({
      ...two,
      messages: [pictured, said(marker), said(marker)],
      answer: [thought, marker],
    }),
  )
})

test('names of speakers are redacted, also of an answer and of what it continues', () => {
  const named = (name: string, turn: Message): Message => ({ ...turn, name })
  const one = (name: string) =>
    conversation([named(name, asked(text('Hi'))), named(name, said(text('Well, ')))], {
      answer: [text('no.')],
      answerName: name,
      after: [named(name, asked(text('Why?')))],
    })
  const expected = storedText(one('[redacted:email]'))
  assert.deepEqual(redactConversation(one('zoe@example.org'), redact), expected)
  assert.deepEqual(readStoredText(storedText(one('Zoe')).conversation), one('Zoe'))
})

test('an answer is not read together with what somebody else said', () => {
  for (const messages of [
    [asked(text('password: '))],
    [said(text('password: ')), asked(text('go on'))],
  ]) {
    const one = conversation(messages, { answer: [text('hunter2x9 it is')] })
    assert.deepEqual(redactConversation(one, redact), storedText(one))
  }
  const begun = conversation([asked(text('and')), said(text('Sure: '))], { answer: [text('yes')] })
  assert.deepEqual(redactConversation(begun, redact), storedText(begun))
  const unanswered = conversation([asked(text('and')), said(text('bob@example.org'))])
  assert.doesNotMatch(redactConversation(unanswered, redact).conversation, /example/)
})

test('every text of a turn is redacted, not only its first', () => {
  const mail = (name: string) => text(`To ${name}@example.org, soon`)
  const marker = text('To [redacted:email], soon')
  const one = conversation([said(text('so'), mail('a')), asked(mail('b'), mail('c'))], {
    answer: [mail('d'), mail('e')],
    after: [asked(mail('f'), mail('g'))],
  })
  assert.deepEqual(
    redactConversation(one, redact),
    storedText({
      ...one,
      messages: [said(text('so'), marker), asked(marker, marker)],
      answer: [marker, marker],
      after: [asked(marker, marker)],
    }),
  )
})

test('the bytes of a picture are left alone wherever it stands, and its address is not', () => {
  const picture = image(token)
  const returned = (...content: Block[]): Block =>
    ({ type: 'tool-result', toolCallId: 'c', content, isError: false }) as Block
  const one = conversation(
    [asked(text('Look'), picture), asked(returned(text('Here'), picture)), asked(picture)],
    { answer: [text('A cat')], after: [asked(text('And'), picture), asked(returned(picture))] },
  )
  assert.deepEqual(redactConversation(one, redact), storedText(one))

  const at = (url: string): Block => ({ type: 'image', source: { kind: 'url', url } })
  const linked = (url: string) =>
    conversation([asked(text('Look'), at(url), picture)], { answer: [text('A cat')] })
  assert.deepEqual(
    redactConversation(linked(`https://pictures.test/${token}`), redact),
    storedText(linked('https://pictures.test/[redacted:key]')),
  )
})

test('what is sensitive is gone from the conversation and from what a search looks at', () => {
  for (const at of [2, 4, 6]) {
    const { conversation: stored, searchText } = redactConversation(
      conversations[at] as Conversation,
      redact,
    )
    assert.doesNotMatch(stored + searchText, /example\.org/)
  }
  assert.match(redactConversation(conversations[4] as Conversation, redact).conversation, /BBBB/)
})

test('what was said after the answer is redacted too', () => {
  const asking = (address: string): Message[] => [
    asked(text('and then?')),
    said(text('wait')),
    asked(text(`write to ${address}`)),
  ]
  const one = conversation([asked(text('go on'))], { answer: [text('no')] })
  assert.deepEqual(
    redactConversation({ ...one, after: asking('eve@example.org') }, redact),
    storedText({ ...one, after: asking('[redacted:email]') }),
  )
})

test('images keep their bytes and their places, whatever the bytes look like', () => {
  const keyLike = (last: string): Block & { type: 'image' } =>
    image('AKIA' + 'C4NARYC4NARYC4N' + last) as Block & { type: 'image' }
  const made = (address: string): Conversation => {
    const result: Block = {
      type: 'tool-result',
      toolCallId: 'c',
      content: [{ type: 'text', text: address }, keyLike('D')],
      isError: false,
    }
    return conversation([asked(keyLike('C'), text(address)), asked(result)], {
      answer: [text(address)],
      after: [asked(keyLike('E'), text(address)), asked(keyLike('F'))],
    })
  }
  assert.deepEqual(
    redactConversation(made('eve@example.org'), redact),
    storedText(made('[redacted:email]')),
  )
})
