// Kills the real server before and after every effect of an attempt. The next one on the same folder goes on where it stood: one
// attempt, trained once, charged once, and nothing left reserved.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { attemptEffects } from '#server/loop/run/effects.ts'
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
const catalog = {
  models: [
    { ...model, id: 'hone/hone-mini' },
    { ...model, id: 'other/judge', judge: true },
  ],
}

async function ask(url: string, method: string, path: string, body?: object): Promise<Answer> {
  const answer = await callHttp(url, method, path, { key, ...(body && { body }) })
  assert.ok(answer.status < 300, `${path}: ${answer.text}`)
  return answer
}

/** It trains in seconds. Its schedule keeps it from starting by itself. */
async function readyToTrain(url: string): Promise<string> {
  const { json } = await ask(url, 'POST', '/api/loop/pipelines', {
    name: 'Desk',
    model: { id: 'hone/hone-mini' },
    training: { epochs: 1, learning_rate: 0.01, lora_rank: 4 },
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

/** An attempt that trains does not pass by the effects of one that is stopped. */
const stopped = ['stop-training', 'remove-rows']
const points = attemptEffects
  .filter((name) => !stopped.includes(name))
  .flatMap((name) => [`before:${name}`, `after:${name}`])

describe('an attempt whose server is killed', { concurrency: 2 }, () => {
  for (const point of points) {
    test(`${point}, goes on in the next one`, async () => {
      const dataDir = await preparedFolder()
      writeFileSync(join(dataDir, 'catalog.json'), JSON.stringify(catalog))
      const env: Env = { HONE_CRASH_AT: point }
      const first = honeProcess({ dataDir, env })
      const url = await first.listening()
      const id = await readyToTrain(url)
      await ask(url, 'POST', `/api/loop/pipelines/${id}/run`, {}).catch(() => {})
      assert.deepEqual(await first.ended, { code: null, signal: 'SIGKILL' })

      const second = await first.restart({})
      await second.listening()
      await until(async () => !(await booksIn(second)).results.includes('running'))
      assert.deepEqual(await booksIn(second), {
        attempts: 1,
        results: ['not_tested'],
        entries: 1,
        reserved: '0',
      })
      second.kill('SIGTERM')
      await second.ended
    })
  }
})
