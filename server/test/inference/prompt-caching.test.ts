// Prompt caching as a client sees and pays it, on the bundled model: writes, reads, what is billed for each, and that one
// workspace never reads another's entries.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ManualClock } from '#test/support/manual-clock.ts'
import { defaultCatalog } from '#server/catalog/default-catalog.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'

// Pico-dollars per token, from the default catalog.
const rate = {
  input: 100_000n,
  output: 400_000n,
  read: 10_000n,
  write5m: 125_000n,
  write1h: 200_000n,
}

let hone: TestHone
let otherKey: string
const clock = new ManualClock()

before(async () => {
  hone = await testHone({ catalog: defaultCatalog, clock })
  const created = await hone.call('POST', '/api/workspaces', {
    key: hone.owner.key,
    body: { name: 'Other' },
  })
  const { workspace } = created.json as unknown as { workspace: { id: string } }
  const session = await hone.login(hone.owner.email, hone.owner.password)
  const key = await hone.call('POST', '/api/api-keys', {
    headers: { ...session, 'x-workspace-id': workspace.id },
    body: { name: 'other', scope_preset: 'all' },
  })
  otherKey = (key.json as unknown as { secret: string }).secret
})
after(() => hone.stop())

const policy = (name: string): string =>
  `You are the helper of ${name}. ${'Be kind and short. Answer only about orders and parcels. '.repeat(12)}`

type Usage = {
  input_tokens: number
  output_tokens: number
  cache_creation_input_tokens?: number
  cache_creation?: { ephemeral_5m_input_tokens: number; ephemeral_1h_input_tokens: number }
  cache_read_input_tokens?: number
}

async function ask(
  system: string,
  cache: object | null,
  extra: object = {},
  key = hone.owner.key,
): Promise<Answer> {
  const block = { type: 'text', text: system, ...(cache ? { cache_control: cache } : {}) }
  const answer = await hone.call('POST', '/v1/messages', {
    bearer: key,
    body: {
      model: 'hone/hone-mini',
      max_tokens: 8,
      system: [block],
      messages: [{ role: 'user', content: 'Hello' }],
      ...extra,
    },
  })
  assert.equal(answer.status, 200, answer.text)
  await hone.quiet()
  await hone.app.calls.promptCache.drained()
  return answer
}

function usageOf(answer: Answer): Usage {
  return (answer.json as unknown as { usage: Usage }).usage
}

async function lastCharge(): Promise<bigint> {
  const entry = await hone.app.storage.db
    .selectFrom('ledger_entry')
    .select('amount')
    .where('kind', '=', 'charge')
    .orderBy('seq', 'desc')
    .executeTakeFirstOrThrow()
  return -BigInt(entry.amount)
}

test('the first call writes at the write rate, the second reads at the read rate', async () => {
  const first = await ask(policy('Acme'), { type: 'ephemeral' })
  const wrote = usageOf(first)
  const written = wrote.cache_creation_input_tokens ?? 0
  assert.ok(written >= 64)
  assert.deepEqual(wrote.cache_creation, {
    ephemeral_5m_input_tokens: written,
    ephemeral_1h_input_tokens: 0,
  })
  assert.equal(wrote.cache_read_input_tokens, undefined)
  assert.equal(first.headers.get('x-service-cache-marker'), 'honoured')
  assert.equal(
    await lastCharge(),
    BigInt(written) * rate.write5m +
      BigInt(wrote.input_tokens) * rate.input +
      BigInt(wrote.output_tokens) * rate.output,
  )

  const read = usageOf(await ask(policy('Acme'), { type: 'ephemeral' }))
  assert.equal(read.cache_read_input_tokens, written)
  assert.equal(read.cache_creation_input_tokens, undefined)
  assert.equal(read.input_tokens, wrote.input_tokens)
  assert.equal(
    await lastCharge(),
    BigInt(written) * rate.read +
      BigInt(read.input_tokens) * rate.input +
      BigInt(read.output_tokens) * rate.output,
  )
})

test('an hour is written at its own rate', async () => {
  const wrote = usageOf(await ask(policy('Hour'), { type: 'ephemeral', ttl: '1h' }))
  const written = wrote.cache_creation_input_tokens ?? 0
  assert.deepEqual(wrote.cache_creation, {
    ephemeral_5m_input_tokens: 0,
    ephemeral_1h_input_tokens: written,
  })
  assert.equal(
    await lastCharge(),
    BigInt(written) * rate.write1h +
      BigInt(wrote.input_tokens) * rate.input +
      BigInt(wrote.output_tokens) * rate.output,
  )
})

test('another workspace does not read the entry', async () => {
  await ask(policy('Private'), { type: 'ephemeral' })
  const other = usageOf(await ask(policy('Private'), { type: 'ephemeral' }, {}, otherKey))
  assert.equal(other.cache_read_input_tokens, undefined)
  assert.ok((other.cache_creation_input_tokens ?? 0) > 0)
})

test('an entry lives five minutes from its last use', async () => {
  await ask(policy('Timer'), { type: 'ephemeral' })
  clock.forward(5 * 60_000 - 1)
  assert.ok(
    (usageOf(await ask(policy('Timer'), { type: 'ephemeral' })).cache_read_input_tokens ?? 0) > 0,
  )
  clock.forward(5 * 60_000 - 1)
  assert.ok(
    (usageOf(await ask(policy('Timer'), { type: 'ephemeral' })).cache_read_input_tokens ?? 0) > 0,
  )
  clock.forward(5 * 60_000 + 1)
  assert.equal(
    usageOf(await ask(policy('Timer'), { type: 'ephemeral' })).cache_read_input_tokens,
    undefined,
  )
})

test('without cache_control the platform caches by itself, without a premium', async () => {
  const first = await ask(policy('Managed'), null)
  assert.equal(first.headers.get('x-service-cache-marker'), null)
  assert.equal(usageOf(first).cache_creation_input_tokens, undefined)
  const second = usageOf(await ask(policy('Managed'), null))
  assert.ok((second.cache_read_input_tokens ?? 0) >= 64)
  const off = usageOf(await ask(policy('Managed'), null, { prompt_cache: { mode: 'off' } }))
  assert.equal(off.cache_read_input_tokens, undefined)
})

test('a prefix shorter than the minimum is served without caching', async () => {
  const usage = usageOf(await ask('Be kind.', { type: 'ephemeral' }))
  assert.equal(usage.cache_creation_input_tokens, undefined)
})

test('a prefix is as many tokens as the model reads of it, and not its share of the bytes', async () => {
  const numbers = Array.from({ length: 120 }, (_, i) => (i * 7919) % 9973).join(' ')
  const question = 'Please be so kind and tell me something about the weather of today. '.repeat(12)
  const messages = [{ role: 'user', content: question }]
  const usage = usageOf(await ask(numbers, { type: 'ephemeral' }, { messages }))
  const written = usage.cache_creation_input_tokens ?? 0
  const total = usage.input_tokens + written
  const count = async (body: object): Promise<number> => {
    const answer = await hone.call('POST', '/v1/messages/count_tokens', {
      bearer: hone.owner.key,
      body: { model: 'hone/hone-mini', messages, ...body },
    })
    return (answer.json as unknown as { input_tokens: number }).input_tokens
  }
  const ofNumbers = (await count({ system: numbers })) - (await count({}))
  const byBytes = (total * numbers.length) / (numbers.length + question.length)
  const near = total * 0.02
  assert.ok(Math.abs(byBytes - ofNumbers) > 3 * near, `${byBytes} by bytes tells nothing apart`)
  assert.ok(Math.abs(written - ofNumbers) < near, `${written}, not ${ofNumbers} of ${total}`)
})

test('the chat dialect shows the same counts in its own words', async () => {
  const body = {
    model: 'hone/hone-mini',
    max_tokens: 8,
    messages: [
      {
        role: 'system',
        content: [{ type: 'text', text: policy('Chat'), cache_control: { type: 'ephemeral' } }],
      },
      { role: 'user', content: 'Hello' },
    ],
  }
  const call = async () => {
    const answer = await hone.call('POST', '/v1/chat/completions', { bearer: hone.owner.key, body })
    assert.equal(answer.status, 200, answer.text)
    await hone.quiet()
    await hone.app.calls.promptCache.drained()
    return (answer.json as unknown as { usage: Record<string, unknown> }).usage
  }
  const wrote = (await call()) as {
    prompt_tokens: number
    prompt_tokens_details: Record<string, number>
  }
  const written = wrote.prompt_tokens_details.cache_write_5m_tokens ?? 0
  assert.ok(written >= 64 && written < wrote.prompt_tokens)
  assert.equal(wrote.prompt_tokens_details.cached_tokens, 0)
  const read = (await call()) as typeof wrote
  assert.equal(read.prompt_tokens, wrote.prompt_tokens)
  assert.deepEqual(read.prompt_tokens_details, { cached_tokens: written })
})

test('a streamed message names its cache writes at the start, where clients read them', async () => {
  const answer = await ask(policy('Stream'), { type: 'ephemeral' }, { stream: true })
  const start = /event: message_start\ndata: (.*)\n/.exec(answer.text)?.[1] ?? '{}'
  const { usage } = (JSON.parse(start) as { message: { usage: Usage } }).message
  assert.ok((usage.cache_creation?.ephemeral_5m_input_tokens ?? 0) >= 64)
  assert.equal(usage.output_tokens, 0)
})
