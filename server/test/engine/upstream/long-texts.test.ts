// Long texts of whole answers are read apart from what stands around them and handed on as the JSON they came in. Clients,
// samples and everybody else must not be able to tell.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import type { StreamPart } from '#server/core/stream-part.ts'
import { EventReader } from '#server/engine/anthropic-compatible/read-events.ts'
import { ProvenThoughts } from '#server/engine/anthropic-compatible/proven-thought.ts'
import { EngineError } from '#server/engine/engine.ts'
import { ChunkReader } from '#server/engine/openai-compatible/read-chunks.ts'
import type { AnswerReader } from '#server/engine/upstream/exchange.ts'
import {
  type ChaosHone,
  chaosHone,
  dialects,
  dig,
  type Json,
  readEvents,
} from '#test/support/chaos-hone.ts'
import { chaosRoute } from '#test/support/chaos-upstream.ts'
import { type Wire, wireWhole } from '#test/support/wire-answer.ts'

const long = 'A sentence of the answer. '.repeat(40)
/** As some servers write it: what need not be escaped is. */
const written = `${long}\\/ \\u00e9 \\ud83d\\ude00 \\"content\\":\\"x\\" \\\\ \\n\\t\\u2028 é 😀`
const said = JSON.parse(`"${written}"`) as string

const wires: Wire[] = ['openai', 'anthropic']
const readers: Record<Wire, () => AnswerReader> = {
  openai: () => new ChunkReader(),
  anthropic: () => new EventReader(new ProvenThoughts('http://u', 'm')),
}

function bodyWith(wire: Wire, literal: string): string {
  return wireWhole(wire, { text: ['@'] }).replace('"@"', () => literal)
}

/** The words of an answer, each checked against its JSON; null when it is none. */
function wordsOf(wire: Wire, body: string): string | null {
  const into: StreamPart[] = []
  try {
    readers[wire]().whole(body, into)
  } catch (error) {
    assert.ok(error instanceof EngineError, String(error))
    return null
  }
  let words = ''
  for (const part of into) {
    if (part.type !== 'text-delta') continue
    if (part.json !== undefined) assert.equal(JSON.parse(part.json), part.text)
    words += part.text
  }
  return words
}

/** What a plain reading of the JSON finds. */
function plainWords(wire: Wire, body: string): string | null {
  let json: Json
  try {
    json = JSON.parse(body) as Json
  } catch {
    return null
  }
  if (wire === 'openai') return (dig(json, 'choices.0.message.content') ?? '') as string
  const blocks = json.content as { type: string; text?: string }[]
  return blocks.map((block) => (block.type === 'text' ? (block.text ?? '') : '')).join('')
}

describe('a whole answer is read as JSON is read', () => {
  const tricks: Record<string, (body: string) => string> = {
    'as a server sends it': (body) => body,
    'with blanks': (body) => body.replaceAll(':"', ' : \n "'),
    'cut in its text': (body) => body.slice(0, 400),
    'with a line break in its text': (body) => body.replace('sentence', '\n'),
    'with an escape that is none': (body) => body.replace('sentence', '\\x'),
    'with the fields twice': (body) =>
      body.replace(/"(content|text)":"/, (field) => `${field}${long}",${field}`),
    'with fields of those names elsewhere': (body) =>
      body.replace('{', `{"meta":{"content":"${long}","text":"${long}"},`),
    'with such fields in a text before it': (body) =>
      body.replace('{', `{"meta":${JSON.stringify(`"content":"${long}","text":"${long}"`)},`),
    'followed by more': (body) => `${body}x`,
  }
  for (const wire of wires) {
    for (const [what, trick] of Object.entries(tricks)) {
      test(`${wire}: ${what}`, () => {
        const body = trick(bodyWith(wire, `"${written}"`))
        assert.equal(wordsOf(wire, body), plainWords(wire, body))
      })
    }

    test(`${wire}: whatever is put wherever`, () => {
      const body = bodyWith(wire, `"${written}"`)
      const put = fc.constantFrom('"', '\\', '\\"', '\n', ',"content":"b"', ',"text":"b"', ' ', '')
      fc.assert(
        fc.property(fc.nat(body.length - 1), put, (at, piece) => {
          const spoiled = body.slice(0, at) + piece + body.slice(at + (piece === '' ? 1 : 0))
          const found = wordsOf(wire, spoiled)
          // What is JSON may still be no answer, for another reason than its text.
          if (found !== null) assert.equal(found, plainWords(wire, spoiled))
          else if (isJson(spoiled)) assert.equal(wordsOf(wire, spoiled.replace(long, 'x')), null)
        }),
        { numRuns: 500 },
      )
    })
  }

  function isJson(text: string): boolean {
    try {
      return typeof JSON.parse(text) === 'object'
    } catch {
      return false
    }
  }
})

describe('over HTTP', () => {
  let rig: ChaosHone
  before(async () => {
    rig = await chaosHone((upstream) =>
      wires.map((wire) => ({
        id: `says-${wire}`,
        routes: [chaosRoute(upstream, wire, 'scripted')],
      })),
    )
    const body = { enabled: true, tags: ['long'] }
    const key = rig.hone.owner.key
    const put = await rig.hone.call('PUT', '/api/loop/configs/serverless', { key, body })
    assert.equal(put.status, 200, put.text)
  })
  after(() => rig.stop())

  async function recordedAnswer(id: string | null): Promise<unknown> {
    for (;;) {
      const key = rig.hone.owner.key
      const read = await rig.hone.call('GET', `/api/loop/traces/${id}`, { key })
      if (read.status === 200) return dig(read.json, 'trace.answer.content')
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }

  for (const wire of wires) {
    for (const dialect of dialects) {
      test(`${wire} to ${dialect}: clients and samples get the text, whole and streamed`, async () => {
        rig.upstream.script = {
          openai: [bodyWith('openai', `"${written}"`)],
          anthropic: [bodyWith('anthropic', `"${written}"`)],
        }
        const model = `says-${wire}`
        const whole = await rig.post(dialect, { model })
        const place = dialect === 'chat' ? 'choices.0.message.content' : 'content.0.text'
        assert.equal(dig(whole.json, place), said, whole.text)
        assert.ok(whole.text.includes(written), 'its JSON is the one that came')
        assert.equal(await recordedAnswer(whole.headers.get('x-loop-sample-id')), said)

        const streamed = await rig.post(dialect, { model, stream: true })
        const delta = dialect === 'chat' ? 'choices.0.delta.content' : 'delta.text'
        const words = readEvents(streamed.text).map(
          ({ data }) => (dig(data, delta) ?? '') as string,
        )
        assert.equal(words.join(''), said, streamed.text)
        assert.equal(await recordedAnswer(streamed.headers.get('x-loop-sample-id')), said)
      })
    }
  }
})
