// Ceilings of a workspace: both sides of each, what the answers say about them, and that processes share them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ManualClock } from '#test/support/manual-clock.ts'
import {
  scriptedCatalog,
  type ScriptedUpstream,
  scriptedUpstream,
} from '#test/support/scripted-upstream.ts'
import { testDatabase } from '#test/support/test-database.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'

let upstream: ScriptedUpstream
before(async () => {
  upstream = await scriptedUpstream()
})
after(() => upstream.close())

type Limits = {
  requests_per_minute?: number
  tokens_per_minute?: number
  concurrent_calls?: number
}

const catalog = (limits: Limits): object => ({ ...scriptedCatalog(upstream.baseUrl), limits })

function ask(hone: TestHone, path: string, model = 'plain', maxTokens = 10): Promise<Answer> {
  return hone.call('POST', path, {
    bearer: hone.owner.key,
    body: { model, max_tokens: maxTokens, messages: [{ role: 'user', content: 'Hi' }] },
  })
}

const paths = ['/v1/chat/completions', '/v1/messages'] as const

function assertLimited(answer: Answer, path: string): void {
  assert.equal(answer.status, 429)
  const seconds = Number(answer.headers.get('retry-after'))
  assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60, `Retry-After ${seconds}`)
  const { error } = answer.json as unknown as { error: { type: string } }
  assert.equal(error.type, 'rate_limit_error', path)
}

for (const path of paths) {
  test(`P9: ${path}: the request after the ceiling is refused until the minute is over`, async () => {
    const clock = new ManualClock('2026-03-01T12:00:30Z')
    const hone = await testHone({ clock, catalog: catalog({ requests_per_minute: 5 }) })
    try {
      for (let i = 0; i < 5; i++) {
        const answer = await ask(hone, path)
        assert.equal(answer.status, 200)
        assert.equal(answer.headers.get('x-ratelimit-limit-requests'), '5')
        assert.equal(answer.headers.get('x-ratelimit-remaining-requests'), String(4 - i))
        assert.equal(answer.headers.get('x-ratelimit-reset-requests'), '30s')
      }
      const refused = await ask(hone, path)
      assertLimited(refused, path)
      assert.equal(refused.headers.get('retry-after'), '30')
      assert.equal(refused.headers.get('x-ratelimit-remaining-requests'), '0')
      clock.forward(29_999)
      assertLimited(await ask(hone, path), path)
      clock.forward(1)
      assert.equal((await ask(hone, path)).status, 200)
    } finally {
      await hone.stop()
    }
  })
}

test('tokens are counted as used, and the estimate of a call is given back', async () => {
  // A call uses 10 tokens; its estimate (a quarter of the prompt's bytes and max_tokens) is larger.
  const hone = await testHone({
    clock: new ManualClock(),
    catalog: catalog({ tokens_per_minute: 100 }),
  })
  try {
    const statuses: number[] = []
    for (let i = 0; i < 12; i++) statuses.push((await ask(hone, paths[0], 'plain', 20)).status)
    const passed = statuses.filter((status) => status === 200).length
    // The last ones do not fit by their estimate although a few tokens are left.
    assert.ok(passed >= 6 && passed <= 10, `${passed} passed`)
    assert.deepEqual(
      statuses.slice(passed).every((status) => status === 429),
      true,
    )
  } finally {
    await hone.stop()
  }
})

test('P9: one call alone passes however large its estimate is', async () => {
  const hone = await testHone({
    clock: new ManualClock(),
    catalog: catalog({ tokens_per_minute: 50 }),
  })
  try {
    assert.equal((await ask(hone, paths[0], 'plain', 1000)).status, 200)
  } finally {
    await hone.stop()
  }
})

for (const path of paths) {
  test(`P9: ${path}: a call larger than the whole minute is told what helps, which is not to wait`, async () => {
    const clock = new ManualClock()
    const hone = await testHone({ clock, catalog: catalog({ tokens_per_minute: 100 }) })
    try {
      assert.equal((await ask(hone, path)).status, 200)
      // A quarter of the prompt's bytes is part of the estimate.
      for (const [maxTokens, never] of [
        [85, false],
        [110, true],
      ] as const) {
        const refused = await ask(hone, path, 'plain', maxTokens)
        assertLimited(refused, path)
        assert.equal(refused.headers.get('x-should-retry'), never ? 'false' : null)
        assert.equal(refused.headers.get('x-ratelimit-limit-tokens'), '100')
        assert.equal(/lower max_tokens or shorten the prompt\./.test(refused.text), never)
        assert.equal(/try again/.test(refused.text), !never)
      }
      clock.forward(60_000)
      assert.equal((await ask(hone, path, 'plain', 110)).status, 200)
    } finally {
      await hone.stop()
    }
  })
}

test('calls at once: the one beyond the ceiling is refused, and passes when one has ended', async () => {
  const gated = await scriptedUpstream()
  const hone = await testHone({
    catalog: { ...scriptedCatalog(gated.baseUrl), limits: { concurrent_calls: 3 } },
  })
  try {
    const running = Array.from({ length: 3 }, () => ask(hone, paths[0], 'gated'))
    await until(() => gated.calls.length >= 3)
    const limited = await ask(hone, paths[0], 'gated')
    assertLimited(limited, paths[0])
    assert.match(limited.headers.get('x-ratelimit-remaining-requests') ?? '', /^\d+$/)
    gated.open()
    for (const answer of await Promise.all(running)) assert.equal(answer.status, 200)
    await hone.quiet()
    assert.equal((await ask(hone, paths[0], 'gated')).status, 200)
  } finally {
    await hone.stop()
    await gated.close()
  }
})

/** The first wallet has 100 USD; a call of 1,000 tokens may cost 200 of them, one of 10 tokens costs 0.6. */
const dear = { input: 0, output: 200_000 }
const errorCode = (answer: Answer): unknown =>
  answer.json.error?.code ?? (answer.json as unknown as { error: { type: string } }).error.type

for (const path of paths) {
  const broke = async (hone: TestHone): Promise<void> => {
    const answer = await ask(hone, path, 'plain', 1000)
    assert.equal(answer.status, 402, answer.text)
    const code = path === '/v1/messages' ? 'billing_error' : 'insufficient_balance'
    assert.equal(errorCode(answer), code)
    for (const name of ['retry-after', 'x-ratelimit-remaining-requests']) {
      assert.equal(answer.headers.get(name), null)
    }
  }
  const rig = (limits: Limits): Promise<TestHone> =>
    testHone({
      clock: new ManualClock(),
      catalog: { ...scriptedCatalog(upstream.baseUrl, dear), limits },
    })

  test(`${path}: who cannot pay is told so before any ceiling, and takes nothing of it`, async () => {
    for (const limits of [{ requests_per_minute: 2 }, { tokens_per_minute: 1100 }]) {
      const hone = await rig(limits)
      try {
        for (let i = 0; i < 5; i++) await broke(hone)
        for (let i = 0; i < 2; i++) assert.equal((await ask(hone, path)).status, 200)
        if ('requests_per_minute' in limits) assertLimited(await ask(hone, path), path)
        await broke(hone)
      } finally {
        await hone.stop()
      }
    }
  })

  test(`${path}: a call that finds no place or is over a ceiling holds nothing of the wallet`, async () => {
    const gated = await scriptedUpstream()
    const catalog = { ...scriptedCatalog(gated.baseUrl, dear), limits: { concurrent_calls: 1 } }
    const hone = await testHone({ clock: new ManualClock(), catalog })
    const held = async (): Promise<unknown> =>
      (await hone.call('GET', '/api/wallet', { key: hone.owner.key })).json.held_usd
    try {
      const running = ask(hone, path, 'gated')
      await until(() => gated.calls.length >= 1)
      const before = await held()
      for (let i = 0; i < 3; i++) assertLimited(await ask(hone, path), path)
      await broke(hone)
      assert.equal(await held(), before)
      gated.open()
      assert.equal((await running).status, 200)
      await hone.quiet()
      assert.equal(await held(), '0')
    } finally {
      await hone.stop()
      await gated.close()
    }
  })

  test(`S21: ${path}: who cannot pay is told that, and not to read to the end`, async () => {
    const hone = await rig({})
    try {
      const { json } = await hone.call('GET', '/api/api-keys/introspect', { key: hone.owner.key })
      const workspaceId = (json as unknown as { workspace: { id: string } }).workspace.id
      for (let i = 0; i < 101; i++) hone.app.calls.abortGuard.aborted(workspaceId, 1)
      assertLimited(await ask(hone, path), path)
      await broke(hone)
      assert.equal(hone.app.money.wallets.held(await orgOf(hone)), 0n)
    } finally {
      await hone.stop()
    }
  })
}

async function orgOf(hone: TestHone): Promise<string> {
  const { json } = await hone.call('GET', '/api/api-keys/introspect', { key: hone.owner.key })
  return (json as unknown as { org: { id: string } }).org.id
}

test('P9: two processes share the ceiling, within a hundredth each', async () => {
  const database = await testDatabase()
  const clock = new ManualClock()
  const options = {
    clock,
    databaseUrl: database.url,
    catalog: catalog({ requests_per_minute: 200 }),
  }
  const hones = [await testHone(options), await testHone(options)]
  try {
    let passed = 0
    for (let round = 0; round < 15; round++) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => ask(hones[i % 2] as TestHone, paths[i % 2 ? 0 : 1])),
      )
      passed += answers.filter(({ status }) => status === 200).length
    }
    assert.ok(passed >= 196 && passed <= 200, `${passed} of 300 passed a ceiling of 200`)
  } finally {
    for (const hone of hones) await hone.stop()
  }
})

test('P9: what a call did not use of its estimate is there for the calls of every process', async () => {
  const database = await testDatabase()
  const options = {
    clock: new ManualClock(),
    databaseUrl: database.url,
    catalog: catalog({ tokens_per_minute: 1000 }),
  }
  const hones = [await testHone(options), await testHone(options)] as const
  try {
    // A call uses 10 tokens of these and keeps 10 more, which is a portion, to itself.
    for (let i = 0; i < 6; i++) {
      for (const hone of hones) {
        const answer = await ask(hone, paths[i % 2 ? 0 : 1], 'plain', 800)
        assert.equal(answer.status, 200, `round ${i}: ${answer.text}`)
        const { limits, underWay } = hone.app.calls
        await until(() => underWay.size === 0)
        await limits.drained()
      }
    }
    // One that does not fit leaves what is there to those that do, wherever they come.
    const [one, two] = hones
    const large = await Promise.all(
      Array.from({ length: 5 }, () => ask(one, paths[0], 'plain', 950)),
    )
    for (const answer of large) assertLimited(answer, paths[0])
    await one.app.calls.limits.drained()
    assert.equal((await ask(two, paths[0], 'plain', 500)).status, 200)
  } finally {
    for (const hone of hones) await hone.stop()
  }
})

test('S21: a workspace whose calls are mostly hung up on is told to stop, others are not', async () => {
  const clock = new ManualClock('2026-03-01T12:00:00Z')
  const hone = await testHone({ clock, catalog: catalog({}) })
  const { abortGuard } = hone.app.calls
  try {
    const { json } = await hone.call('GET', '/api/api-keys/introspect', { key: hone.owner.key })
    const workspaceId = (json as unknown as { workspace: { id: string } }).workspace.id
    for (let i = 0; i < 100; i++) abortGuard.aborted(workspaceId, 1)
    assert.equal((await ask(hone, paths[0])).status, 200)
    for (let i = 0; i < 10; i++) abortGuard.aborted(workspaceId, 1)
    assertLimited(await ask(hone, paths[0]), paths[0])
    assertLimited(await ask(hone, paths[1]), paths[1])
    abortGuard.check('another workspace')
    for (const [forwardMs, left, retryAfter] of [
      [0, 600, '60'],
      [500_000, 100, '60'],
      [70_000, 30, '30'],
      [29_500, 1, '1'],
    ] as const) {
      clock.forward(forwardMs)
      const answer = await ask(hone, paths[0])
      assertLimited(answer, paths[0])
      assert.equal(answer.headers.get('retry-after'), retryAfter)
      assert.match(answer.text, new RegExp(`wait ${left} s`))
    }
    clock.forward(500)
    assert.equal((await ask(hone, paths[0])).status, 200)
  } finally {
    await hone.stop()
  }
})

test('S21: processes on one database share what a workspace may hang up on', async () => {
  const database = await testDatabase()
  const clock = new ManualClock('2026-03-01T12:00:00Z')
  const options = { clock, databaseUrl: database.url, catalog: catalog({}) }
  const hones = [await testHone(options), await testHone(options)] as const
  try {
    const [one, two] = hones
    const guards = hones.map(({ app }) => app.calls.abortGuard)
    const exchange = async (): Promise<void> => {
      // The second hears what the first has told, and the first what the second has.
      for (const guard of [...guards, ...guards]) await guard.exchange()
    }
    const { json } = await one.call('GET', '/api/api-keys/introspect', { key: one.owner.key })
    const workspaceId = (json as unknown as { workspace: { id: string } }).workspace.id
    for (const guard of guards) for (let i = 0; i < 60; i++) guard.aborted(workspaceId, 1)
    for (const hone of hones) assert.equal((await ask(hone, paths[0])).status, 200)
    await exchange()
    for (const hone of hones) for (const path of paths) assertLimited(await ask(hone, path), path)
    // Telling the same again counts nothing twice.
    for (let i = 0; i < 125; i++) guards[0]?.completed(workspaceId, 1)
    await exchange()
    await exchange()
    for (const hone of hones) assert.equal((await ask(hone, paths[0])).status, 200)
    for (let i = 0; i < 60; i++) guards[1]?.aborted(workspaceId, 1)
    assertLimited(await ask(two, paths[0]), paths[0])
    assert.equal((await ask(one, paths[0])).status, 200)
    await exchange()
    assertLimited(await ask(one, paths[0]), paths[0])
    clock.forward(10 * 60_000)
    for (const hone of hones) assert.equal((await ask(hone, paths[0])).status, 200)
  } finally {
    for (const hone of hones) await hone.stop()
  }
})
