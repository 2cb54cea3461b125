// Vocabularies as other models have them. Those of Llama 2 and its kin write spaces as a low line, have single bytes for
// what has no token, and put a space before each text; that of Llama 3 takes whole words before any merge.
// models/train/make_family_fixtures.py wrote down what the tokenizers library makes of them.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { CallRequest } from '#server/core/request.ts'
import { EmbeddedEngine } from '#server/engine/embedded/embedded-engine.ts'
import { ModelMemory } from '#server/engine/embedded/serve/model-memory.ts'
import { randomSource } from '#server/engine/embedded/generate/random-source.ts'
import { bestToken } from '#server/engine/embedded/generate/sample-token.ts'
import { Turn } from '#server/engine/embedded/generate/turn.ts'
import { RuleBook, vocabularyOf } from '#server/engine/embedded/generate/turn-rules.ts'
import { chatTemplateOf } from '#server/engine/embedded/prompt/chat-template.ts'
import { renderPrompt } from '#server/engine/embedded/prompt/render-prompt.ts'
import type { TokenizerJson } from '#server/engine/embedded/prompt/token-bytes.ts'
import { tokenizerOf } from '#server/engine/embedded/prompt/tokenizer.ts'
import { utf8Stream } from '#server/engine/embedded/prompt/utf8-stream.ts'
import { call, collect, finishOf, never, request, textOf } from './requests.ts'
import { toyModel, toyTokenizerJson } from './toy-model.ts'
import { validates } from './validates.ts'

type Case = { text: string; ids: number[]; decoded: string }
type Fixture = { tokenizer: TokenizerJson; texts: Case[]; chats: Case[] }

function fixture(kind: string): Fixture {
  const url = new URL(`../../fixtures/engine-family/${kind}.json`, import.meta.url)
  return JSON.parse(readFileSync(url, 'utf8')) as Fixture
}

for (const kind of ['sentencepiece-prepend', 'sentencepiece-metaspace', 'byte-level']) {
  const { tokenizer: json, texts, chats } = fixture(kind)
  const tokenizer = tokenizerOf(json)
  const end = tokenizer.marks.get('</s>')?.id ?? tokenizer.marks.get('<|eot_id|>')!.id
  const vocabulary = vocabularyOf(tokenizer, [end])
  const book = new RuleBook(vocabulary)
  const turnFor = (of: CallRequest) =>
    new Turn(vocabulary, book.rulesFor(of, null, null), 200, null)

  test(`${kind}: plain text has the ids that the library gives it`, () => {
    assert.ok(texts.length > 10)
    for (const { text, ids } of texts) assert.deepEqual(tokenizer.encodeText(text), ids, text)
  })

  test(`${kind}: a rendered conversation has them too, after marks and between them`, () => {
    for (const { text, ids } of chats) {
      const prompter = { tokenizer, template: chatTemplateOf('{{ chat }}', { chat: text }) }
      const options = { generationPrompt: true, thinking: false }
      assert.deepEqual(renderPrompt(prompter, request('x'), options), ids, text)
    }
  })

  test(`${kind}: ids are read back as the library reads them, a whole character at a time`, () => {
    for (const { text, ids, decoded } of texts) {
      const stream = utf8Stream(tokenizer)
      const pieces = ids.map((id) => stream.push(tokenizer.bytes[id]!))
      assert.equal(pieces.join(''), decoded, text)
      assert.ok(!pieces.some((piece) => piece.includes('\ufffd')), text)
    }
  })

  test(`${kind}: an answer does not begin with the space that begins every text`, () => {
    const turn = turnFor(request('hi'))
    const ids = [...tokenizer.encodeText('Hello 🙂  world'), end]
    const parts = ids.flatMap((id) => turn.accept(id))
    assert.equal(textOf(parts), 'Hello 🙂  world')
    assert.deepEqual(turn.finished, { kind: 'end' })
  })

  test(`${kind}: a text that spells a mark or a byte stays text`, () => {
    for (const text of ['</s>', 'a<s>b', '<unk>', '<|eot_id|>', '<0x0A>']) {
      const ids = tokenizer.encodeText(text)
      assert.ok(!ids.some((id) => tokenizer.bytes[id] === null), text)
      const stream = utf8Stream(tokenizer)
      assert.equal(ids.map((id) => stream.push(tokenizer.bytes[id]!)).join(''), text)
    }
  })

  test(`${kind}: whatever the model prefers, JSON under a schema is valid`, () => {
    const schema = {
      type: 'object',
      properties: { that: { type: 'integer' }, word: { type: 'string', maxLength: 12 } },
      required: ['that', 'word'],
      additionalProperties: false,
    }
    for (let seed = 0; seed < 20; seed++) {
      const turn = turnFor(request('hi', { output: { kind: 'json-schema', schema } }))
      const random = randomSource(seed)
      const parts = []
      while (!turn.finished) {
        const logits = Float32Array.from({ length: tokenizer.vocabSize }, random)
        parts.push(...turn.accept(bestToken(logits, turn.next().allowed)))
      }
      assert.ok(validates(JSON.parse(textOf(parts)), schema), textOf(parts))
    }
  })
}

test('a model with the vocabulary and template of Llama 2 answers, freely and in JSON', async (t) => {
  const { tokenizer: json } = fixture('sentencepiece-prepend')
  const size = Object.keys(json.model.vocab).length
  const model = await toyModel(3, { vocab_size: size, eos_token_id: 2 })
  t.after(() => model.remove())
  await writeFile(join(model.folder, 'tokenizer.json'), JSON.stringify(json))
  await writeFile(
    join(model.folder, 'chat_template.jinja'),
    "{% for m in messages %}{% if m.role == 'user' %}{{ bos_token + '[INST] ' + m.content + ' [/INST]' }}{% else %}{{ ' ' + m.content + ' ' + eos_token }}{% endif %}{% endfor %}",
  )
  const names = { bos_token: '<s>', eos_token: { content: '</s>' } }
  await writeFile(join(model.folder, 'tokenizer_config.json'), JSON.stringify(names))
  const engine = new EmbeddedEngine({
    modelFolder: model.folder,
    threads: 1,
    memory: new ModelMemory(1e9),
  })
  t.after(() => engine.close())
  const free = await collect(engine.call(call(request('Hello')), never))
  assert.equal(finishOf(free).usage.inputTokens, 10)
  assert.ok(!textOf(free).includes('▁'))
  const output = { kind: 'json' } as const
  const parts = engine.call(call(request('Hello', { output }), { maxTokens: 60 }), never)
  assert.equal(typeof JSON.parse(textOf(await collect(parts))), 'object')
})

test('only vocabularies that put the first space there drop it', () => {
  const drops = (decoder: unknown) =>
    tokenizerOf({ ...fixture('sentencepiece-metaspace').tokenizer, decoder }).dropsFirstSpace
  assert.ok(drops({ type: 'Metaspace', replacement: '▁', prepend_scheme: 'always' }))
  assert.ok(drops({ type: 'Metaspace', replacement: '▁', add_prefix_space: true }))
  assert.ok(!drops({ type: 'Metaspace', replacement: '▁', prepend_scheme: 'never' }))
  assert.ok(!drops({ type: 'Sequence', decoders: [{ type: 'ByteFallback' }, { type: 'Fuse' }] }))
  assert.ok(!tokenizerOf(toyTokenizerJson()).dropsFirstSpace)
})

test('a vocabulary of weighted pieces is refused in words', () => {
  const { tokenizer: json } = fixture('sentencepiece-metaspace')
  const vocab = [['a', -1]] as unknown as Record<string, number>
  assert.throws(
    () => tokenizerOf({ ...json, model: { type: 'Unigram', vocab } }),
    /vocabulary of weighted pieces is not known/,
  )
})
