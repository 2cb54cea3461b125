// One answer, driven token by token as a model would: thinking, text, JSON and calls under their rules.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CallRequest, Effort } from '#server/core/request.ts'
import type { StreamPart } from '#server/core/stream-part.ts'
import { EngineError } from '#server/engine/engine.ts'
import { bestToken } from '#server/engine/embedded/generate/sample-token.ts'
import { randomSource } from '#server/engine/embedded/generate/random-source.ts'
import { Turn } from '#server/engine/embedded/generate/turn.ts'
import { RuleBook, vocabularyOf } from '#server/engine/embedded/generate/turn-rules.ts'
import { hasToken } from '#server/engine/embedded/grammar/token-set.ts'
import { takeBegunAnswer } from '#server/engine/embedded/prompt/begun-answer.ts'
import { tokenizerOf } from '#server/engine/embedded/prompt/tokenizer.ts'
import { request, textOf, tool } from './requests.ts'
import { toyTokenizerJson } from './toy-model.ts'
import { validates } from './validates.ts'

const tokenizer = tokenizerOf(toyTokenizerJson())
const vocabulary = vocabularyOf(tokenizer, [1])
const book = new RuleBook(vocabulary)
const mark = (spelling: string) => tokenizer.marks.get(spelling)!.id

function turnFor(
  of: CallRequest,
  tokensMax = 200,
  effort: Effort | null = null,
  budget: number | null = null,
): Turn {
  return new Turn(
    vocabulary,
    book.rulesFor(of, effort, budget),
    tokensMax,
    effort === null ? null : 'thought',
  )
}

/** A script is text and marks; where a token is not allowed the test fails. */
function say(turn: Turn, ...script: string[]): StreamPart[] {
  const parts: StreamPart[] = []
  for (const piece of script) {
    const known = tokenizer.marks.get(piece)
    for (const token of known ? [known.id] : tokenizer.encodeText(piece)) {
      assert.equal(turn.finished, null, `already finished before ${piece}`)
      assert.ok(hasToken(turn.next().allowed, token), `${piece} is not allowed`)
      parts.push(...turn.accept(token))
    }
  }
  return parts
}

/** A model with random preferences. */
function ramble(turn: Turn, seed: number): StreamPart[] {
  const random = randomSource(seed)
  const parts: StreamPart[] = []
  while (!turn.finished) {
    const logits = Float32Array.from({ length: tokenizer.vocabSize }, random)
    const { allowed, wanted } = turn.next()
    const token = bestToken(logits, allowed)
    parts.push(...turn.accept(token, !hasToken(allowed, bestToken(logits, wanted))))
  }
  return parts
}

type Call = { name: string; arguments: unknown }

function callsOf(parts: StreamPart[]): Call[] {
  const calls: { name: string; json: string; ended: boolean }[] = []
  for (const part of parts) {
    if (part.type === 'tool-call-start') {
      assert.match(part.id, /^call_[0-9a-f]{24}$/)
      assert.equal(part.index, calls.length)
      calls.push({ name: part.name, json: '', ended: false })
    } else if (part.type === 'tool-call-delta') calls[part.index]!.json += part.json
    else if (part.type === 'tool-call-end') calls[part.index]!.ended = true
  }
  assert.ok(calls.every((call) => call.ended))
  return calls.map(({ name, json }) => ({ name, arguments: JSON.parse(json) as unknown }))
}

test('text ends at the end mark', () => {
  const turn = turnFor(request(''))
  assert.equal(textOf(say(turn, 'hello wörld', '<|end|>')), 'hello wörld')
  assert.deepEqual(turn.finished, { kind: 'end' })
})

test('with reasoning off no thought can be opened or closed, and nothing else but text and the end', () => {
  const { allowed } = turnFor(request('')).next()
  for (const { id, content } of tokenizer.marks.values()) {
    assert.equal(hasToken(allowed, id), content === '<|end|>', content)
  }
})

test('thinking is a stream of its own, with its own count', () => {
  const turn = turnFor(request(''), 200, 'high')
  const parts = say(turn, 'hmm', '</think>', 'yes', '<|end|>')
  assert.deepEqual(
    parts.map((part) => part.type),
    [...Array<string>(3).fill('thinking-delta'), ...Array<string>(3).fill('text-delta')],
  )
  assert.equal(turn.thinkingTokens, 4)
  assert.equal(turn.outputTokens, 8)
})

test('a thought may not end the turn or call a tool, and is not opened twice', () => {
  const turn = turnFor(request('', { tools: [tool('t')] }), 200, 'high')
  for (const id of [mark('<|end|>'), mark('<tool_call>'), mark('<think>')])
    assert.ok(!hasToken(turn.next().allowed, id))
  say(turn, 'a', '</think>')
  assert.ok(!hasToken(turn.next().allowed, mark('<think>')))
})

test('each effort has its budget, after which the thought is closed', () => {
  const budgets: [Effort, number][] = [
    ['minimal', 48],
    ['low', 64],
    ['medium', 128],
    ['high', 256],
    ['xhigh', 512],
    ['max', 1024],
  ]
  for (const [effort, budget] of budgets) {
    const turn = turnFor(request(''), 2000, effort)
    say(turn, 'x'.repeat(budget))
    const { allowed } = turn.next()
    assert.ok(
      hasToken(allowed, mark('</think>')) && !hasToken(allowed, tokenizer.encodeText('x')[0]!),
      effort,
    )
  }
})

test('a budget that the caller names wins', () => {
  say(turnFor(request(''), 50, 'max', 3), 'xxx', '</think>', 'y')
  assert.throws(() => say(turnFor(request(''), 50, 'max', 3), 'xxxx'), /not allowed/)
})

test('thinking may eat the whole ceiling: length, and no content', () => {
  const turn = turnFor(request(''), 10, 'max')
  const parts = say(turn, 'x'.repeat(10))
  assert.deepEqual(turn.finished, { kind: 'length' })
  assert.equal(textOf(parts), '')
  assert.equal(turn.outputTokens, 10)
})

test('a stop string ends the answer and is not part of it; in a thought it is nothing', () => {
  const turn = turnFor(request('', { stop: ['END'] }), 100, 'low')
  const parts = say(turn, 'END', '</think>', 'the end E', 'ND')
  assert.equal(textOf(parts), 'the end ')
  assert.deepEqual(turn.finished, { kind: 'stop-string', text: 'END' })
})

test('what was held back for a stop string is let go at the end, at the ceiling and before a call', () => {
  assert.equal(textOf(say(turnFor(request('', { stop: ['END'] })), 'the E', '<|end|>')), 'the E')
  assert.equal(textOf(say(turnFor(request('', { stop: ['END'] }), 3), 'a E')), 'a E')
  const parts = say(
    turnFor(request('', { stop: ['END'], tools: [tool('t')] })),
    'EN',
    '<tool_call>',
  )
  assert.equal(textOf(parts), 'EN')
})

test('JSON mode ends by itself once the object is closed', () => {
  const turn = turnFor(request('', { output: { kind: 'json' } }))
  assert.equal(textOf(say(turn, '{"a": [1, {"b": null}]}')), '{"a": [1, {"b": null}]}')
  assert.deepEqual(turn.finished, { kind: 'end' })
})

test('JSON mode gives a JSON object whatever the model prefers, and says when it was cut short', () => {
  for (let seed = 0; seed < 30; seed++) {
    const turn = turnFor(request('', { output: { kind: 'json' } }), 40)
    assert.equal(typeof JSON.parse(textOf(ramble(turn, seed))), 'object')
    assert.ok(turn.outputTokens <= 40)
    if (turn.outputTokens === 40) assert.deepEqual(turn.finished, { kind: 'length' })
  }
})

test('a schema that cannot be met within the ceiling ends by length', () => {
  const schema = {
    type: 'object',
    properties: { text: { type: 'string', minLength: 100 } },
    required: ['text'],
  }
  const turn = turnFor(request('', { output: { kind: 'json-schema', schema } }), 20)
  ramble(turn, 1)
  assert.deepEqual(turn.finished, { kind: 'length' })
  assert.equal(turn.outputTokens, 20)
})

test('a call streams its name, then its arguments as they are written', () => {
  const turn = turnFor(request('', { tools: [tool('find', { q: { type: 'string' } })] }))
  const parts = say(
    turn,
    'ok',
    '<tool_call>',
    '{"name": "find", "arguments": {"q": "a}}"}}',
    '</tool_call>',
    '<|end|>',
  )
  assert.deepEqual(callsOf(parts), [{ name: 'find', arguments: { q: 'a}}' } }])
  assert.ok(parts.filter((part) => part.type === 'tool-call-delta').length > 5)
  assert.equal(textOf(parts), 'ok')
  assert.deepEqual(turn.finished, { kind: 'tool-calls' })
})

test('calls may stand on lines of their own', () => {
  const turn = turnFor(request('', { tools: [tool('t')] }))
  const parts = say(
    turn,
    '<tool_call>',
    '\n{"name": "t", "arguments": {}}\n',
    '</tool_call>',
    '<|end|>',
  )
  assert.deepEqual(callsOf(parts), [{ name: 't', arguments: {} }])
})

test('only known tools can be called, with arguments of their schema', () => {
  const tools = [
    tool('find', { n: { type: 'integer', minimum: 1, maximum: 9 } }),
    tool('send', { to: { enum: ['a', 'b'] }, note: { type: ['string', 'null'], maxLength: 5 } }),
  ]
  for (let seed = 0; seed < 30; seed++) {
    const turn = turnFor(request('', { tools, toolChoice: { kind: 'required' } }), 120)
    const calls = callsOf(ramble(turn, seed))
    assert.ok(calls.length > 0)
    for (const call of calls) {
      const called = tools.find(({ name }) => name === call.name)!
      assert.ok(validates(call.arguments, called.parameters), JSON.stringify(call))
    }
  }
})

test('a named tool is the one that is called, after thinking too', () => {
  const turn = turnFor(
    request('', { tools: [tool('a'), tool('b')], toolChoice: { kind: 'named', name: 'b' } }),
    100,
    'minimal',
  )
  const calls = callsOf(ramble(turn, 3))
  assert.ok(calls.length > 0 && calls.every(({ name }) => name === 'b'))
})

test('without parallel calls the turn ends with the first', () => {
  const turn = turnFor(request('', { tools: [tool('t')], parallelToolCalls: false }))
  const parts = say(turn, '<tool_call>', '{"name": "t", "arguments": {}}', '</tool_call>')
  assert.equal(callsOf(parts).length, 1)
  assert.deepEqual(turn.finished, { kind: 'tool-calls' })
})

test('several calls follow each other, and no text comes after a call', () => {
  const turn = turnFor(request('', { tools: [tool('t')] }))
  const one = ['<tool_call>', '{"name": "t", "arguments": {}}', '</tool_call>']
  const parts = say(turn, ...one, ...one)
  assert.ok(!hasToken(turn.next().allowed, tokenizer.encodeText('a')[0]!))
  parts.push(...say(turn, '<|end|>'))
  assert.equal(callsOf(parts).length, 2)
})

test('tool choice none, and no tools at all, leave no call to make', () => {
  for (const of of [
    request('', { tools: [tool('t')], toolChoice: { kind: 'none' } }),
    request(''),
  ]) {
    assert.ok(!hasToken(turnFor(of).next().allowed, mark('<tool_call>')))
  }
})

test('JSON mode with tools is either, decided by the first token', () => {
  const both = request('', { tools: [tool('t')], output: { kind: 'json' } })
  assert.ok(hasToken(turnFor(both).next().allowed, mark('<tool_call>')))
  const turn = turnFor(both)
  say(turn, '{')
  assert.ok(!hasToken(turn.next().allowed, mark('<tool_call>')))
})

test('a required call cut by the ceiling is closed, and the reason is length', () => {
  const tools = [tool('find', { q: { type: 'string', minLength: 50 } })]
  const turn = turnFor(request('', { tools, toolChoice: { kind: 'required' } }), 45)
  const parts = say(turn, '<tool_call>', '{"name": "find", "arguments": {"q": "aa').concat(
    ramble(turn, 1),
  )
  assert.equal(parts.at(-1)?.type, 'tool-call-end')
  assert.deepEqual(turn.finished, { kind: 'length' })
})

test('a call that has no room to end is not begun', () => {
  const turn = turnFor(request('', { tools: [tool('find', { q: { type: 'string' } })] }), 40)
  const mayCall = () => hasToken(turn.next().allowed, mark('<tool_call>'))
  assert.ok(mayCall())
  say(turn, 'xxxxx')
  assert.ok(!mayCall() && hasToken(turn.next().wanted, mark('<tool_call>')))
})

const findsText = request('x', {
  tools: [tool('find', { q: { type: 'string' } })],
  toolChoice: { kind: 'required' },
})
const leastOf = (of: CallRequest): number => book.rulesFor(of, null, null).calls!.grammar.minTokens

test('a call that has just enough room is whole, whatever the model prefers', () => {
  // Beside its tokens a call has a mark before it and one behind it.
  const least = leastOf(findsText) + 2
  for (let room = least; room < least + 6; room++) {
    for (let seed = 0; seed < 5; seed++) {
      const [call, ...others] = callsOf(ramble(turnFor(findsText, room), seed))
      assert.equal(typeof (call?.arguments as { q: unknown }).q, 'string')
      assert.deepEqual(others, [])
    }
  }
})

test('a further call that has no room to end is not begun', () => {
  const spoken = ['<tool_call>', '{"name": "find", "arguments": {"q": ""}}', '</tool_call>']
  const used = spoken.reduce((sum, piece) => sum + tokensIn(piece), 0)
  const least = leastOf(findsText) + 2
  for (const [room, fits] of [
    [used + least, true],
    [used + least - 1, false],
  ] as const) {
    const turn = turnFor(findsText, room)
    say(turn, ...spoken)
    const { allowed, wanted } = turn.next()
    assert.equal(hasToken(allowed, mark('<tool_call>')), fits)
    assert.ok(hasToken(wanted, mark('<tool_call>')))
    assert.ok(hasToken(allowed, 1))
  }
})

function tokensIn(piece: string): number {
  return tokenizer.marks.has(piece) ? 1 : tokenizer.encodeText(piece).length
}

test('a model without marks for calls makes none, and refuses to have to', () => {
  for (const missing of ['toolCall', 'toolCallEnd'] as const) {
    const marks = { ...vocabulary.marks, [missing]: null }
    const markless = new RuleBook({ ...vocabulary, marks })
    const auto = request('x', { tools: [tool('t')] })
    assert.equal(markless.rulesFor(auto, null, null).calls, null)
    assert.throws(
      () => markless.rulesFor(findsText, null, null),
      (error) =>
        error instanceof EngineError &&
        error.failure === 'refused' &&
        error.param === 'tool_choice' &&
        /cannot call tools/.test(error.message),
    )
  }
})

test('the grammars of the last 32 formats are kept for those who repeat themselves', () => {
  const own = new RuleBook(vocabulary)
  const grammarOf = (number: number) => {
    const schema = { type: 'object', properties: { [`p${number}`]: { type: 'null' } } }
    return own.rulesFor(request('x', { output: { kind: 'json-schema', schema } }), null, null)
      .answer
  }
  const first = Array.from({ length: 32 }, (_, number) => grammarOf(number))
  assert.equal(grammarOf(0), first[0])
  grammarOf(32)
  assert.equal(grammarOf(0), first[0], 'it was used since')
  assert.equal(grammarOf(2), first[2])
  assert.notEqual(grammarOf(1), first[1], 'the one that was not used for longest has gone')
})

test('tools of one name and another schema are held to their own', () => {
  const finds = (type: string) =>
    request('x', { tools: [tool('find', { q: { type } })], toolChoice: { kind: 'required' } })
  for (const type of ['integer', 'boolean', 'integer']) {
    const [call] = callsOf(ramble(turnFor(finds(type)), 1))
    const { q } = call!.arguments as { q: unknown }
    assert.equal(typeof q, type === 'integer' ? 'number' : type)
  }
})

test('a model whose template leaves it to it may open a thought, as the very first thing', () => {
  for (const asked of [request('x'), findsText]) {
    const turn = new Turn(vocabulary, book.rulesFor(asked, 'low', null), 50, null)
    const parts = say(turn, '<think>', 'hm', '</think>')
    assert.deepEqual(new Set(parts.map(({ type }) => type)), new Set(['thinking-delta']))
    assert.ok(!hasToken(turn.next().allowed, mark('<think>')))
  }
  const later = new Turn(vocabulary, book.rulesFor(request('x'), 'low', null), 50, null)
  say(later, 'a')
  assert.ok(!hasToken(later.next().allowed, mark('<think>')))
})

test('a tool that is required but was not sent is refused, and so is a schema nobody can meet', () => {
  const refused = (of: CallRequest, sentence: RegExp) =>
    assert.throws(
      () => turnFor(of),
      (error) =>
        error instanceof EngineError && error.failure === 'refused' && sentence.test(error.message),
    )
  refused(
    request('', { tools: [tool('a')], toolChoice: { kind: 'named', name: 'b' } }),
    /no such tool/,
  )
  refused(request('', { toolChoice: { kind: 'required' } }), /no such tool/)
  refused(
    request('', { tools: [{ ...tool('a'), parameters: { type: 'string' } }] }),
    /^The JSON schema of tool a permits no value/,
  )
})

function carriedOn(of: CallRequest, begun: string, spaced = false): Turn {
  return new Turn(vocabulary, book.rulesFor(of, null, null), 200, { text: begun, spaced })
}

test('a begun answer goes on where it stopped, and a space that was there is not written twice', () => {
  const rest = ' is 42'
  assert.equal(textOf(say(carriedOn(request(''), 'It'), rest, '<|end|>')), ' is 42')
  assert.equal(textOf(say(carriedOn(request(''), 'It', true), rest, '<|end|>')), 'is 42')
  assert.equal(textOf(say(carriedOn(request(''), 'It', true), '\n\n', ' a b')), 'a b')
})

test('a begun answer is the beginning of the format asked for', () => {
  const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] }
  const typed = request('', { output: { kind: 'json-schema', schema }, tools: [tool('t')] })
  const turn = carriedOn(typed, '{"a": 1')
  assert.ok(!hasToken(turn.next().allowed, mark('<tool_call>')))
  assert.equal(textOf(say(turn, '2}')), '2}')
  assert.deepEqual(turn.finished, { kind: 'end' })
  const done = carriedOn(typed, '{"a": 1}')
  assert.deepEqual(say(done, '<|end|>'), [])
  for (const unfit of ['{"b"', 'Here it is: {', '{"a": 1}}']) {
    assert.throws(
      () => carriedOn(typed, unfit),
      (error) => error instanceof EngineError && error.param === 'messages',
    )
  }
})

test('a schema that would keep everyone else waiting is refused by name, however much of it is written', () => {
  const apart = (from: number) => ({
    type: 'number',
    minimum: 1000 * from,
    maximum: 1000 * from + 1,
  })
  const ranges = { anyOf: Array.from({ length: 3000 }, (_, from) => apart(from)) }
  const schema = { type: 'object', properties: { a: ranges }, required: ['a'] }
  const cases: [CallRequest, string, string[]][] = [
    [request('', { output: { kind: 'json-schema', schema } }), 'response_format', ['{"a":']],
    [
      request('', { tools: [{ ...tool('t'), parameters: schema }] }),
      'tools',
      ['<tool_call>', '{"name": "t", "arguments": {"a":'],
    ],
  ]
  for (const [of, param, script] of cases) {
    const turn = turnFor(of)
    assert.throws(
      () => {
        say(turn, ...script)
        turn.next()
      },
      (error) =>
        error instanceof EngineError &&
        error.failure === 'refused' &&
        error.param === param &&
        /too many alternatives in one place/.test(error.message),
    )
  }
})

test('white space in a begun answer is that of JSON, and ends what stands before it', () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'integer' }, b: { enum: ['Old Town', 'Oldham'] } },
    required: ['a', 'b'],
  }
  const typed = request('', { output: { kind: 'json-schema', schema } })
  const begun = (text: string) => {
    const messages = [{ role: 'assistant' as const, blocks: [{ type: 'text' as const, text }] }]
    const answer = takeBegunAnswer({ ...typed, messages }).begun!
    return carriedOn(typed, answer.text, answer.spaced)
  }
  const goesOn = (text: string, byte: string) =>
    hasToken(begun(text).next().allowed, tokenizer.encodeText(byte)[0]!)
  for (const text of ['{"a": 1', ' {\t"a" :1', '{ "a"\r\n: 1']) {
    assert.ok(goesOn(text, '2'), text)
    assert.ok(goesOn(text, ','), text)
    for (const white of [' ', '\n', '  \t']) {
      assert.ok(!goesOn(text + white, '2'), JSON.stringify(text + white))
      assert.equal(textOf(say(begun(text + white), ', "b": "Oldham"}')), ', "b": "Oldham"}')
    }
  }
  assert.ok(goesOn('{"a": ', '1'))
  assert.ok(goesOn('{"a": 1, "b": "Old', 'h'))
  assert.ok(goesOn('{"a": 1, "b": "Old ', 'T'))
  assert.ok(!goesOn('{"a": 1, "b": "Old ', 'h'))
  assert.equal(textOf(say(begun('{"a": 1, "b": "Old '), 'Town"}')), 'Town"}')
  for (const unfit of ['{"a": - ', '{"a": 1 2', '{"a": 1, "b": "Old  ', '{"a": 1, "b": "\\ ']) {
    assert.throws(
      () => begun(unfit),
      (error) => error instanceof EngineError && error.param === 'messages',
      unfit,
    )
  }
})

test('after a begun answer a tool may be called, or must be', () => {
  const called = (choice: CallRequest['toolChoice']) =>
    carriedOn(request('', { tools: [tool('t')], toolChoice: choice }), 'Let me see.')
  const header = '{"name": "t", "arguments": {}}'
  const free = called({ kind: 'auto' })
  assert.equal(callsOf(say(free, ' So', '<tool_call>', header, '</tool_call>')).length, 1)
  const required = called({ kind: 'required' })
  assert.ok(!hasToken(required.next().allowed, tokenizer.encodeText('a')[0]!))
  assert.equal(callsOf(say(required, '<tool_call>', header, '</tool_call>')).length, 1)
})

test('bytes that are no character are never sent', () => {
  const turn = turnFor(request(''), 3)
  const [first] = tokenizer.encodeText('é')
  assert.equal(
    textOf([...turn.accept(first!), ...turn.accept(first!), ...turn.accept(mark('<|end|>'))]),
    '\ufffd',
  )
})
