// The catalog over HTTP: both envelopes, slugs with slashes, prices as bands, and edits of its file while the
// server runs.
import assert from 'node:assert/strict'
import { rename, rm, writeFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { type ModelRow, modelRow } from '#contract/model.ts'
import { createKey } from '#test/support/accounts.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'

const route = (pricing: object, weight = 1): object => ({
  engine: 'openai-compatible',
  base_url: 'http://127.0.0.1:9/v1',
  weight,
  pricing,
})

const catalog = {
  models: [
    {
      id: 'bare',
      context_window: 4096,
      max_output_tokens: 1024,
      routes: [route({ input: 1, output: '2.5' })],
    },
    {
      id: 'vendor/thinker-1.5',
      display_name: 'Thinker',
      owned_by: 'vendor',
      created: '2026-02-03T04:05:06Z',
      context_window: 200_000,
      max_output_tokens: 64_000,
      supports_vision: true,
      supports_tools: true,
      reasoning: { efforts: ['low', 'high'], default: 'high', required: true },
      prompt_caching: { type: 'explicit', min_tokens: 64 },
      routes: [
        route({ input: 0.1, output: 0.3, cache_read: 0.01, cache_write_5m: '0.125' }, 3),
        route({ input: '0.000001', output: 1_000_000, cache_read: 0 }),
        route({ input: 0.7, output: 0.2 }),
      ],
    },
    {
      id: 'a/b/c:latest',
      context_window: 10,
      max_output_tokens: 10,
      prompt_caching: { type: 'automatic' },
      routes: [route({ input: 0, output: 0 })],
    },
  ],
}

let hone: TestHone
before(async () => {
  hone = await testHone({ catalog })
})
after(() => hone.stop())

const slugs = catalog.models.map((model) => model.id)
const anthropic = { 'anthropic-version': '2023-06-01' }

function rowsIn(answer: Answer, field = 'data'): ModelRow[] {
  assert.equal(answer.status, 200, answer.text)
  const rows = (answer.json as unknown as Record<string, ModelRow[]>)[field]
  return modelRow.strict().array().parse(rows)
}

describe('GET /v1/models', () => {
  test('is a list for clients of the chat dialect, in the order of the file', async () => {
    const answer = await hone.call('GET', '/v1/models')
    assert.deepEqual(Object.keys(answer.json), ['object', 'data'])
    assert.equal((answer.json as unknown as { object: string }).object, 'list')
    assert.deepEqual(
      rowsIn(answer).map((row) => row.id),
      slugs,
    )
  })

  test('is a page for clients of the messages dialect', async () => {
    const headers = { ...anthropic, 'x-api-key': 'whatever' }
    const answer = await hone.call('GET', '/v1/models', { headers })
    const { data: _, ...envelope } = answer.json as unknown as Record<string, unknown>
    assert.deepEqual(envelope, { has_more: false, first_id: slugs[0], last_id: slugs.at(-1) })
    assert.deepEqual(
      rowsIn(answer).map((row) => row.id),
      slugs,
    )
  })

  test('is cut into pages as clients of the messages dialect ask for them', async () => {
    const [first, second, third] = slugs
    const idsOf = async (query: string): Promise<unknown[]> => {
      const page = await hone.call('GET', `/v1/models?${query}`, { headers: anthropic })
      return [rowsIn(page).map(({ id }) => id), (page.json as { has_more?: unknown }).has_more]
    }
    assert.deepEqual(await idsOf('limit=1'), [[first], true])
    assert.deepEqual(await idsOf(`limit=1&after_id=${first}`), [[second], slugs.length > 2])
    assert.deepEqual(await idsOf(`after_id=${slugs.at(-1)}`), [[], false])
    assert.deepEqual(await idsOf(`limit=1&before_id=${third}`), [[second], true])
    assert.deepEqual(await idsOf(`limit=2&before_id=${third}`), [[first, second], false])
    for (const query of ['limit=0', 'limit=1001', 'limit=1&limit=2', 'after_id=none']) {
      const refused = await hone.call('GET', `/v1/models?${query}`, { headers: anthropic })
      assert.equal(refused.status, 400, query)
    }
  })

  test('is the same with a good key, and open with a bad one', async () => {
    const open = await hone.call('GET', '/v1/models')
    for (const bearer of [hone.owner.key, 'no key']) {
      assert.equal((await hone.call('GET', '/v1/models', { bearer })).text, open.text)
    }
  })
})

describe('a row', () => {
  test('says everything about a model, exactly', async () => {
    const rows = rowsIn(await hone.call('GET', '/v1/models'))
    assert.deepEqual(rows[1], {
      id: 'vendor/thinker-1.5',
      object: 'model',
      type: 'model',
      created: 1_770_091_506,
      created_at: '2026-02-03T04:05:06.000Z',
      owned_by: 'vendor',
      display_name: 'Thinker',
      lifecycle: 'active',
      // A route without a rate of its own bills cached tokens at its input rate, and the band says so.
      pricing: {
        input: { min: 0.000001, max: 0.7 },
        output: { min: 0.2, max: 1_000_000 },
        cache_read: { min: 0, max: 0.7 },
        cache_write_5m: { min: 0.000001, max: 0.7 },
      },
      supports_vision: true,
      supports_tools: true,
      context_window: 200_000,
      max_output_tokens: 64_000,
      max_input_tokens: 200_000,
      max_tokens: 64_000,
      reasoning_efforts: ['low', 'high'],
      reasoning_default: 'high',
      reasoning_required: true,
      prompt_caching: { type: 'explicit', min_tokens: 64, bills_writes: false },
    })
  })

  test('has defaults where the file is silent', async () => {
    const row = rowsIn(await hone.call('GET', '/v1/models'))[0]
    assert.equal(row?.display_name, 'bare')
    assert.equal(row?.owned_by, 'hone')
    assert.deepEqual(row?.pricing, { input: { min: 1, max: 1 }, output: { min: 2.5, max: 2.5 } })
    assert.deepEqual([row?.supports_vision, row?.supports_tools], [false, false])
    assert.deepEqual(row?.reasoning_efforts, [])
    assert.deepEqual([row?.reasoning_default, row?.reasoning_required], [null, false])
    assert.deepEqual(row?.prompt_caching, {
      type: 'none',
      min_tokens: 1024,
      bills_writes: false,
    })
  })

  test('never shows where a model is served', async () => {
    for (const path of ['/v1/models', '/v1/models/bare']) {
      const { text } = await hone.call('GET', path)
      assert.doesNotMatch(text, /127\.0\.0\.1|base_url|openai-compatible|weight|api_key/)
    }
  })
})

describe('GET /v1/models/{model}', () => {
  for (const slug of slugs) {
    test(`finds ${slug}, raw and encoded, the same as in the list`, async () => {
      const listed = rowsIn(await hone.call('GET', '/v1/models')).find((row) => row.id === slug)
      for (const path of new Set([slug, encodeURIComponent(slug), slug.replaceAll('/', '%2f')])) {
        for (const headers of [{}, anthropic]) {
          const answer = await hone.call('GET', `/v1/models/${path}`, { headers })
          assert.equal(answer.status, 200, path)
          assert.deepEqual(answer.json, listed)
        }
      }
    })
  }

  test('is 404 for any other, in the shape of whoever asks', async () => {
    for (const slug of [
      'none',
      'vendor',
      'BARE',
      'bare/',
      '',
      'vendor/',
      'constructor',
      '__proto__',
    ]) {
      const chat = await hone.call('GET', `/v1/models/${slug}`)
      assert.equal(chat.status, 404, slug)
      const { message, ...rest } = chat.json.error ?? { message: '' }
      assert.match(message, /no such model/)
      assert.deepEqual(rest, {
        type: 'invalid_request_error',
        param: 'model',
        code: 'model_not_found',
      })
      const messages = await hone.call('GET', `/v1/models/${slug}`, { headers: anthropic })
      assert.equal(messages.status, 404)
      const body = messages.json as unknown as Record<string, unknown> & { error: { type: string } }
      assert.equal(body.type, 'error')
      assert.equal(body.error.type, 'not_found_error')
      assert.equal(body.request_id, messages.headers.get('request-id'))
    }
  })
})

describe('GET /api/models', () => {
  test('is the same catalog for the platform, with the scope models:read or serverless', async () => {
    const headers = await hone.login(hone.owner.email, hone.owner.password)
    const open = rowsIn(await hone.call('GET', '/v1/models'))
    const reader = await createKey(hone, headers, { scopes: ['models:read'] })
    const user = await createKey(hone, headers, { scopes: ['serverless'] })
    for (const options of [{ key: reader.secret }, { key: user.secret }, { headers }]) {
      const answer = await hone.call('GET', '/api/models', options)
      assert.deepEqual(rowsIn(answer, 'models'), open)
      assert.equal((answer.json as unknown as { next_cursor: null }).next_cursor, null)
    }
    const without = await createKey(hone, headers, { scopes: ['datasets:read', 'billing:read'] })
    const refused = await hone.call('GET', '/api/models', { key: without.secret })
    assert.equal(refused.status, 403)
    assert.match(refused.json.error?.message ?? '', /the scope models:read or serverless,/)
  })
})

describe('the file', () => {
  const listed = async (): Promise<string[]> =>
    rowsIn(await hone.call('GET', '/v1/models')).map((row) => row.id)
  const seen = (ids: string[]): Promise<void> =>
    until(async () => JSON.stringify(await listed()) === JSON.stringify(ids))
  const only = (id: string): string =>
    JSON.stringify({ models: [{ ...catalog.models[0], id }] }, null, 2)

  test('is read again when it is written, replaced, or comes back', async () => {
    await writeFile(hone.catalogFile, only('written'))
    await seen(['written'])
    await writeFile(`${hone.catalogFile}.new`, only('replaced'))
    await rename(`${hone.catalogFile}.new`, hone.catalogFile)
    await seen(['replaced'])
    await rm(hone.catalogFile)
    await writeFile(hone.catalogFile, only('back'))
    await seen(['back'])
    const platform = await hone.call('GET', '/api/models', { key: hone.owner.key })
    assert.deepEqual(
      rowsIn(platform, 'models').map((row) => row.id),
      ['back'],
    )
    assert.equal((await hone.call('GET', '/v1/models/written')).status, 404)
  })

  test('is not used while it is bad: the last good one stays, and the next good one comes', async () => {
    await writeFile(hone.catalogFile, only('good'))
    await seen(['good'])
    for (const bad of [
      '',
      '{',
      'null',
      '[]',
      '{"models": 1}',
      only('not a slug'),
      only('x').slice(0, -9),
    ]) {
      await writeFile(hone.catalogFile, bad)
      // What the watcher does, without waiting for it.
      await hone.app.catalog.reload()
      assert.deepEqual(await listed(), ['good'])
    }
    await rm(hone.catalogFile)
    await hone.app.catalog.reload()
    assert.deepEqual(await listed(), ['good'])
    await writeFile(hone.catalogFile, only('better'))
    await seen(['better'])
  })

  test('may list nothing', async () => {
    await writeFile(hone.catalogFile, '{"models": []}')
    await seen([])
    const page = await hone.call('GET', '/v1/models', { headers: anthropic })
    assert.deepEqual(page.json, { data: [], has_more: false, first_id: null, last_id: null })
  })
})
