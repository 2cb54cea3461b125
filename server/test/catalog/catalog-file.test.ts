// What a catalog file may say, and the sentence that explains each mistake in one.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readCatalogText } from '#server/catalog/catalog-file.ts'
import { defaultCatalog } from '#server/catalog/default-catalog.ts'

const route = {
  engine: 'openai-compatible',
  base_url: 'http://127.0.0.1:8000/v1',
  pricing: { input: 1, output: 2 },
}
const model = { id: 'vendor/model', context_window: 1000, max_output_tokens: 100, routes: [route] }

const machine = {
  name: 'gpu-a',
  engine: 'slurm',
  accelerators: 2,
  memory_gb: 141,
  training_usd_per_hour: '3.5',
  serving_usd_per_hour: 0.000001,
}

function problemOf(file: unknown): string {
  const reading = readCatalogText(typeof file === 'string' ? file : JSON.stringify(file))
  return reading.ok ? 'none' : reading.problem
}
const withModel = (change: object): object => ({ models: [{ ...model, ...change }] })
const withRoute = (change: object): object => withModel({ routes: [{ ...route, ...change }] })
const withPricing = (change: object): object =>
  withRoute({ pricing: { ...route.pricing, ...change } })
const withReasoning = (reasoning: object): object => withModel({ reasoning })

const messagesRoute = { ...route, engine: 'anthropic-compatible' }
const waysOfRoutes: object[] = [
  ...(
    'reasoning_effort reasoning.effort thinking.type enable_thinking none ' +
    'chat_template_kwargs.enable_thinking chat_template_kwargs.thinking'
  )
    .split(' ')
    .map((thinking) => ({ thinking })),
  ...(
    'stream_options tool_choice parallel_tool_calls stop reasoning_effort temperature top_p top_k seed ' +
    'frequency_penalty presence_penalty response_format'
  )
    .split(' ')
    .map((field) => ({ leaves_out: [field] })),
  ...'temperature top_p top_k stop_sequences tool_choice output_config eager_input_streaming'
    .split(' ')
    .map((field) => ({ ...messagesRoute, leaves_out: [field] })),
  ...['x-api-key', 'authorization'].map((key_header) => ({ ...messagesRoute, key_header })),
]

describe('a good file', () => {
  test('with each of the ways of a server is read', () => {
    for (const way of waysOfRoutes) {
      assert.equal(problemOf(withRoute(way)), 'none', JSON.stringify(way))
    }
  })
  for (const [what, file] of [
    ['with one model', { models: [model] }],
    ['with none', { models: [] }],
    ['as Hone writes it first', defaultCatalog],
    ['with a slug of every allowed form', withModel({ id: 'A0/b.c_d/e:f-1' })],
    ['with output as large as the window', withModel({ max_output_tokens: 1000 })],
    ['with the longest slug', withModel({ id: 'x'.repeat(200) })],
    ['with the shortest wait', withRoute({ first_byte_seconds: 1 })],
    ['with the longest wait', withRoute({ first_byte_seconds: 3600 })],
    ['with free storage', { models: [], storage: { usd_per_gb_month: 0 } }],
    ['with free tokens', withPricing({ input: 0, output: '0' })],
    ['with six decimals', withPricing({ input: '0.000001', output: 0.123456 })],
    ['with every price', withPricing({ cache_read: 0.1, cache_write_5m: 1.25, cache_write_1h: 2 })],
    ['with hosts of images', { models: [], image_hosts: ['a.example', '10.0.0.1:9000'] }],
    ['with a judge', withModel({ judge: true })],
    [
      'with how its family is trained',
      withModel({ training: { min_epochs: 8, stops_early: false } }),
    ],
    ['with machines', { models: [], machines: [machine, { ...machine, name: 'other' }] }],
    ['without machines', { models: [], machines: [] }],
    ['with images fetched', withModel({ image_urls: 'fetch' })],
    ['with reasoning off by default', withReasoning({ efforts: ['low'], default: null })],
    [
      'with the ways of a server',
      withRoute({ thinking: 'thinking.type', leaves_out: ['temperature', 'stream_options'] }),
    ],
    [
      'with headers for a gateway',
      withRoute({ headers: { 'x-portkey-provider': 'openai', 'x-key': { env: 'GATEWAY_KEY' } } }),
    ],
    [
      'with the name of a key',
      withRoute({ api_key_env: 'UPSTREAM_KEY', model: 'else', weight: 0.5 }),
    ],
  ] as const) {
    test(`${what} is read`, () => assert.equal(problemOf(file), 'none'))
  }

  test('with the mark that some editors begin a file with is read', () => {
    assert.ok(readCatalogText(`\ufeff${JSON.stringify({ models: [model] })}`).ok)
  })

  test('that is silent has the defaults', () => {
    const messages = {
      engine: 'anthropic-compatible',
      base_url: route.base_url,
      pricing: route.pricing,
    }
    const reading = readCatalogText(JSON.stringify(withModel({ routes: [route, messages] })))
    assert.ok(reading.ok)
    const { models, ...rest } = reading.file
    assert.deepEqual(rest, {
      limits: {
        requests_per_minute: 60_000,
        tokens_per_minute: 20_000_000,
        concurrent_calls: 512,
        running_deployments: 20,
      },
      image_hosts: [],
      machines: [
        {
          name: 'embedded',
          engine: 'embedded',
          training_usd_per_hour: 600_000_000_000n,
          serving_usd_per_hour: 0n,
        },
      ],
    })
    const pricing = { input: 1_000_000n, output: 2_000_000n }
    const upstream = { base_url: route.base_url, weight: 1, pricing, probe: 'models' }
    assert.deepEqual(models, [
      {
        ...model,
        owned_by: 'hone',
        created: '2026-01-01T00:00:00Z',
        supports_vision: false,
        image_urls: 'refuse',
        supports_tools: false,
        prompt_caching: { type: 'none', min_tokens: 1024, bills_writes: false },
        judge: false,
        training: { min_epochs: 3, stops_early: true },
        routes: [
          {
            engine: 'openai-compatible',
            ...upstream,
            cache_salt: false,
            passes_thinking: false,
            tokenizes: false,
            continues: false,
            whole_only: false,
            max_tokens_field: 'max_tokens',
            thinking: 'reasoning_effort',
            leaves_out: [],
          },
          {
            engine: 'anthropic-compatible',
            ...upstream,
            thinking: 'adaptive',
            key_header: 'x-api-key',
            leaves_out: [],
          },
        ],
      },
    ])
  })

  test('that names some limits and what storage costs has the others by default', () => {
    const reading = readCatalogText(
      JSON.stringify({
        models: [],
        limits: { concurrent_calls: 1 },
        storage: { usd_per_gb_month: '0.000001' },
      }),
    )
    assert.ok(reading.ok)
    assert.deepEqual(reading.file.limits, {
      requests_per_minute: 60_000,
      tokens_per_minute: 20_000_000,
      concurrent_calls: 1,
      running_deployments: 20,
    })
    assert.equal(reading.file.storage?.usd_per_gb_month, 1_000_000n)
  })

  test('prices become whole pico-dollars per token', () => {
    const reading = readCatalogText(
      JSON.stringify(withPricing({ input: 0.1, output: '12.345678' })),
    )
    assert.ok(reading.ok)
    const pricing = reading.file.models[0]?.routes[0]?.pricing
    assert.deepEqual(pricing, { input: 100_000n, output: 12_345_678n })
  })
})

const price = 'must be USD per 1M tokens, not negative, with at most 6 decimals'
const p = 'file field models[0].routes[0].pricing'
const refusals: [what: string, file: unknown, problem: string | RegExp][] = [
  ['text that is not JSON', '{"models": [', /^it is not JSON \(.+\)$/],
  ['nothing', '', /^it is not JSON \(.+\)$/],
  ['a comment', '// models\n{}', /^it is not JSON \(.+\)$/],
  ['null', 'null', /^The file must be an object, not (null|a list)$/],
  ['a list', [], /^The file must be an object, not (null|a list)$/],
  ['no models', {}, /^file field models: must be a list/],
  ['models that are no list', { models: {} }, /^file field models: must be a list/],
  ['an unknown field', { models: [], machine: [] }, 'Unknown field in the file: machine'],
  ['a model that is no object', { models: ['x'] }, /^file field models\[0\]: must be an object/],
  [
    'a machine twice',
    { models: [], machines: [machine, machine] },
    'file field machines: names a machine twice',
  ],
  [
    'a machine of another kind',
    { models: [], machines: [{ ...machine, engine: 'laptop' }] },
    /^file field machines\[0\]\.engine: must be/,
  ],
  [
    'a machine that pays',
    { models: [], machines: [{ ...machine, training_usd_per_hour: -1 }] },
    'file field machines[0].training_usd_per_hour: must be USD, not negative, with at most 6 decimals',
  ],
  [
    'more epochs than a training may have',
    withModel({ training: { min_epochs: 16 } }),
    /^file field models\[0\]\.training\.min_epochs: must be/,
  ],
  ['a model twice', { models: [model, model] }, 'file field models: names a model twice'],
  [
    'an unknown field of a model',
    withModel({ vision: true }),
    'Unknown field in the file: models[0].vision',
  ],
  ['no slug', withModel({ id: undefined }), /^file field models\[0\]\.id: must be a string/],
  ...['', '/', 'a/', '/a', 'a//b', 'a b', '-a', 'a/../b', 'é', '__proto__', 'a\n'].map(
    (id): [string, unknown, RegExp] => [
      `the slug ${JSON.stringify(id)}`,
      withModel({ id }),
      /^file field models\[0\]\.id: /,
    ],
  ),
  [
    'a slug of 201 characters',
    withModel({ id: 'x'.repeat(201) }),
    /^file field models\[0\]\.id: .*200/,
  ],
  [
    'an empty display name',
    withModel({ display_name: '' }),
    /^file field models\[0\]\.display_name: /,
  ],
  ['an empty owner', withModel({ owned_by: '' }), /^file field models\[0\]\.owned_by: /],
  [
    'a day that is no time',
    withModel({ created: '2026-01-01' }),
    /^file field models\[0\]\.created: must be a date and time/,
  ],
  [
    'no window',
    withModel({ context_window: undefined }),
    /^file field models\[0\]\.context_window: /,
  ],
  [
    'a window of 0',
    withModel({ context_window: 0 }),
    /^file field models\[0\]\.context_window: must be at least 1/,
  ],
  [
    'half a token',
    withModel({ context_window: 1.5 }),
    /^file field models\[0\]\.context_window: must be a whole number/,
  ],
  [
    'no output',
    withModel({ max_output_tokens: 0 }),
    /^file field models\[0\]\.max_output_tokens: must be at least 1/,
  ],
  [
    'more output than window',
    withModel({ max_output_tokens: 1001 }),
    'file field models[0].max_output_tokens: must not exceed context_window',
  ],
  [
    'vision as a text',
    withModel({ supports_vision: 'yes' }),
    /^file field models\[0\]\.supports_vision: must be true or false/,
  ],
  [
    'tools as a number',
    withModel({ supports_tools: 1 }),
    /^file field models\[0\]\.supports_tools: must be true or false/,
  ],
  [
    'an unknown way with images',
    withModel({ image_urls: true }),
    /^file field models\[0\]\.image_urls: /,
  ],
  ...['http://a.example', 'a.example/images', '*.example', 'A.example', ''].map(
    (host): [string, unknown, string] => [
      `the image host ${JSON.stringify(host)}`,
      { models: [], image_hosts: [host] },
      'file field image_hosts[0]: must be a host or host:port',
    ],
  ),
  [
    'no efforts',
    withReasoning({ efforts: [], default: null }),
    /^file field models\[0\]\.reasoning\.efforts: /,
  ],
  [
    'an unknown effort',
    withReasoning({ efforts: ['extreme'], default: null }),
    /^file field models\[0\]\.reasoning\.efforts\[0\]: /,
  ],
  [
    'no word on the default',
    withReasoning({ efforts: ['low'] }),
    /^file field models\[0\]\.reasoning\.default: /,
  ],
  [
    'a default beside the ladder',
    withReasoning({ efforts: ['low'], default: 'high' }),
    'file field models[0].reasoning.default: must be one of the efforts',
  ],
  [
    'required without a default',
    withReasoning({ efforts: ['low'], default: null, required: true }),
    'file field models[0].reasoning.default: must name an effort when reasoning is required',
  ],
  [
    'an unknown kind of caching',
    withModel({ prompt_caching: { type: 'magic' } }),
    /^file field models\[0\]\.prompt_caching\.type: /,
  ],
  [
    'a prefix of 0',
    withModel({ prompt_caching: { type: 'none', min_tokens: 0 } }),
    /^file field models\[0\]\.prompt_caching\.min_tokens: /,
  ],
  ['no routes', withModel({ routes: [] }), /^file field models\[0\]\.routes: /],
  [
    'an unknown engine',
    withRoute({ engine: 'magic' }),
    /^file field models\[0\]\.routes\[0\]\.engine: /,
  ],
  ['no engine', withRoute({ engine: undefined }), /^file field models\[0\]\.routes\[0\]\.engine: /],
  ...[{ requests_per_minute: 0 }, { tokens_per_minute: 1.5 }, { concurrent_calls: -1 }].map(
    (limits): [string, unknown, RegExp] => [
      `the limits ${JSON.stringify(limits)}`,
      { models: [], limits },
      new RegExp(`^file field limits\\.${Object.keys(limits)[0]}: `),
    ],
  ),
  ...[-1, '0.0000001', 'cheap'].map((usd_per_gb_month): [string, unknown, string] => [
    `storage for ${usd_per_gb_month}`,
    { models: [], storage: { usd_per_gb_month } },
    'file field storage.usd_per_gb_month: must be USD, not negative, with at most 6 decimals',
  ]),
  ...[
    { first_byte_seconds: 0.9 },
    { first_byte_seconds: 3601 },
    { probe: 'sometimes' },
    { probe: true },
    { passes_thinking: 'yes' },
    { tokenizes: 1 },
    { max_tokens_field: 'max_output_tokens' },
    { key_header: 'cookie', engine: 'anthropic-compatible' },
    { thinking: 'adaptive' },
    { thinking: true },
    { leaves_out: 'temperature' },
  ].map((fields): [string, unknown, RegExp] => [
    `a route with ${JSON.stringify(fields)}`,
    withRoute(fields),
    new RegExp(`^file field models\\[0\\]\\.routes\\[0\\]\\.${Object.keys(fields)[0]}: `),
  ]),
  ...['max_tokens', 'messages', 'tools', 'model', 'stream', 'user', ''].map(
    (field): [string, unknown, RegExp] => [
      `a route that leaves out ${JSON.stringify(field)}`,
      withRoute({ leaves_out: ['temperature', field] }),
      /^file field models\[0\]\.routes\[0\]\.leaves_out\[1\]: .*one of/,
    ],
  ),
  [
    'a key in the file',
    withRoute({ api_key: 'sk-secret' }),
    'Unknown field in the file: models[0].routes[0].api_key',
  ],
  [
    'a key for its name',
    withRoute({ api_key_env: 'sk-secret' }),
    /^file field models\[0\]\.routes\[0\]\.api_key_env: /,
  ],
  [
    'a header that Hone writes itself',
    withRoute({ headers: { authorization: 'Bearer x' } }),
    /^file field models\[0\]\.routes\[0\]\.headers.*must be a header that Hone does not send itself/,
  ],
  [
    'a header in capitals',
    withRoute({ headers: { 'X-Team': 'a' } }),
    /^file field models\[0\]\.routes\[0\]\.headers.*must be the name of a header in small letters/,
  ],
  [
    'a header of two lines',
    withRoute({ headers: { 'x-team': 'a\r\nx-other: b' } }),
    /^file field models\[0\]\.routes\[0\]\.headers/,
  ],
  [
    'a secret header without the name of its variable',
    withRoute({ headers: { 'x-team': { env: 'sk-secret' } } }),
    /^file field models\[0\]\.routes\[0\]\.headers/,
  ],
  [
    'no address',
    withRoute({ base_url: undefined }),
    /^file field models\[0\]\.routes\[0\]\.base_url: /,
  ],
  [
    'an address that is none',
    withRoute({ base_url: 'somewhere' }),
    /^file field models\[0\]\.routes\[0\]\.base_url: /,
  ],
  [
    'a file for an address',
    withRoute({ base_url: 'file:///etc/passwd' }),
    /^file field models\[0\]\.routes\[0\]\.base_url: /,
  ],
  [
    'an empty name at the engine',
    withRoute({ model: '' }),
    /^file field models\[0\]\.routes\[0\]\.model: /,
  ],
  [
    'a weight of 0',
    withRoute({ weight: 0 }),
    /^file field models\[0\]\.routes\[0\]\.weight: must be .*0/,
  ],
  [
    'no pricing',
    withRoute({ pricing: undefined }),
    /^file field models\[0\]\.routes\[0\]\.pricing: /,
  ],
  [
    'no input price',
    withPricing({ input: undefined }),
    /^file field models\[0\]\.routes\[0\]\.pricing\.input: /,
  ],
  [
    'an unknown price',
    withPricing({ cache: 1 }),
    'Unknown field in the file: models[0].routes[0].pricing.cache',
  ],
  ['a negative price', withPricing({ input: -1 }), `${p}.input: ${price}`],
  ['seven decimals', withPricing({ output: '0.0000001' }), `${p}.output: ${price}`],
  ['a price that floats', withPricing({ output: 1e-7 }), `${p}.output: ${price}`],
  ['a price in words', withPricing({ cache_read: 'cheap' }), `${p}.cache_read: ${price}`],
  [
    'a price with a currency',
    withPricing({ cache_write_5m: '$1' }),
    `${p}.cache_write_5m: ${price}`,
  ],
  ['an empty price', withPricing({ cache_write_1h: '' }), `${p}.cache_write_1h: ${price}`],
]

describe('a bad file', () => {
  for (const [what, file, problem] of refusals) {
    test(`with ${what} is refused in a sentence`, () => {
      if (typeof problem === 'string') assert.equal(problemOf(file), problem)
      else assert.match(problemOf(file), problem)
    })
  }

  test('is explained without its secrets', () => {
    assert.ok(!problemOf(withRoute({ api_key: 'sk-secret' })).includes('sk-secret'))
    assert.ok(!problemOf(withRoute({ api_key_env: 'sk-secret' })).includes('sk-secret'))
    const headers = { 'x-team': 'sk-secret\n', 'x-key': { env: 'sk-secret' } }
    assert.ok(!problemOf(withRoute({ headers })).includes('sk-secret'))
  })
})
