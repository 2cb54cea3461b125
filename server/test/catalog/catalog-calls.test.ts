// What the catalog makes of a call before any server is asked: how much it may generate, and what its model cannot do.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CatalogModel, readCatalogText } from '#server/catalog/catalog-file.ts'
import { checkAbilities } from '#server/catalog/check-abilities.ts'
import { fitMaxTokens } from '#server/catalog/fit-max-tokens.ts'
import { pricesOf } from '#server/catalog/model-row.ts'
import type { Block, ImageBlock } from '#server/core/block.ts'
import { Refusal } from '#server/core/refusal.ts'
import { request, text, tool } from '../engine/embedded/requests.ts'

const pricing = { input: 3, output: 4 }

function modelWith(changes: object, routeChanges: object = {}): CatalogModel {
  const route = { engine: 'judge-basic', pricing, ...routeChanges }
  const model = { id: 'm', context_window: 100, max_output_tokens: 40, routes: [route], ...changes }
  const reading = readCatalogText(JSON.stringify({ models: [model] }))
  assert.ok(reading.ok, 'problem' in reading ? reading.problem : '')
  return reading.file.models[0]!
}

test('what a call may generate fits the model and the window, and is reduced where it does not', () => {
  const room = { contextWindow: 100, maxOutputTokens: 40 }
  for (const [asked, promptTokens, maxTokens, adjusted] of [
    [undefined, null, 40, false],
    [undefined, 10, 40, false],
    [undefined, 70, 30, false],
    [40, 60, 40, false],
    [41, 10, 40, true],
    [40, 61, 39, true],
    [39, 61, 39, false],
    [5, 70, 5, false],
    [5, 99, 1, true],
    [1, 100, 1, false],
    [5, 500, 1, true],
    [undefined, 500, 1, false],
  ] as const) {
    assert.deepEqual(
      fitMaxTokens(asked, { ...room, promptTokens }),
      { maxTokens, adjusted },
      `${asked} ${promptTokens}`,
    )
  }
})

const image = (source: ImageBlock['source']): ImageBlock => ({ type: 'image', source })
const inside = image({ kind: 'bytes', mediaType: 'image/png', base64: 'AAAA' })
const hosted = image({ kind: 'url', url: 'https://a.example/b.png' })
const returned = (shown: ImageBlock): Block => ({
  type: 'tool-result',
  toolCallId: 'a',
  content: [{ type: 'text', text: 'See.' }, shown],
  isError: false,
})

function refusalOf(model: CatalogModel, changes: Parameters<typeof request>[1]): string | null {
  try {
    checkAbilities(model, request('Hi', changes))
    return null
  } catch (error) {
    assert.ok(error instanceof Refusal)
    return `${error.detail.param}: ${error.message}`
  }
}

test('tools are for models that can call them', () => {
  const refused = 'tools: m cannot call tools; choose a model with supports_tools.'
  assert.equal(refusalOf(modelWith({}), { tools: [tool('f')] }), refused)
  assert.equal(refusalOf(modelWith({ supports_tools: true }), { tools: [tool('f')] }), null)
  assert.equal(refusalOf(modelWith({}), {}), null)
})

test('images are for models that can see them, wherever they stand, and addresses for those that take them', () => {
  const blind =
    'messages: m could not process image data, as it cannot see images; choose a model with supports_vision.'
  const noUrls = 'messages: m takes images as base64 data only, not as URLs.'
  const sees = modelWith({ supports_vision: true })
  for (const wrap of [(block: ImageBlock): Block => block, returned]) {
    const showing = (...blocks: ImageBlock[]) => ({
      messages: [
        { role: 'user' as const, blocks: [text('Look.'), ...blocks.map(wrap)] },
        { role: 'assistant' as const, blocks: [text('Yes?')] },
        { role: 'user' as const, blocks: [text('What is it?')] },
      ],
    })
    assert.equal(refusalOf(modelWith({}), showing(inside)), blind)
    assert.equal(refusalOf(sees, showing(inside)), null)
    assert.equal(refusalOf(sees, showing(inside, hosted)), noUrls)
    for (const image_urls of ['fetch', 'pass']) {
      assert.equal(
        refusalOf(modelWith({ supports_vision: true, image_urls }), showing(hosted)),
        null,
      )
    }
  }
})

test('cached tokens cost what their route says, and else what any other of the prompt does', () => {
  const [usd3, usd4] = [3_000_000n, 4_000_000n]
  const prices = (more: object) =>
    pricesOf(modelWith({}, { pricing: { ...pricing, ...more } }).routes[0]!)
  const plain = {
    input: usd3,
    output: usd4,
    cacheRead: usd3,
    cacheWrite5m: usd3,
    cacheWrite1h: usd3,
  }
  assert.deepEqual(prices({}), plain)
  assert.deepEqual(prices({ cache_read: 0 }), { ...plain, cacheRead: 0n })
  assert.deepEqual(prices({ cache_write_5m: 1 }), { ...plain, cacheWrite5m: 1_000_000n })
  assert.deepEqual(prices({ cache_write_1h: 2 }), { ...plain, cacheWrite1h: 2_000_000n })
})
