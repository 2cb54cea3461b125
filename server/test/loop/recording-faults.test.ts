// Recording when something breaks: the call is answered, nothing is stored twice, and what is lost is counted.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { pino } from 'pino'
import type { CaptureOutcome } from '#contract/capture.ts'
import { noCachePreference } from '#server/core/request.ts'
import { newId } from '#server/lib/id.ts'
import { CaptureCounter } from '#server/loop/capture/capture-counter.ts'
import {
  type KeeperPorts,
  type KeptCall,
  SampleKeeper,
} from '#server/loop/capture/sample-keeper.ts'
import { type DatabaseProxy, databaseProxy } from '#test/support/database-proxy.ts'
import { eventually, type LoopHone, loopHone } from '#test/support/loop-hone.ts'
import { type TestDatabase, testDatabase } from '#test/support/test-database.ts'

let database: TestDatabase
let proxy: DatabaseProxy
let hone: LoopHone

before(async () => {
  database = await testDatabase()
  proxy = await databaseProxy(database.url)
  hone = await loopHone({ databaseUrl: proxy.url })
  await hone.pipeline('Support')
})
after(async () => {
  await hone.stop()
  await proxy.close()
  await database.drop()
})

const headers = { 'x-loop-pipeline': 'support' }

test('a reply that is lost after the sample was stored stores it once and counts it once', async () => {
  await hone.sampleOf(await hone.ask({ headers }))
  const before = await eventually(
    () => hone.stats(),
    ({ capture, samples }) => capture.recorded === samples.total,
  )
  proxy.loseReplyTo('insert-samples')
  const answer = await hone.ask({ headers, text: 'Once only' })
  assert.equal(answer.status, 200)
  const trace = await hone.sampleOf(answer)
  assert.deepEqual(trace.messages, [{ role: 'user', content: 'Once only' }])
  const stats = await eventually(
    () => hone.stats(),
    ({ capture }) => capture.recorded === before.capture.recorded + 1,
  )
  assert.equal(proxy.repliesLost, 1)
  assert.equal(stats.samples.total, (before.samples.total ?? 0) + 1)
  assert.equal(stats.capture.not_recorded, before.capture.not_recorded)
})

describe('the keeper', () => {
  const workspaceId = newId(new Date())
  const request: KeptCall['request'] = {
    model: 'm',
    tools: [],
    system: [],
    messages: [{ role: 'user', blocks: [{ type: 'text', text: 'Hi' }] }],
    toolChoice: { kind: 'auto' },
    parallelToolCalls: true,
    stop: [],
    sampling: {},
    reasoning: { kind: 'default' },
    output: { kind: 'text' },
    cache: noCachePreference,
    conversation: null,
  }

  function call(text: string, weight = 10): KeptCall {
    return {
      id: newId(new Date()),
      workspaceId,
      source: 'm',
      model: 'm',
      tags: ['t'],
      requestId: null,
      request,
      answer: [{ type: 'text', text }],
      weight,
      createdAt: new Date(),
      retentionDays: 30,
    }
  }

  class Tally extends CaptureCounter {
    readonly outcomes: CaptureOutcome[] = []
    override count(_: unknown, outcome: CaptureOutcome): void {
      this.outcomes.push(outcome)
    }
  }

  function keeper(changed: Partial<KeeperPorts>): { keeper: SampleKeeper; tally: Tally } {
    const { storage, clock, redaction } = hone.app
    const tally = new Tally(storage, clock)
    const ports: KeeperPorts = {
      storage,
      counter: tally,
      redaction,
      placeTexts: async (_, samples) => ({ placed: samples, failed: [] }),
      log: pino({ level: 'silent' }),
      ...changed,
    }
    return { keeper: new SampleKeeper(ports), tally }
  }

  test('one conversation that cannot be redacted takes no other along, and is not stored', async () => {
    const { keeper: kept, tally } = keeper({
      redaction: {
        async redact(value) {
          if (JSON.stringify(value).includes('poison')) throw new Error('too slow')
          return value
        },
      },
    })
    for (const text of ['fine', 'poison', 'fine too']) kept.keep(call(text))
    await kept.drained()
    assert.deepEqual(tally.outcomes.sort(), ['not_redacted', 'recorded', 'recorded'])
    const { rows } = await hone.app.storage.pool
      .query<{ found: string }>(
        'poison',
        `select count(*) as found from sample_text where conversation like '%poison%'`,
        [],
      )
      .then((found) => ({ rows: found }))
    assert.equal(rows[0]?.found, '0')
  })

  test('what is lost may be recorded when the same request comes again', async () => {
    const lost: string[] = []
    const keepAll = async (placed: boolean): Promise<void> => {
      const { keeper: kept } = keeper({
        placeTexts: async (_, samples) =>
          placed ? { placed: samples, failed: [] } : { placed: [], failed: samples },
      })
      const name = placed ? 'stored' : 'lost'
      kept.keep({ ...call(name), lost: () => lost.push(name) })
      await kept.drained()
    }
    await keepAll(true)
    await keepAll(false)
    assert.deepEqual(lost, ['lost'])
  })

  test('what the own bucket does not take is counted', async () => {
    const { keeper: kept, tally } = keeper({
      placeTexts: async (_, samples) => ({ placed: samples.slice(1), failed: samples.slice(0, 1) }),
    })
    kept.keep(call('a'))
    kept.keep(call('b'))
    await kept.drained()
    assert.deepEqual(tally.outcomes.sort(), ['own_storage_unavailable', 'recorded'])
  })

  test('more than fits into memory is counted at once, and there is room again later', async () => {
    const { keeper: kept, tally } = keeper({})
    kept.keep(call('large', 60 * 1024 * 1024))
    kept.keep(call('too much', 10 * 1024 * 1024))
    assert.deepEqual(tally.outcomes, ['overloaded'])
    await kept.drained()
    kept.keep(call('again', 60 * 1024 * 1024))
    await kept.drained()
    assert.deepEqual(tally.outcomes, ['overloaded', 'recorded', 'recorded'])
  })

  test('a database that stays away costs the samples when Hone is stopped, not the stop', async () => {
    const { keeper: kept, tally } = keeper({
      storage: {
        pool: {
          query: () => Promise.reject(new Error('away')),
        } as unknown as KeeperPorts['storage']['pool'],
      },
    })
    kept.keep(call('lost'))
    await kept.close()
    assert.deepEqual(tally.outcomes, ['storage_unavailable'])
  })
})
