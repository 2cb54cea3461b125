// A thousand random calls, of several models and prices, with caches, errors and hang-ups: the ledger equals what an
// independent recomputation says, to the last pico-dollar.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  type ScriptedUpstream,
  scriptedUpstream,
  scriptedUsage,
} from '#test/support/scripted-upstream.ts'
import { type TestHone, testHone } from '#test/support/test-hone.ts'
import { testSeed } from '#test/support/test-seed.ts'

// Prices in pico-dollars per token, and the same as USD per 1M tokens for the catalog.
const prices = {
  cheap: { input: 150_000n, output: 600_000n },
  odd: { input: 123_457n, output: 7_000_001n },
  free: { input: 0n, output: 0n },
}
type Priced = keyof typeof prices
const behaviours = ['plain', 'breaks', 'refuses', 'slow'] as const

const calls = 1000
const inFlight = 24

let upstream: ScriptedUpstream
let hone: TestHone

before(async () => {
  upstream = await scriptedUpstream()
  const usd = (picodollars: bigint): string => (Number(picodollars) / 1e6).toFixed(6)
  hone = await testHone({
    catalog: {
      models: behaviours.flatMap((behaviour) =>
        (Object.keys(prices) as Priced[]).map((price) => ({
          id: `${behaviour}/${price}`,
          context_window: 8192,
          max_output_tokens: 1000,
          routes: [
            {
              engine: 'openai-compatible',
              base_url: upstream.baseUrl,
              model: behaviour,
              pricing: { input: usd(prices[price].input), output: usd(prices[price].output) },
            },
          ],
        })),
      ),
    },
  })
})
after(async () => {
  await hone.stop()
  await upstream.close()
})

function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}

test('the ledger of a thousand random calls is what an independent sum says', async () => {
  const random = seeded(testSeed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  let expected = 100n * 10n ** 12n
  let charged = 0

  const call = async (): Promise<void> => {
    const price = pick(Object.keys(prices) as Priced[])
    // Hang-ups only of slow answers, where it is certain that they come before the end.
    const behaviour = random() < 0.7 ? 'plain' : pick(behaviours)
    const stream = random() < 0.5
    const hangUp = behaviour === 'slow' && stream
    const path = pick(['/v1/chat/completions', '/v1/messages'])
    const abort = new AbortController()
    const response = await fetch(hone.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${hone.owner.key}` },
      body: JSON.stringify({
        model: `${behaviour}/${price}`,
        stream,
        // No fewer than the upstream generates: a bill beyond the hold would be cut to it.
        max_tokens: 3 + Math.floor(random() * 900),
        messages: [{ role: 'user', content: 'x'.repeat(Math.floor(random() * 500)) || 'x' }],
      }),
      signal: abort.signal,
    })
    if (hangUp) {
      await response.body?.getReader().read()
      abort.abort()
      return
    }
    await response.text()
    if (response.status !== 200 || behaviour === 'breaks') return
    const { input, output } = prices[price]
    const cost =
      BigInt(scriptedUsage.prompt_tokens) * input + BigInt(scriptedUsage.completion_tokens) * output
    expected -= cost
    if (cost > 0n) charged += 1
  }

  let left = calls
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (left-- > 0) await call()
    }),
  )
  await hone.quiet()

  const { db } = hone.app.storage
  const wallet = await db.selectFrom('wallet').select('balance').executeTakeFirstOrThrow()
  const entries = await db.selectFrom('ledger_entry').select(['kind', 'amount']).execute()
  const charges = entries.filter(({ kind }) => kind === 'charge')
  assert.equal(BigInt(wallet.balance), expected)
  assert.equal(
    entries.reduce((sum, { amount }) => sum + BigInt(amount), 0n),
    expected,
  )
  assert.equal(charges.length, charged)
  const { json } = await hone.call('GET', '/api/wallet', { key: hone.owner.key })
  assert.equal((json as unknown as { held_usd: string }).held_usd, '0')
})
