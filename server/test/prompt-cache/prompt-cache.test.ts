// The cache over several calls, on a real database and with a clock moved by hand: rules 1 to 16 as a caller meets
// them. Engines here count 100 tokens for every block and models have a minimum of 64.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Block } from '#server/core/block.ts'
import { Refusal } from '#server/core/refusal.ts'
import { type CallRequest, noCachePreference } from '#server/core/request.ts'
import { noUsage, promptTokens, type Usage } from '#server/core/usage.ts'
import { newId } from '#server/lib/id.ts'
import { systemClock } from '#server/lib/clock.ts'
import type { CachePlan } from '#server/prompt-cache/cache-plan.ts'
import { type PlanInput, PromptCache } from '#server/prompt-cache/prompt-cache.ts'
import { promptBlocks } from '#server/core/prompt-blocks.ts'
import { openStorage, type Storage } from '#server/storage/open-storage.ts'
import { StorageUnavailable } from '#server/storage/storage-unavailable.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { type TestDatabase, testDatabase } from '../support/test-database.ts'
import * as make from './requests.ts'
import {
  asking,
  assistant,
  explicit,
  long,
  mark1h,
  mark5m,
  openAiMark,
  text,
  user,
} from './requests.ts'

const minuteMs = 60_000
const fiveMinutesMs = 5 * minuteMs

let database: TestDatabase
let storage: Storage

before(async () => {
  database = await testDatabase()
  storage = await openStorage(database.url, systemClock)
})
after(async () => {
  await storage.close()
})

type Bill = [input: number, read: number, written5m: number, written1h: number]

const billOf = (usage: Usage): Bill => [
  usage.inputTokens,
  usage.cacheReadTokens,
  usage.cacheWrite5mTokens,
  usage.cacheWrite1hTokens,
]

function rig(on: Storage = storage) {
  const clock = new ManualClock()
  const warnings: string[] = []
  const log = { warn: (_: unknown, words: string) => void warnings.push(words) }
  const cache = new PromptCache(on, clock, log as never)
  const workspaceId = newId(clock.now())
  const plan = async (
    parts: Partial<CallRequest>,
    input: Partial<PlanInput> = {},
  ): Promise<CachePlan> =>
    cache.plan({
      request: asking(parts),
      model: 'test',
      workspaceId,
      caching: explicit,
      effort: null,
      startedAt: clock.now(),
      ...input,
    })
  const split = (of: CachePlan, parts: Partial<CallRequest>): Bill => {
    const counts = promptBlocks(asking(parts)).map(() => 100)
    return billOf(
      of.split({ ...noUsage, inputTokens: 100 * counts.length }, { tokensPerBlock: counts }),
    )
  }
  /** One whole call. */
  const call = async (
    parts: Partial<CallRequest>,
    input: Partial<PlanInput> = {},
  ): Promise<Bill> => {
    const planned = await plan(parts, input)
    planned.responseStarted()
    const bill = split(planned, parts)
    await cache.drained()
    return bill
  }
  return { cache, clock, warnings, plan, split, call, workspaceId }
}

const marked = { system: [text('s', mark5m)], messages: [user('a')] }

test('rule 1: a breakpoint is written once and then read', async () => {
  const { call } = rig()
  assert.deepEqual(await call(marked), [100, 0, 100, 0])
  assert.deepEqual(await call(marked), [100, 100, 0, 0])
  assert.deepEqual(await call({ ...marked, messages: [user('other')] }), [100, 100, 0, 0])
  assert.deepEqual(await call({ ...marked, system: [text('S', mark5m)] }), [100, 0, 100, 0])
})

test('rule 2: what follows the last breakpoint is plain input', async () => {
  const { call } = rig()
  const request = { system: [text('s', mark5m), text('t')], messages: [user('a', 'b')] }
  assert.deepEqual(await call(request), [300, 0, 100, 0])
})

test('rule 3: a model that bills writes bills one without being asked, and reads later', async () => {
  const { call } = rig()
  const on = { caching: make.billsWrites }
  const first = { messages: [user(long('a'))] }
  assert.deepEqual(await call(first, on), [0, 0, 100, 0])
  const grown = { messages: [...first.messages, assistant('b'), user('c')] }
  assert.deepEqual(await call(grown, on), [0, 100, 200, 0])
})

test('rule 3: both sides of 1,024 tokens', async () => {
  const caching = { ...make.billsWrites, min_tokens: 1024 }
  const { plan, clock } = rig()
  for (const [total, bill] of [
    [1023, [1023, 0, 0, 0]],
    [1024, [0, 0, 1024, 0]],
  ] as const) {
    const planned = await plan(
      { messages: [user('x'.repeat(5000))] },
      { caching, startedAt: clock.now() },
    )
    assert.deepEqual(billOf(planned.split({ ...noUsage, inputTokens: total })), bill)
  }
})

test('rule 3: explicit only bills no write, and one breakpoint bills up to it', async () => {
  const { call } = rig()
  const cache = { ...noCachePreference, explicitOnly: true }
  const on = { caching: make.billsWrites }
  assert.deepEqual(await call({ messages: [user(long('a'))], cache }, on), [100, 0, 0, 0])
  const breakpoint = { messages: [user(text(long('a'), openAiMark), 'b')], cache }
  assert.deepEqual(await call(breakpoint, on), [100, 0, 100, 0])
})

test('rule 3: prompt_cache_* fields do nothing on other models', async () => {
  const { call } = rig()
  const request = { messages: [user(text(long('a'), openAiMark))] }
  for (const caching of [explicit, make.automatic, make.noCaching]) {
    assert.deepEqual(await call(request, { caching }), [100, 0, 0, 0])
  }
})

test('rule 4: managed breakpoints write at the input price and are read as any other', async () => {
  const { call } = rig()
  const system = [text(long('s'))]
  assert.deepEqual(await call({ system, messages: [user('a')] }), [200, 0, 0, 0])
  assert.deepEqual(await call({ system, messages: [user('b')] }), [100, 100, 0, 0])
  const turns = [user('a'), assistant('b'), user('c')]
  assert.deepEqual(await call({ system, messages: turns }), [300, 100, 0, 0])
  const more = [...turns, assistant('d'), user('e')]
  assert.deepEqual(await call({ system, messages: more }), [200, 400, 0, 0])
})

test('rule 4: managed breakpoints live 5 minutes and can be switched off', async () => {
  const { call, clock } = rig()
  const request = { system: [text(long('s'))], messages: [user('a')] }
  await call(request)
  clock.forward(fiveMinutesMs)
  assert.deepEqual(await call(request), [200, 0, 0, 0])
  const cache = { ...noCachePreference, managed: false }
  assert.deepEqual(await call({ ...request, cache }), [200, 0, 0, 0])
})

test('rule 4: a write of the platform’s is no write where the upstream reports it', async () => {
  const { plan } = rig()
  const report: Usage = { ...noUsage, inputTokens: 5, cacheReadTokens: 7, cacheWrite5mTokens: 90 }
  const managed = await plan({ system: [text(long('s'))] })
  assert.deepEqual(
    billOf(managed.split(report, { cacheReport: 'reads-and-writes' })),
    [95, 7, 0, 0],
  )
  const own = await plan({ system: [text(long('s'), mark5m)] })
  assert.deepEqual(billOf(own.split(report, { cacheReport: 'reads-and-writes' })), [5, 7, 90, 0])
})

test('rule 5: the automatic breakpoint moves forward with the conversation', async () => {
  const { call } = rig()
  const cache = { ...noCachePreference, automatic: mark5m }
  const first = [user('a')]
  assert.deepEqual(await call({ messages: first, cache }), [0, 0, 100, 0])
  const second = [...first, assistant('b'), user('c')]
  assert.deepEqual(await call({ messages: second, cache }), [0, 100, 200, 0])
  const third = [...second, assistant('d'), user('e')]
  assert.deepEqual(await call({ messages: third, cache }), [0, 300, 200, 0])
})

test('rules 7 and 10: breakpoints that cannot be are refused on every model', async () => {
  const { plan } = rig()
  const five = { messages: [user(...['a', 'b', 'c', 'd', 'e'].map((name) => text(name, mark5m)))] }
  const order = { messages: [user(text('a', mark5m), text('b', mark1h))] }
  for (const caching of [explicit, make.billsWrites, make.automatic, make.noCaching]) {
    for (const request of [five, order]) {
      await assert.rejects(plan(request, { caching }), Refusal)
    }
  }
})

test('rule 9: thinking passed back is part of what is cached', async () => {
  const { call } = rig()
  const thinking: Block = { type: 'thinking', text: 'hm', signature: 's' }
  const request = { messages: [user('a'), assistant(thinking, text('b', mark5m)), user('c')] }
  assert.deepEqual(await call(request), [100, 0, 300, 0])
  assert.deepEqual(await call(request), [100, 300, 0, 0])
})

test('rule 10: mixed lives are written each at its rate and expire each in its time', async () => {
  const { call, clock } = rig()
  const request = { system: [text('s', mark1h)], messages: [user(text('a', mark5m), 'b')] }
  assert.deepEqual(await call(request), [100, 0, 100, 100])
  clock.forward(fiveMinutesMs)
  assert.deepEqual(await call(request), [100, 100, 100, 0])
  clock.forward(60 * minuteMs)
  assert.deepEqual(await call(request), [100, 0, 100, 100])
})

for (const [ms, what, bill] of [
  [fiveMinutesMs - 1, 'is read', [100, 100, 0, 0]],
  [fiveMinutesMs, 'has expired', [100, 0, 100, 0]],
  [fiveMinutesMs + 1, 'has expired', [100, 0, 100, 0]],
] as const) {
  test(`rule 11: after ${ms} ms an entry ${what}`, async () => {
    const { call, clock } = rig()
    await call(marked)
    clock.forward(ms)
    assert.deepEqual(await call(marked), bill)
  })
}

test('rule 11: each hit refreshes the timer free of charge', async () => {
  const { call, clock } = rig()
  await call(marked)
  for (let hit = 0; hit < 4; hit++) {
    clock.forward(fiveMinutesMs - 1)
    assert.deepEqual(await call(marked), [100, 100, 0, 0])
  }
  clock.forward(fiveMinutesMs)
  assert.deepEqual(await call(marked), [100, 0, 100, 0])
})

test('rule 11: a hit on a long prefix also refreshes the shorter ones of the request', async () => {
  const { call, clock } = rig()
  const both = { system: [text('s', mark5m)], messages: [user(text('a', mark5m))] }
  await call(both)
  clock.forward(fiveMinutesMs - 1)
  assert.deepEqual(await call(both), [0, 200, 0, 0])
  clock.forward(fiveMinutesMs - 1)
  assert.deepEqual(await call(marked), [100, 100, 0, 0])
})

test('rule 11: the lifetime counts from the start of the request, however long the answer takes', async () => {
  const { call, clock, plan, cache, split } = rig()
  const slow = await plan(marked)
  clock.forward(2 * minuteMs)
  slow.responseStarted()
  clock.forward(minuteMs)
  split(slow, marked)
  await cache.drained()
  clock.forward(2 * minuteMs - 1)
  const reader = await plan(marked)
  clock.forward(fiveMinutesMs)
  // The answer begins when the entry has long been deleted; its timer still runs from where the request began.
  assert.ok((await cache.deleteExpired()) > 0)
  reader.responseStarted()
  await cache.drained()
  assert.deepEqual(split(reader, marked), [100, 100, 0, 0])
  assert.deepEqual(await call(marked), [100, 0, 100, 0])
})

test('rule 11: an hour is not had by reading what was written for 5 minutes', async () => {
  const { call, clock } = rig()
  await call({ system: [text('s')], messages: [user(text('a', mark5m))] })
  // One breakpoint where there is an entry, one inside of what is read where there is none yet.
  const hour = {
    system: [text('s', mark1h)],
    messages: [user(text('a', mark1h))],
  }
  assert.deepEqual(await call(hour), [0, 200, 0, 0])
  clock.forward(fiveMinutesMs)
  assert.deepEqual(await call({ ...hour, messages: [user('b')] }), [100, 0, 0, 100])
})

test('rule 11: an hour is had by writing behind what was written for 5 minutes, and inside of what has an hour', async () => {
  const { call, clock } = rig()
  await call(marked)
  const behind = { system: [text('s')], messages: [user(text('a', mark1h), 'b')] }
  assert.deepEqual(await call(behind), [100, 100, 0, 100])
  clock.forward(60 * minuteMs - 1)
  assert.deepEqual(await call(behind), [100, 200, 0, 0])
  const inside = { system: [text('s', mark1h)], messages: [user(text('a', mark1h))] }
  assert.deepEqual(await call(inside), [0, 200, 0, 0])
  clock.forward(60 * minuteMs - 1)
  assert.deepEqual(await call({ ...inside, messages: [user('b')] }), [100, 100, 0, 0])
})

test('how much is read is measured alike, whether a call has an end and whatever its server reports', async () => {
  const { call, plan, split } = rig()
  assert.equal((await plan(marked)).readShare(), 0)
  await call(marked)
  const own = await plan(marked)
  const expected = own.readShare()
  assert.ok(expected > 0.4 && expected < 0.6, String(expected))
  assert.deepEqual(split(own, marked), [100, 100, 0, 0])
  assert.equal(own.readShare(), 0.5)
  for (const cacheReport of ['reads', 'reads-and-writes', 'reads-and-total-writes'] as const) {
    const reported = await plan(marked)
    reported.split({ ...noUsage, inputTokens: 10, cacheReadTokens: 190 }, { cacheReport })
    assert.equal(reported.readShare(), expected, cacheReport)
  }
})

test('rule 12: the marker tells whether the model acts on cache_control', async () => {
  const { plan } = rig()
  const unmarked = { system: [text(long('s'))] }
  for (const [caching, marker] of [
    [explicit, 'honoured'],
    [make.automatic, 'ignored'],
    [make.billsWrites, 'ignored'],
    [make.noCaching, 'ignored'],
  ] as const) {
    assert.equal((await plan(marked, { caching })).marker, marker)
    assert.equal((await plan(unmarked, { caching })).marker, null)
  }
})

for (const [between, bill] of [
  [20, [0, 100, 2000, 0]],
  [21, [0, 0, 2200, 0]],
] as const) {
  test(`rule 13: an entry ${between} blocks back is ${between > 20 ? 'not ' : ''}found`, async () => {
    const { call } = rig()
    await call({ messages: [user(text('first', mark5m))] })
    const rest = Array.from({ length: between - 1 }, (_, index) => `${index}`)
    assert.deepEqual(await call({ messages: [user('first', ...rest, text('last', mark5m))] }), bill)
  })
}

test('rule 13: a breakpoint on the system prompt keeps a long transcript readable', async () => {
  const { call } = rig()
  await call(marked)
  const many = Array.from({ length: 50 }, (_, index) => `${index}`)
  const request = { ...marked, messages: [user(...many, text('last', mark5m))] }
  assert.deepEqual(await call(request), [0, 100, 5100, 0])
})

test('rule 14: an entry exists only once the first response has started', async () => {
  const { plan, split, call, cache } = rig()
  const first = await plan(marked)
  assert.deepEqual(split(await plan(marked), marked), [100, 0, 100, 0])
  first.responseStarted()
  await cache.drained()
  // Its tokens are not known before its end, and it can be read all the same.
  assert.deepEqual(await call(marked), [100, 100, 0, 0])
  assert.deepEqual(split(first, marked), [100, 0, 100, 0])
})

test('rule 14: whoever reads what is not counted yet counts each prefix of it', async () => {
  const { plan, split, call, cache } = rig()
  const both = { system: [text('s', mark5m)], messages: [user(text('a', mark5m))] }
  const first = await plan(both)
  first.responseStarted()
  await cache.drained()
  assert.deepEqual(await call(both), [0, 200, 0, 0])
  first.abandoned()
  const other = { ...both, messages: [user('b')] }
  assert.deepEqual(await call(other), [100, 100, 0, 0])
  assert.deepEqual(split(await plan(both), both), [0, 200, 0, 0])
})

test('rule 14: of two at once both write, and the next one reads', async () => {
  const { plan, split, call, cache } = rig()
  const both = await Promise.all([plan(marked), plan(marked)])
  for (const one of both) one.responseStarted()
  for (const one of both) assert.deepEqual(split(one, marked), [100, 0, 100, 0])
  await cache.drained()
  assert.deepEqual(await call(marked), [100, 100, 0, 0])
})

test('rule 14: a call abandoned before its first part leaves no entry, after it leaves one', async () => {
  const { plan, call, cache } = rig()
  const failed = await plan(marked)
  failed.abandoned()
  failed.responseStarted()
  await cache.drained()
  const cut = await plan(marked)
  assert.deepEqual(
    billOf(cut.split({ ...noUsage, inputTokens: 200 }, { tokensPerBlock: [100, 100] })),
    [100, 0, 100, 0],
  )
  cut.responseStarted()
  cut.abandoned()
  await cache.drained()
  assert.deepEqual(await call(marked), [100, 100, 0, 0])
})

test('rule 15: workspaces, models, thinking settings and images each have their own', async () => {
  const { call } = rig()
  await call(marked)
  const fresh: Bill = [100, 0, 100, 0]
  assert.deepEqual(await call(marked, { workspaceId: newId(new Date()) }), fresh)
  assert.deepEqual(await call(marked, { model: 'other' }), fresh)
  assert.deepEqual(await call(marked, { effort: 'high' }), fresh)
  const budget = { kind: 'effort', effort: 'high', budgetTokens: 2048 } as const
  assert.deepEqual(await call({ ...marked, reasoning: budget }, { effort: 'high' }), fresh)
  const on = { kind: 'on', budgetTokens: 4096 } as const
  assert.deepEqual(await call({ ...marked, reasoning: on }, { effort: 'high' }), fresh)
  const image: Block = { type: 'image', source: { kind: 'url', url: 'https://example.com/a.png' } }
  assert.deepEqual(await call({ ...marked, messages: [user(image)] }), fresh)
  assert.deepEqual(await call(marked), [100, 100, 0, 0])
})

for (const [minimum, first, second] of [
  [101, [100, 0, 0, 0], [100, 0, 0, 0]],
  [100, [0, 0, 100, 0], [0, 100, 0, 0]],
] as const) {
  test(`rule 16: a prefix of 100 tokens where the minimum is ${minimum}`, async () => {
    const { call } = rig()
    const request = { messages: [user(text('short', mark5m))] }
    const caching = { ...explicit, min_tokens: minimum }
    assert.deepEqual(await call(request, { caching }), first)
    assert.deepEqual(await call(request, { caching }), second)
  })
}

test('an engine that counts only the whole: a prefix is read as it was written', async () => {
  const { plan, cache } = rig()
  const serve = async (parts: Partial<CallRequest>, total: number): Promise<Usage> => {
    const planned = await plan(parts)
    planned.responseStarted()
    const usage = planned.split({ ...noUsage, inputTokens: total, outputTokens: 9 })
    await cache.drained()
    return usage
  }
  const system = [text('a long system prompt '.repeat(30), mark5m)]
  const first = await serve({ system, messages: [user('a short question')] }, 307)
  // Another language, another number of tokens a byte.
  const second = await serve({ system, messages: [user('другой вопрос '.repeat(20))] }, 998)
  assert.ok(first.cacheWrite5mTokens > 250)
  assert.equal(second.cacheReadTokens, first.cacheWrite5mTokens)
  assert.deepEqual([promptTokens(first), promptTokens(second)], [307, 998])
})

test('counts that do not fit the blocks are not used', async () => {
  const { plan } = rig()
  const planned = await plan({ messages: [user(text('a', mark5m), text('b', mark5m))] })
  assert.deepEqual(
    billOf(planned.split({ ...noUsage, inputTokens: 300 }, { tokensPerBlock: [300] })),
    [0, 0, 300, 0],
  )
})

test('an upstream’s own report is billed as it is', async () => {
  const { plan } = rig()
  const report: Usage = {
    ...noUsage,
    inputTokens: 3,
    cacheReadTokens: 50,
    cacheWrite1hTokens: 20,
    outputTokens: 4,
  }
  const asked: [request: Partial<CallRequest>, caching: PlanInput['caching']][] = [
    [marked, explicit],
    [{ messages: [user(long('a'))] }, make.billsWrites],
    [marked, make.automatic],
    [marked, make.noCaching],
  ]
  for (const [request, caching] of asked) {
    const planned = await plan(request, { caching })
    assert.deepEqual(planned.split(report, { cacheReport: 'reads-and-writes' }), report)
  }
})

test('an upstream that says only how much it wrote is billed for as long as was asked', async () => {
  const { plan } = rig()
  const report: Usage = {
    inputTokens: 3,
    cacheReadTokens: 50,
    cacheWrite5mTokens: 20,
    cacheWrite1hTokens: 0,
    outputTokens: 4,
    thinkingTokens: 2,
  }
  const hour = { ...report, cacheWrite5mTokens: 0, cacheWrite1hTokens: 20 }
  const system = [text('s', mark1h)]
  for (const [parts, billed] of [
    [{ system }, hour],
    [{ system, messages: [user(text('a', mark1h))] }, hour],
    [{ system, messages: [user(text('a', mark5m))] }, report],
    [marked, report],
  ] as const) {
    const planned = await plan({ ...parts, messages: [...(parts.messages ?? [user('a')])] })
    assert.deepEqual(planned.split(report, { cacheReport: 'reads-and-total-writes' }), billed)
  }
})

test('an upstream that says it read nothing is billed so, though the entry is there', async () => {
  const { call, plan } = rig()
  assert.deepEqual(await call(marked), [100, 0, 100, 0])
  const report: Usage = { ...noUsage, inputTokens: 200 }
  const silent = (await plan(marked)).split(report, { tokensPerBlock: [100, 100] })
  assert.deepEqual(billOf(silent), [100, 100, 0, 0])
  const told = { cacheReport: 'reads', tokensPerBlock: [100, 100] } as const
  assert.deepEqual(billOf((await plan(marked)).split(report, told)), [200, 0, 0, 0])
})

test('an upstream that says only what it read leaves the writes to us', async () => {
  const { call, plan } = rig()
  const on = { caching: make.billsWrites }
  const first = { messages: [user(long('a'))] }
  await call(first, on)
  const grown = { messages: [...first.messages, assistant('b'), user('c')] }
  const told = { cacheReport: 'reads', tokensPerBlock: [100, 100, 100] } as const
  for (const [read, bill] of [
    [0, [100, 0, 200, 0]],
    [40, [60, 40, 200, 0]],
    [100, [0, 100, 200, 0]],
    [180, [0, 180, 120, 0]],
    [300, [0, 300, 0, 0]],
  ] as const) {
    const report: Usage = { ...noUsage, inputTokens: 300 - read, cacheReadTokens: read }
    assert.deepEqual(billOf((await plan(grown, on)).split(report, told)), bill)
  }
})

test('rule 3: calls that share a system prompt read it from each other', async () => {
  const { call } = rig()
  const on = { caching: make.billsWrites }
  const system = [text(long('s'))]
  assert.deepEqual(await call({ system, messages: [user('a')] }, on), [0, 0, 200, 0])
  for (const question of ['b', 'c']) {
    assert.deepEqual(await call({ system, messages: [user(question)] }, on), [0, 100, 100, 0])
  }
  const other = { system: [text(long('S'))], messages: [user('a')] }
  assert.deepEqual(await call(other, on), [0, 0, 200, 0])
})

test('rule 3: calls that share a document, or a conversation up to the last turn, read it', async () => {
  const { call } = rig()
  const on = { caching: make.billsWrites }
  const about = (question: string) => ({ messages: [user(text(long('document')), question)] })
  assert.deepEqual(await call(about('a'), on), [0, 0, 200, 0])
  assert.deepEqual(await call(about('b'), on), [0, 100, 100, 0])
  const turn = (last: string) => ({
    messages: [user(long('talk')), assistant('yes'), user(last, 'please')],
  })
  assert.deepEqual(await call(turn('this'), on), [0, 0, 400, 0])
  assert.deepEqual(await call(turn('that'), on), [0, 200, 200, 0])
})

test('one process reads what another wrote', async () => {
  const { call, workspaceId, clock } = rig()
  await call(marked)
  const other = await openStorage(database.url, systemClock)
  try {
    const elsewhere = new PromptCache(other, clock, { warn() {} })
    const plan = await elsewhere.plan({
      request: asking(marked),
      model: 'test',
      workspaceId,
      caching: explicit,
      effort: null,
      startedAt: clock.now(),
    })
    assert.deepEqual(
      billOf(plan.split({ ...noUsage, inputTokens: 200 }, { tokensPerBlock: [100, 100] })),
      [100, 100, 0, 0],
    )
  } finally {
    await other.close()
  }
})

/** A database that answers as long as it is told to, and counts what it is asked. */
function fragile(): { storage: Storage; trips: () => number; fail: (what: RegExp | null) => void } {
  let trips = 0
  let failing: RegExp | null = null
  const query = (name: string, sql: string, values: unknown[]): Promise<unknown[]> => {
    trips++
    if (failing?.test(name)) return Promise.reject(new StorageUnavailable(new Error('gone')))
    return storage.pool.query(name, sql, values)
  }
  return {
    storage: { ...storage, pool: { query } } as unknown as Storage,
    trips: () => trips,
    fail: (what) => void (failing = what),
  }
}

test('where nothing can be cached the database is not asked', async () => {
  const { storage: counted, trips } = fragile()
  const { call } = rig(counted)
  const off = { ...noCachePreference, managed: false }
  await call({ system: [text(long('s'))] }, { caching: make.noCaching })
  await call({ system: [text(long('s'))] }, { caching: make.automatic })
  await call(marked, { caching: make.automatic })
  await call({ system: [text(long('s'))], cache: off })
  await call({ system: [text('short')], messages: [user('a')] })
  await call({ messages: [user(long('a'))] })
  await call({ messages: [user('a')] }, { caching: make.billsWrites })
  assert.equal(trips(), 0)
})

test('a call with a hit asks once before the answer and writes once behind it', async () => {
  const { storage: counted, trips } = fragile()
  const { call } = rig(counted)
  await call(marked)
  const before = trips()
  await call(marked)
  assert.equal(trips() - before, 2)
})

test('a database that cannot be read costs the saving, not the call, and no premium', async () => {
  const { storage: broken, fail } = fragile()
  const { call, warnings } = rig(broken)
  await call(marked)
  fail(/find/)
  assert.deepEqual(await call(marked), [200, 0, 0, 0])
  assert.deepEqual(warnings, ['the prompt cache could not be read; the call is served without it'])
  fail(null)
  assert.deepEqual(await call(marked), [100, 100, 0, 0])
})

test('a write that is known to have failed is not billed', async () => {
  const { storage: broken, fail } = fragile()
  const { plan, split, cache, warnings } = rig(broken)
  fail(/write/)
  const planned = await plan(marked)
  planned.responseStarted()
  await cache.drained()
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(split(planned, marked), [200, 0, 0, 0])
  assert.deepEqual(warnings, ['the prompt cache could not be written'])
})

test('a response starts once and is counted once, however often it is said', async () => {
  const { storage: counted, trips } = fragile()
  const { plan, split, cache } = rig(counted)
  const planned = await plan(marked)
  planned.responseStarted()
  planned.responseStarted()
  await cache.drained()
  split(planned, marked)
  split(planned, marked)
  planned.responseStarted()
  await cache.drained()
  assert.equal(trips(), 3)
})

test('a total that is corrected at the end is what entries remember', async () => {
  const { plan, cache } = rig()
  const request = { messages: [user(text('a', mark5m))] }
  const planned = await plan(request)
  planned.responseStarted()
  for (const total of [0, 200, 300]) planned.split({ ...noUsage, inputTokens: total })
  await cache.drained()
  const next = await plan(request)
  assert.deepEqual(billOf(next.split({ ...noUsage, inputTokens: 999 })), [699, 300, 0, 0])
})

test('many calls at once from two workspaces never read each other’s entries', async () => {
  const one = rig()
  const other = rig()
  await one.call(marked)
  const bills = await Promise.all(
    Array.from({ length: 40 }, (_, index) => (index % 2 ? one : other).plan(marked)),
  )
  bills.forEach((planned, index) => {
    assert.deepEqual(one.split(planned, marked), index % 2 ? [100, 100, 0, 0] : [100, 0, 100, 0])
  })
})
