// What routes of a model are known by: where they lead, and their order among those that lead to the same place.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCatalogText } from '#server/catalog/catalog-file.ts'
import { routeKey } from '#server/inference/route-key.ts'

function modelWith(addresses: readonly string[]) {
  const routes = addresses.map((base_url) => ({
    engine: 'openai-compatible',
    base_url,
    pricing: { input: 1, output: 1 },
  }))
  const model = { id: 'a/b', context_window: 10, max_output_tokens: 5, routes }
  const reading = readCatalogText(JSON.stringify({ models: [model] }))
  assert.ok(reading.ok)
  return reading.file.models[0]!
}

test('routes to one place are told apart by their order, whatever stands between them', () => {
  const keysOf = (...addresses: string[]): string[] => {
    const model = modelWith(addresses)
    return model.routes.toReversed().map((route) => routeKey(model, route))
  }
  const [second, other, first] = keysOf('http://a/', 'http://b/', 'http://a/')
  assert.equal(new Set([first, second, other]).size, 3)
  assert.deepEqual(keysOf('http://c/', 'http://a/', 'http://a/').slice(0, 2), [second, first])
})

test('thousands of routes each have a key of their own', () => {
  // Each was compared with all others: some minutes.
  const model = modelWith(Array.from({ length: 30_000 }, (_, at) => `http://host-${at % 1_000}/`))
  const keys = new Set(model.routes.map((route) => routeKey(model, route)))
  assert.equal(keys.size, model.routes.length)
})
