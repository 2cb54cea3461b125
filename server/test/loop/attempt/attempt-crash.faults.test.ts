// Kills the real server before and after every effect of an attempt. The next one on the same folder goes on where it stood: one
// attempt, trained once, charged once, and nothing left reserved.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { AttemptPhase } from '#contract/attempt.ts'
import { systemClock } from '#server/lib/clock.ts'
import { attemptEffects } from '#server/loop/run/effects.ts'
import { openStorage } from '#server/storage/open-storage.ts'
import { auditLedger } from '#server/wallet/audit-ledger.ts'
import {
  chosenOwner,
  databaseUrlIn,
  type Env,
  honeProcess,
  type HoneProcess,
  preparedFolder,
} from '#test/support/hone-process.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { type Answer, callHttp } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'

const key = chosenOwner.key
const route = { engine: 'embedded', pricing: { input: 0.1, output: 0.4 } }
const model = { context_window: 2048, max_output_tokens: 1024, routes: [route] }
const models = [
  { ...model, id: 'hone/hone-mini' },
  { ...model, id: 'other/judge', judge: true },
]

/** How an attempt comes to an effect, and how it ends. */
type Way = {
  epochs: number
  usdPerHour: number
  /** Where a member stops it; null lets it train to its end. */
  stoppedIn: AttemptPhase | null
  result: string
  entries: number
}
const trains: Way = {
  epochs: 1,
  usdPerHour: 0.6,
  stoppedIn: null,
  result: 'not_tested',
  entries: 1,
}
/** Of the effects that one that trains to its end does not pass by. */
const otherWays: { [effect: string]: Way } = {
  'stop-training': { ...trains, epochs: 15, stoppedIn: 'training', result: 'stopped' },
  'remove-rows': {
    ...trains,
    usdPerHour: 1000,
    stoppedIn: 'waiting_for_funds',
    result: 'stopped',
    entries: 0,
  },
}

async function ask(url: string, method: string, path: string, body?: object): Promise<Answer> {
  const answer = await callHttp(url, method, path, { key, ...(body && { body }) })
  assert.ok(answer.status < 300, `${path}: ${answer.text}`)
  return answer
}

/** It trains in seconds. Its schedule keeps it from starting by itself. */
async function readyToTrain(url: string, { epochs }: Way): Promise<string> {
  const { json } = await ask(url, 'POST', '/api/loop/pipelines', {
    name: 'Desk',
    model: { id: 'hone/hone-mini' },
    training: { epochs, learning_rate: 0.01, lora_rank: 4 },
    schedule: { every: 'month', at: '03:00', day: 1 },
  })
  const { rule_id: id } = (json as never as { pipeline: { rule_id: string } }).pipeline
  const rows = Array.from({ length: 1110 }, (_, number) => ({
    prompt: `order ${number}`,
    completion: 'yes',
  }))
  const path = `/api/loop/pipelines/${id}/import`
  await ask(url, 'POST', path, { rows, default_feedback: 'good' })
  return id
}

/** The server may die of any of these calls. */
async function runAndStop(url: string, id: string, { stoppedIn }: Way): Promise<void> {
  const { json } = await ask(url, 'POST', `/api/loop/pipelines/${id}/run`, {})
  if (stoppedIn === null) return
  const path = `/api/loop/training-runs/${attemptIn(json).id}`
  await until(async () => attemptIn((await ask(url, 'GET', path)).json).phase === stoppedIn)
  await ask(url, 'POST', `${path}/cancel`)
}

function attemptIn(json: Answer['json']): { id: string; phase: string } {
  return (json as never as { attempt: { id: string; phase: string } }).attempt
}

type Books = { attempts: number; results: string[]; entries: number; reserved: string }

async function booksIn({ dataDir }: HoneProcess): Promise<Books> {
  const [row] = await inDatabase<{ books: Books }>(
    databaseUrlIn(dataDir),
    `select json_build_object(
      'attempts', (select count(*) from attempt),
      'results', (select json_agg(result) from attempt),
      'entries', (select count(*) from ledger_entry where kind = 'training'),
      'reserved', (select sum(reserved)::text from wallet)
    ) as books`,
  )
  return row!.books
}

async function ledgerProblems({ dataDir }: HoneProcess): Promise<string[]> {
  const storage = await openStorage(databaseUrlIn(dataDir), systemClock)
  return (await auditLedger(storage.db).finally(() => storage.close())).problems
}

const points = attemptEffects.flatMap((name) =>
  ['before', 'after'].map((when) => ({ point: `${when}:${name}`, way: otherWays[name] ?? trains })),
)

describe('an attempt whose server is killed', { concurrency: 2 }, () => {
  for (const { point, way } of points) {
    test(`${point}, goes on in the next one`, async () => {
      const dataDir = await preparedFolder()
      const price = { training_usd_per_hour: way.usdPerHour, serving_usd_per_hour: 0 }
      const machines = [{ name: 'embedded', engine: 'embedded', ...price }]
      writeFileSync(join(dataDir, 'catalog.json'), JSON.stringify({ models, machines }))
      const env: Env = { HONE_CRASH_AT: point }
      const first = honeProcess({ dataDir, env })
      const url = await first.listening()
      const id = await readyToTrain(url, way)
      await runAndStop(url, id, way).catch(() => {})
      assert.deepEqual(await first.ended, { code: null, signal: 'SIGKILL' })

      const second = await first.restart({})
      await second.listening()
      await until(async () => !(await booksIn(second)).results.includes('running'))
      assert.deepEqual(await booksIn(second), {
        attempts: 1,
        results: [way.result],
        entries: way.entries,
        reserved: '0',
      })
      assert.deepEqual(await ledgerProblems(second), [])
      second.kill('SIGTERM')
      await second.ended
    })
  }
})
