// A pipeline's name in two processes on one database and one data folder, while one of them puts the next version live: both answer
// with the old version until then and with the new one from then on, and no call in between is refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Attempt } from '#contract/attempt.ts'
import { honeFolder, honeProcess, ownerEnv } from '#test/support/hone-process.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { judgeServers } from '#test/support/judge-servers.ts'
import {
  ask,
  callDesk,
  importGood,
  makeDesk,
  putLive,
  textIn,
  writeCatalog,
} from '#test/support/loop-process.ts'
import { testDatabase } from '#test/support/test-database.ts'
import { until } from '#test/support/until.ts'

const samples = 1110
/** Between calls, so that training gets its share of the processors. */
const pauseMs = 100
/** A training and a test beside whatever else the processors do. */
const patienceMs = 300_000

async function newestAttempt(url: string, id: string): Promise<Attempt> {
  const { json } = await ask(url, 'GET', `/api/loop/pipelines/${id}/attempts?limit=1`)
  return (json as never as { attempts: Attempt[] }).attempts[0]!
}

/** What the name says in one process, call after call, until it has said this. */
async function saidUntil(url: string, last: string): Promise<string[]> {
  const said: string[] = []
  await until(async () => {
    said.push(textIn(await callDesk(url)))
    await delay(pauseMs)
    return said.at(-1) === last
  }, patienceMs)
  return said
}

test('two processes answer with a new version once one of them has put it live, and refuse no call', async (t) => {
  const judges = await judgeServers()
  t.after(() => judges.close())
  const database = await testDatabase()
  const dataDir = honeFolder()
  writeCatalog(dataDir, judges)
  const env = { ...ownerEnv, DATABASE_URL: database.url }
  const one = honeProcess({ dataDir, env })
  const url = await one.listening()
  const other = honeProcess({ dataDir, env })
  const otherUrl = await other.listening()
  const id = await makeDesk(url)
  await importGood(url, id, samples)
  await putLive(url, dataDir, id, database.url)
  await until(async () => (await callDesk(otherUrl)).status === 200)
  const old = textIn(await callDesk(url))
  assert.notEqual(old, 'yes')

  await ask(url, 'POST', `/api/loop/pipelines/${id}/run`, {})
  for (const said of await Promise.all([saidUntil(url, 'yes'), saidUntil(otherUrl, 'yes')])) {
    assert.ok(said.length > 1)
    assert.deepEqual(new Set(said), new Set([old, 'yes']))
  }
  for (const address of [url, otherUrl]) assert.equal(textIn(await callDesk(address)), 'yes')
  const ended = await newestAttempt(otherUrl, id)
  assert.deepEqual([ended.result, ended.version_no], ['became_version', 2])
  const names = `select version_no from deployment where name = 'loop-desk' and status <> 'deleted'`
  assert.deepEqual(await inDatabase(database.url, names), [{ version_no: 2 }])
  for (const hone of [one, other]) hone.kill('SIGTERM')
  for (const { ended } of [one, other]) assert.deepEqual(await ended, { code: 0, signal: null })
})
