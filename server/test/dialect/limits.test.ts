// Numbers that a client of either dialect runs into: both sides of each that needs more than one field of one dialect, and
// that the page for users has them all.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import * as limits from '#contract/limits.ts'
import { grouped } from '#server/lib/grouped.ts'
import { breakpointsMax } from '#server/prompt-cache/validate-breakpoints.ts'
import {
  type ChaosHone,
  chaosHone,
  type DialectName,
  dialects,
  dig,
  type Json,
} from '#test/support/chaos-hone.ts'
import { chaosRoute } from '#test/support/chaos-upstream.ts'
import type { CallOptions } from '#test/support/test-hone.ts'

let rig: ChaosHone
before(async () => {
  rig = await chaosHone((upstream) => {
    const routes = [chaosRoute(upstream, 'openai', 'ok')]
    return [{ id: 'sees', supports_vision: true, image_urls: 'pass', routes }]
  })
})
after(() => rig.stop())

const image: Record<DialectName, (url: string) => Json> = {
  chat: (url) => ({ type: 'image_url', image_url: { url } }),
  messages: (url) => ({ type: 'image', source: { type: 'url', url } }),
}

type Row = [
  what: string,
  most: number,
  request: (dialect: DialectName, size: number) => { fields?: Json; options?: CallOptions },
  param: string,
]

const rows: Row[] = [
  [
    'session_id',
    limits.shortTextCharactersMax,
    (_, size) => ({ fields: { session_id: 's'.repeat(size) } }),
    'session_id',
  ],
  [
    'x-session-id',
    limits.shortTextCharactersMax,
    (_, size) => ({ options: { headers: { 'x-session-id': 's'.repeat(size) } } }),
    'x-session-id',
  ],
  [
    'the address of an image',
    limits.imageAddressCharactersMax,
    (dialect, size) => {
      const url = 'https://example.com/'.padEnd(size, 'a')
      const content = [{ type: 'text', text: 'What is it?' }, image[dialect](url)]
      return { fields: { model: 'sees', messages: [{ role: 'user', content }] } }
    },
    'messages',
  ],
]

for (const dialect of dialects) {
  for (const [what, most, request, param] of rows) {
    test(`${dialect}: both sides of the limit of ${what}`, async () => {
      const fits = request(dialect, most)
      await rig.reached(dialect, fits.fields ?? {}, fits.options)
      const over = request(dialect, most + 1)
      const seen = rig.upstream.calls.length
      const answer = await rig.post(dialect, over.fields ?? {}, over.options)
      assert.equal(answer.status, 400, answer.text)
      assert.equal(dig(answer.json, 'error.param'), param)
      assert.match(
        String(dig(answer.json, 'error.message')),
        new RegExp(`at most ${grouped(most)} characters`),
      )
      assert.equal(rig.upstream.calls.length, seen)
    })
  }

  test(`${dialect}: a session in the body is the one that counts, whatever the header says`, async () => {
    const headers = { 'x-session-id': 's'.repeat(limits.shortTextCharactersMax + 1) }
    await rig.reached(dialect, { session_id: 'mine' }, { headers })
  })
}

test('docs/limits.md has every number', () => {
  const page = readFileSync(new URL('../../../docs/limits.md', import.meta.url), 'utf8')
  const counts = {
    jsonDepthMax: limits.jsonDepthMax,
    jsonValuesMax: limits.jsonValuesMax,
    messagesMax: limits.messagesMax,
    partsMax: limits.partsMax,
    imagesMax: limits.imagesMax,
    imageAddressCharactersMax: limits.imageAddressCharactersMax,
    hostedImagesMax: limits.hostedImagesMax,
    toolsMax: limits.toolsMax,
    toolNameCharactersMax: limits.toolNameCharactersMax,
    schemaNameCharactersMax: limits.schemaNameCharactersMax,
    stopStringsMax: limits.stopStringsMax,
    shortTextCharactersMax: limits.shortTextCharactersMax,
    requestIdCharactersMax: limits.requestIdCharactersMax,
    breakpointsMax,
    keepAliveSeconds: limits.keepAliveSeconds,
    bodyBytesPerSecondMin: limits.bodyBytesPerSecondMin,
    bodyGraceSeconds: limits.bodyGraceSeconds,
    clientStallSeconds: limits.clientStallSeconds,
    usageDaysMax: limits.usageDaysMax,
    usageDaysDefault: limits.usageDaysDefault,
  }
  for (const [name, count] of Object.entries(counts)) {
    const written = count.toLocaleString('en-US')
    assert.match(page, new RegExp(`(?<![\\d,])${written}(?![\\d,])`), `${name} ${written}`)
  }
  const sizes = {
    inferenceBodyBytesMax: limits.inferenceBodyBytesMax,
    jsonNumberBytesMax: limits.jsonNumberBytesMax,
    hostedImageBytesMax: limits.hostedImageBytesMax,
  }
  for (const [name, bytes] of Object.entries(sizes)) {
    assert.match(page, new RegExp(`\\b${bytes / 2 ** 20} MiB`), name)
  }
})
