// What models and judges are asked in a test.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CatalogModel, readCatalogText } from '#server/catalog/catalog-file.ts'
import type { Block } from '#server/core/block.ts'
import { readJudgePrompt } from '#server/engine/judge-prompt.ts'
import { answerText } from '#server/loop/test/judge/answer-text.ts'
import { questionText } from '#server/loop/test/judge/question-text.ts'
import { answerRequest, readingRequest } from '#server/loop/test/judge/test-request.ts'

function rowOf(changes: object = {}): CatalogModel {
  const route = {
    engine: 'openai-compatible',
    base_url: 'http://x/v1',
    pricing: { input: 1, output: 2 },
  }
  const row = {
    id: 'm',
    context_window: 8192,
    max_output_tokens: 4096,
    routes: [route],
    ...changes,
  }
  const reading = readCatalogText(JSON.stringify({ models: [row] }))
  if (!reading.ok) throw new Error(reading.problem)
  return reading.file.models[0]!
}

const text = (content: string): Block => ({ type: 'text', text: content })
const called = (name: string, json: string): Block => ({
  type: 'tool-call',
  id: `id of ${name}`,
  name,
  arguments: json,
})
const find = { name: 'find', description: 'Finds.', parameters: { type: 'object' } }
const conversation = {
  tools: [find],
  system: [{ type: 'text' as const, text: 'Be brief.' }],
  messages: [{ role: 'user' as const, blocks: [text('Where?')] }],
}

test("a model is asked the sample's own question, without caching and without a caller's wishes", () => {
  const { maxTokens, ...request } = answerRequest({
    ...{ model: 'loop-a', row: rowOf(), conversation, rightAnswer: [text('Here.')] },
  })
  assert.deepEqual(request, {
    model: 'loop-a',
    tools: [{ ...find, eager: false }],
    system: conversation.system,
    messages: conversation.messages,
    toolChoice: { kind: 'auto' },
    parallelToolCalls: true,
    stop: [],
    sampling: { temperature: 0 },
    reasoning: { kind: 'off' },
    output: { kind: 'text' },
    cache: { automatic: null, managed: false, explicitOnly: false, marked: false },
    conversation: null,
  })
  assert.equal(maxTokens, 256)
})

test('an answer may be four times as long as the right one, which is never cut', () => {
  const thinks = { efforts: ['low', 'high'], default: 'high', required: true }
  const thought: Block = { type: 'thinking', text: 'x'.repeat(5000), signature: '' }
  for (const [rightAnswer, row, maxTokens] of [
    [[text('')], {}, 256],
    [[text('x'.repeat(1000))], {}, 1000],
    [[text('字'.repeat(1000))], {}, 3000],
    [[text('x'.repeat(1001))], {}, 1004],
    [[thought, called('find', 'x'.repeat(932))], {}, 1000],
    [[text('x'.repeat(9000))], {}, 4096],
    // Its thoughts count as output.
    [[text('x')], { reasoning: thinks }, 256 + 2048],
    [[text('x')], { reasoning: { ...thinks, required: false } }, 256],
  ] as const) {
    const asked = { model: 'm', row: rowOf(row), conversation, rightAnswer }
    assert.equal(answerRequest(asked).maxTokens, maxTokens)
  }
})

test('a judge is asked by the judge prompt alone, and told at the second try what was wrong', () => {
  const question = {
    kind: 'score',
    question: 'q',
    rightAnswer: 'r',
    rubric: 'kind',
    answer: 'a',
  } as const
  const asked = { judgeModel: 'judge', row: rowOf(), question }
  const first = readingRequest(asked)
  const userText = ({ messages }: typeof first): string => {
    const block = messages[0]?.blocks[0]
    return block?.type === 'text' ? block.text : ''
  }
  assert.deepEqual(readJudgePrompt(userText(first)), question)
  assert.deepEqual(
    [first.sampling, first.reasoning.kind, first.maxTokens],
    [{ temperature: 0 }, 'off', 200],
  )
  const second = readingRequest({ ...asked, unreadable: 'It was not one JSON object.' })
  assert.deepEqual(readJudgePrompt(userText(second)), question)
  assert.match(userText(second), /could not be read\. It was not one JSON object\. Reply with/)
})

test('equal answers are equal texts', () => {
  assert.equal(answerText([text('a'), text('b')]), 'a\nb')
  assert.equal(answerText([text(' \n')]), '')
  assert.equal(answerText([{ type: 'thinking', text: 'Hm.', signature: '' }]), '')
  const one = called('find', '{"b": [1.0, {"d":1,"c":2}], "a": 12345678901234567890}')
  const other = { ...called('find', '{"a":12345678901234567890,"b":[1,{"c":2,"d":1}]}'), id: 'x' }
  assert.equal(answerText([one]), answerText([other as Block]))
  assert.equal(
    answerText([text('I look.'), other as Block, called('stop', ' ')]),
    '{"text":"I look.","tool_calls":[{"name":"find","arguments":{"a":12345678901234567890,"b":[1,{"c":2,"d":1}]}},{"name":"stop","arguments":{}}]}',
  )
  // Cut in the middle, or nested deeper than anyone reads.
  for (const broken of ['{"a"', `${'['.repeat(100_000)}${']'.repeat(100_000)}`]) {
    const expected = `{"tool_calls":[{"name":"f","arguments":${JSON.stringify(broken)}}]}`
    assert.equal(answerText([called('f', broken)]), expected)
  }
})

const image: Block = { type: 'image', source: { kind: 'url', url: 'https://x/y.png' } }
const long = {
  tools: [find, { ...find, name: 'stop' }],
  system: conversation.system,
  messages: [
    { role: 'user' as const, blocks: [text('What is this?'), image] },
    { role: 'assistant' as const, blocks: [text('I look.'), called('find', '{"q": 1}')] },
    {
      role: 'user' as const,
      blocks: [
        {
          type: 'tool-result',
          toolCallId: 'x',
          content: [text('A hat.')],
          isError: false,
        } as Block,
        { type: 'tool-result', toolCallId: 'y', content: [image], isError: true } as Block,
        text('Well?'),
      ],
    },
  ],
}

test('a judge reads the conversation with its roles, calls and results', () => {
  assert.equal(
    questionText(long, { context_window: 4096 }),
    [
      '[system]\nBe brief.',
      '[tools that may be called]\nfind, stop',
      '[user]\nWhat is this?\n[image]',
      '[assistant]\nI look.\nCalls the tool {"name":"find","arguments":{"q":1}}',
      '[tool result]\nA hat.',
      '[tool error]\n[image]',
      '[user]\nWell?',
    ].join('\n\n'),
  )
})

test("what does not fit into half of the judge's window is left out, the oldest first, and said", () => {
  const window = 4000
  const turn = (content: string) => ({ role: 'user' as const, blocks: [text(content)] })
  const many = Array.from({ length: 200 }, (_, n) => turn(`turn ${n} ${'😀'.repeat(20)}`))
  const messages = [...many, turn(`old ${'ä'.repeat(900)} end of old`), turn('The question.')]
  const shown = questionText({ ...long, messages }, { context_window: window })
  assert.ok(Buffer.byteLength(shown) <= window)
  assert.match(shown, /^\[system\]\nBe brief\./)
  assert.match(shown, /\[… \d+ earlier turns left out …\]\n\n\[user\]\nturn 1\d\d /)
  assert.match(
    shown,
    /\nold ä+\n\[… \d+ bytes left out …\]\nä+ end of old\n\n\[user\]\nThe question\.$/,
  )
  assert.ok(!shown.includes('\ufffd'), 'no character is cut in half')
  const huge = questionText(
    { ...long, messages: [turn('x'.repeat(9000))] },
    { context_window: window },
  )
  assert.match(huge, /\n\[user\]\nx+\n\[… 7\d\d\d bytes left out …\]\nx+$/)
})
