// What keeps recorded calls, with its thread, on a real database and a real bucket: whatever breaks, each call is counted
// once, stored at most once, and takes no other along.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { pino } from 'pino'
import type { CaptureOutcome } from '#contract/capture.ts'
import type { Clock } from '#server/lib/clock.ts'
import { newId } from '#server/lib/id.ts'
import { AnswerCollector, type WrittenAnswer } from '#server/samples/capture/answer-collector.ts'
import { CaptureCounter } from '#server/samples/capture/capture-counter.ts'
import type { LinkOptions } from '#server/samples/capture/recording-link.ts'
import {
  type KeeperPorts,
  type KeptCall,
  SampleKeeper,
} from '#server/samples/capture/sample-keeper.ts'
import { type DatabaseProxy, databaseProxy } from '#test/support/database-proxy.ts'
import { eventually, type LoopHone, loopHone } from '#test/support/loop-hone.ts'
import { s3Keys, type S3Server, s3Server } from '#test/support/s3-server.ts'

let hone: LoopHone
let proxy: DatabaseProxy
let s3: S3Server
/** The workspace with a bucket. */
let owner: string

before(async () => {
  s3 = await s3Server()
  hone = await loopHone({ env: { HONE_STORAGE_HOSTS: s3.host } })
  proxy = await databaseProxy(hone.databaseUrl)
  const body = { endpoint: s3.endpoint, region: 'us-east-1', bucket: 'customer-data', ...s3Keys }
  const key = hone.owner.key
  // It is written to first, in a few seconds; a machine that stands still for as long begins anew.
  await eventually(
    () => hone.call('PUT', '/api/integrations/storage', { key, body }),
    (answer) => answer.status === 200,
  )
  const rows = await hone.app.storage.db.selectFrom('own_storage').select('workspace_id').execute()
  owner = rows[0]?.workspace_id ?? ''
})
after(async () => {
  await hone.stop()
  await proxy.close()
  await s3.close()
})

class Tally extends CaptureCounter {
  readonly outcomes = new Map<string, CaptureOutcome[]>()
  /** Under which each was counted. */
  readonly tags = new Map<string, readonly string[]>()
  override count(
    call: { source: string; tags?: readonly string[] },
    outcome: CaptureOutcome,
  ): void {
    this.tags.set(call.source, call.tags ?? [])
    this.outcomes.set(call.source, [...(this.outcomes.get(call.source) ?? []), outcome])
  }
  /** By the names of the calls; each is counted once. */
  get all(): Record<string, CaptureOutcome | undefined> {
    for (const [name, outcomes] of this.outcomes) assert.equal(outcomes.length, 1, name)
    return Object.fromEntries([...this.outcomes].map(([name, [outcome]]) => [name, outcome]))
  }
}

const keepers: SampleKeeper[] = []
afterEach(async () => {
  await proxy.set('pass')
  for (const keeper of keepers.splice(0)) await keeper.close()
})

function open(
  options: Partial<LinkOptions> = {},
  ports: Partial<Pick<KeeperPorts, 'clock' | 'busyShare'>> = {},
): { keeper: SampleKeeper; tally: Tally } {
  const { storage, clock, samples } = hone.app
  const tally = new Tally(storage, clock)
  const ownStorage = { key: samples.ownStorages.key, hosts: s3.host }
  const settings = { databaseUrl: proxy.url, ownStorage }
  const keeper = new SampleKeeper(
    {
      settings,
      counter: tally,
      clock,
      log: pino({ level: 'silent' }),
      busyShare: () => 0,
      ...ports,
    },
    options,
  )
  keepers.push(keeper)
  return { keeper, tally }
}

const troubled = new URL('../../support/troubled-recording-thread.ts', import.meta.url)
const elsewhere = newId(new Date())

/** A call that goes by the name of its source. */
function call(source: string, changed: Partial<KeptCall> = {}): KeptCall {
  return {
    id: newId(new Date()),
    workspaceId: elsewhere,
    source,
    model: 'm',
    versionNo: null,
    tags: ['t'],
    requestId: null,
    request: {
      tools: [],
      system: [],
      messages: [{ role: 'user', blocks: [{ type: 'text', text: `Ask ${source}` }] }],
    },
    answer: said(`Answer ${source}`),
    weight: 100,
    createdAt: new Date(),
    retentionDays: 30,
    ...changed,
  }
}

function said(text: string): WrittenAnswer {
  const answer = new AnswerCollector()
  answer.take({ type: 'text-delta', text })
  return answer.written()
}

async function stored(calls: readonly KeptCall[]): Promise<string[]> {
  const rows = await hone.app.storage.db
    .selectFrom('sample')
    .select('source')
    .where(
      'id',
      'in',
      calls.map(({ id }) => id),
    )
    .orderBy('source')
    .execute()
  return rows.map(({ source }) => source)
}

const withTrouble = (source: string, trouble: string): KeptCall =>
  call(source, { answer: said(`trouble:${trouble}`) })

describe('one call among others', () => {
  for (const [trouble, options] of Object.entries({
    throw: {},
    hang: { deadlineMs: 1000 },
    exit: {},
  })) {
    test(`whose redaction ends in ${trouble} is lost alone`, async () => {
      const { keeper, tally } = open({ thread: troubled, ...options })
      const calls = ['a', 'b', 'bad', 'c', 'd'].map((name) =>
        name === 'bad' ? withTrouble(name, trouble) : call(name),
      )
      for (const one of calls) keeper.keep(one)
      await keeper.drained()
      const [a, b, c, d] = Array.from({ length: 4 }, () => 'recorded')
      assert.deepEqual(tally.all, { a, b, c, d, bad: 'not_redacted' })
      assert.deepEqual(await stored(calls), ['a', 'b', 'c', 'd'])
      keeper.keep(call('later'))
      await keeper.drained()
      assert.equal(tally.all.later, 'recorded')
    })
  }

  test('that the database refuses is lost alone', async () => {
    const { keeper, tally } = open()
    const calls = [call('fine'), call('no\0text'), call('fine too')]
    for (const one of calls) keeper.keep(one)
    await keeper.drained()
    assert.deepEqual(tally.all, {
      fine: 'recorded',
      'no\0text': 'storage_unavailable',
      'fine too': 'recorded',
    })
  })

  test('that is nested too deeply to be handed over is lost alone', async () => {
    const { keeper, tally } = open()
    let parameters: Record<string, unknown> = {}
    for (let depth = 0; depth < 100_000; depth++) parameters = { parameters }
    const tools = [{ name: 't', description: '', parameters, eager: false }]
    keeper.keep(call('deep', { request: { tools, system: [], messages: [] } }))
    keeper.keep(call('flat'))
    await keeper.drained()
    assert.deepEqual(tally.all, { deep: 'not_redacted', flat: 'recorded' })
  })

  test('that is too large once it is written out is counted so', async () => {
    const { keeper, tally } = open()
    keeper.keep(call('large', { answer: said('\x01'.repeat(1024 * 1024)) }))
    keeper.keep(call('small'))
    await keeper.drained()
    assert.deepEqual(tally.all, { large: 'too_large', small: 'recorded' })
    // Tags count what they missed.
    assert.deepEqual([tally.tags.get('large'), tally.tags.get('small')], [['t'], []])
  })
})

test('a thread that dies while it stores leaves each call stored and counted once', async (t) => {
  const file = join(tmpdir(), `hone-exit-${newId(new Date())}`)
  t.after(() => rm(file, { force: true }))
  const { keeper, tally } = open({ thread: troubled })
  const calls = Array.from({ length: 400 }, (_, at) => call(`call ${at}`))
  calls.splice(200, 0, withTrouble('dies', `exit-later ${file}`))
  for (const one of calls) keeper.keep(one)
  await keeper.drained()
  assert.equal(Object.keys(tally.all).length, 401)
  assert.deepEqual(new Set(Object.values(tally.all)), new Set(['recorded']))
  assert.equal((await stored(calls)).length, 401)
  const texts = await hone.app.storage.db
    .selectFrom('sample_text')
    .select('sample_id')
    .where(
      'sample_id',
      'in',
      calls.map(({ id }) => id),
    )
    .execute()
  assert.equal(texts.length, 401)
  assert.ok(existsSync(file), 'it did die')
})

test('a thread that dies takes none along of those that wait for their turn', async () => {
  const { keeper, tally } = open({ thread: troubled })
  // More than are handed over at once.
  const calls = Array.from({ length: 700 }, (_, at) => call(`call ${at}`))
  for (const one of [withTrouble('dies', 'exit'), ...calls]) keeper.keep(one)
  await keeper.drained()
  const { dies, ...others } = tally.all
  assert.equal(dies, 'not_redacted')
  assert.equal(Object.keys(others).length, 700)
  assert.deepEqual(new Set(Object.values(others)), new Set(['recorded']))
  assert.equal((await stored(calls)).length, 700)
})

test('a thread that cannot even start costs the samples, not the stop', async () => {
  const { keeper, tally } = open({
    thread: new URL('../../loop/no-such-thread.ts', import.meta.url),
  })
  keeper.keep(call('lost'))
  await keeper.close()
  assert.deepEqual(tally.all, { lost: 'storage_unavailable' })
})

test('nor do many, which are given up together', async () => {
  const { keeper, tally } = open({
    thread: new URL('../../loop/no-such-thread.ts', import.meta.url),
  })
  for (let at = 0; at < 5000; at++) keeper.keep(call(`call ${at}`))
  await keeper.close()
  assert.equal(Object.keys(tally.all).length, 5000)
  assert.deepEqual(new Set(Object.values(tally.all)), new Set(['storage_unavailable']))
})

test('closing stores everything that waits, and keeps nothing twice', async () => {
  const { keeper, tally } = open()
  const calls = Array.from({ length: 700 }, (_, at) => call(`call ${at}`))
  for (const one of calls) keeper.keep(one)
  await keeper.close()
  assert.equal((await stored(calls)).length, 700)
  assert.deepEqual(new Set(Object.values(tally.all)), new Set(['recorded']))
})

test('more than fits into memory is counted at once, and there is room again later', async () => {
  const { keeper, tally } = open()
  keeper.keep(call('large', { weight: 120 * 1024 * 1024 }))
  keeper.keep(call('too much', { weight: 10 * 1024 * 1024 }))
  assert.deepEqual(tally.all, { 'too much': 'overloaded' })
  await keeper.drained()
  keeper.keep(call('again', { weight: 120 * 1024 * 1024 }))
  await keeper.drained()
  const recorded = 'recorded'
  assert.deepEqual(tally.all, { 'too much': 'overloaded', large: recorded, again: recorded })
})

test('a text that waits in the heap counts for the two bytes that its characters may take', async () => {
  const { keeper, tally } = open()
  const large = 600_000
  keeper.keep(call('most of the room', { weight: 128 * 1024 * 1024 - 1_000_000 }))
  keeper.keep(call('large', { weight: large, answer: said('あ'.repeat(large)) }))
  keeper.keep(call('small'))
  assert.deepEqual(tally.all, { small: 'overloaded' })
  await keeper.drained()
  const recorded = 'recorded'
  assert.deepEqual(tally.all, {
    small: 'overloaded',
    large: recorded,
    'most of the room': recorded,
  })
})

test('no more calls wait than were promised', async () => {
  const { keeper, tally } = open()
  await proxy.set('refuse')
  for (let at = 0; at <= 80_000; at++) keeper.keep(call(`call ${at}`, { weight: 1 }))
  assert.deepEqual(tally.all, { 'call 80000': 'overloaded' })
  await keeper.close()
  assert.equal(Object.keys(tally.all).length, 80_001)
})

describe('while calls keep the process busy', () => {
  let busyShare: number
  let nowMs: number
  const clock: Clock = { now: () => new Date(), monotonicMs: () => nowMs }
  beforeEach(() => {
    busyShare = 1
    nowMs = 0
  })
  const openBusy = () => open({}, { clock, busyShare: () => busyShare })

  /** Some more than go to the thread together, after longer than calls are waited for that go with them. */
  async function keepMany(keeper: SampleKeeper): Promise<string[]> {
    const names = Array.from({ length: 300 }, (_, at) => `call ${at}`)
    for (const name of names) keeper.keep(call(name))
    await new Promise((resolve) => setTimeout(resolve, 500))
    return names
  }
  const recorded = (names: string[]) => Object.fromEntries(names.map((name) => [name, 'recorded']))

  test('none is recorded, and all are when it has time again', async () => {
    const { keeper, tally } = openBusy()
    const names = await keepMany(keeper)
    assert.deepEqual(tally.all, {})
    busyShare = 0.1
    await keeper.drained()
    assert.deepEqual(tally.all, recorded(names))
  })

  test('it is looked at ten times a second, however many wait', async () => {
    let looks = 0
    const { keeper } = open({}, { clock, busyShare: () => ((looks += 1), busyShare) })
    await keepMany(keeper)
    assert.ok(looks > 1 && looks < 20, `${looks} looks in half a second`)
  })

  test('full groups follow each other at once when it has time again', async (t) => {
    const thread = new URL('../../support/storing-recording-thread.ts', import.meta.url)
    const { keeper, tally } = open({ thread }, { clock, busyShare: () => busyShare })
    await keepMany(keeper)
    busyShare = 0
    await keeper.drained()
    t.mock.timers.enable({ apis: ['setTimeout'] })
    for (let at = 0; at < 40 * 256; at++) keeper.keep(call(`later ${at}`))
    const end = performance.now() + 60_000
    while (tally.outcomes.size < 300 + 40 * 256 && performance.now() < end) {
      // Only what is to happen at once.
      t.mock.timers.tick(0)
      await nextTurn()
    }
    t.mock.timers.reset()
    assert.equal(tally.outcomes.size, 300 + 40 * 256)
  })

  test('they are recorded when they waited for a second and a half', async () => {
    const { keeper, tally } = openBusy()
    const names = await keepMany(keeper)
    nowMs += 1499
    keeper.keep(call('last'))
    await new Promise((resolve) => setTimeout(resolve, 500))
    assert.deepEqual(tally.all, {})
    nowMs += 1
    await eventually(
      () => Promise.resolve(tally.outcomes.size),
      (size) => size >= 256,
    )
    nowMs += 1499
    await keeper.drained()
    assert.deepEqual(tally.all, recorded([...names, 'last']))
  })

  test('they are recorded when a quarter of the room is taken', async () => {
    const { keeper, tally } = openBusy()
    const large = 16 * 1024 * 1024
    keeper.keep(call('first', { weight: large - 1 }))
    keeper.keep(call('second', { weight: large }))
    await new Promise((resolve) => setTimeout(resolve, 500))
    assert.deepEqual(tally.all, {})
    keeper.keep(call('third', { weight: 1 }))
    await eventually(
      () => Promise.resolve(tally.outcomes.size),
      (size) => size > 0,
    )
    assert.equal(tally.all.first, 'recorded')
  })

  test('they are recorded when a quarter of the calls wait that may', async () => {
    const thread = new URL('../../support/storing-recording-thread.ts', import.meta.url)
    const { keeper, tally } = open({ thread }, { clock, busyShare: () => busyShare })
    for (let at = 1; at < 20_000; at++) keeper.keep(call(`call ${at}`))
    await new Promise((resolve) => setTimeout(resolve, 500))
    assert.deepEqual(tally.all, {})
    keeper.keep(call('last'))
    await eventually(
      () => Promise.resolve(tally.outcomes.size),
      (size) => size > 0,
    )
    assert.equal(tally.all['call 1'], 'recorded')
  })

  test('they are recorded when Hone stops', async () => {
    const { keeper, tally } = openBusy()
    const names = await keepMany(keeper)
    await keeper.close()
    assert.deepEqual(tally.all, recorded(names))
  })
})

test('calls of several workspaces that go together end up where each of them belongs', async () => {
  const { keeper, tally } = open()
  const calls = [owner, elsewhere, owner, newId(new Date())].map((workspaceId, at) =>
    call(`call ${at}`, { workspaceId }),
  )
  for (const one of calls) keeper.keep(one)
  await keeper.drained()
  assert.deepEqual(new Set(Object.values(tally.all)), new Set(['recorded']))
  const keys = await s3.keys()
  for (const { id, workspaceId } of calls) {
    const row = await hone.app.storage.db
      .selectFrom('sample')
      .leftJoin('sample_text', 'sample_text.sample_id', 'sample.id')
      .select(['sample.workspace_id', 'object_key', 'sample_text.conversation'])
      .where('sample.id', '=', id)
      .executeTakeFirst()
    const inBucket = workspaceId === owner
    assert.equal(row?.workspace_id, workspaceId)
    assert.equal(row.conversation === null, inBucket)
    assert.equal(row.object_key !== null, inBucket)
    assert.equal(
      keys.some((key) => key.includes(id)),
      inBucket,
    )
  }
})

test('a bucket that is away costs its own workspace samples, and nobody else', async (t) => {
  const { keeper, tally } = open()
  await s3.pause()
  t.after(() => s3.resume())
  for (const one of [call('theirs', { workspaceId: owner }), call('mine')]) keeper.keep(one)
  await keeper.drained()
  assert.deepEqual(tally.all, { mine: 'recorded', theirs: 'own_storage_unavailable' })
})

test('a bucket that was put right is written to at once, and not only when it has rested', async () => {
  const { keeper, tally } = open()
  await s3.pause()
  keeper.keep(call('too early', { workspaceId: owner }))
  await keeper.drained().finally(() => s3.resume())
  keeper.ownStorageChanged(owner)
  keeper.keep(call('in time', { workspaceId: owner }))
  await keeper.drained()
  assert.deepEqual(tally.all, { 'too early': 'own_storage_unavailable', 'in time': 'recorded' })
})

test('a database that comes back is given what waited for it', async () => {
  const { keeper, tally } = open()
  await proxy.set('refuse')
  const calls = [call('before'), call('meanwhile')]
  for (const one of calls) keeper.keep(one)
  await new Promise((resolve) => setTimeout(resolve, 300))
  assert.deepEqual(tally.all, {})
  await proxy.set('pass')
  await keeper.drained()
  assert.deepEqual(tally.all, { before: 'recorded', meanwhile: 'recorded' })
})

test('a database that stays away costs the samples when Hone is stopped, not the stop', async () => {
  const { keeper, tally } = open()
  await proxy.set('refuse')
  keeper.keep(call('lost'))
  await keeper.close()
  assert.deepEqual(tally.all, { lost: 'storage_unavailable' })
})
