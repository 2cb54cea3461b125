// Stops the real server while one attempt trains and three wait for the machine, and starts it with the loop off: what had begun goes on
// to its end, and nothing else begins.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Attempt } from '#contract/attempt.ts'
import type { Pipeline } from '#contract/pipeline.ts'
import { databaseUrlIn, honeProcess } from '#test/support/hone-process.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { judgeServers } from '#test/support/judge-servers.ts'
import {
  ask,
  callDesk,
  importGood,
  ledgerProblems,
  loopFolder,
  makeDesk,
  textIn,
} from '#test/support/loop-process.ts'
import { until } from '#test/support/until.ts'

type Shown = Pick<Pipeline, 'live_version'> & { attempts: Attempt[] }

test('after a restart with the loop off the training goes on, and the attempts behind it end', async (t) => {
  const judges = await judgeServers()
  t.after(() => judges.close())
  const dataDir = await loopFolder(judges)
  let hone = honeProcess({ dataDir })
  let url = await hone.listening()
  // Long enough to be stopped in the middle, and slow enough to be sure to learn.
  const training = { epochs: 2, learning_rate: 0.003, lora_rank: 4 }
  const ids = [await makeDesk(url, { training })]
  await importGood(url, ids[0]!, 1110)
  for (const name of ['Second', 'Third', 'Fourth']) {
    ids.push(await makeDesk(url, { name, tags: ['desk'] }))
  }
  const read = (): Promise<Shown[]> =>
    Promise.all(
      ids.map(async (id) => {
        const { json } = await ask(url, 'GET', `/api/loop/pipelines/${id}`)
        return (json as never as { pipeline: Shown }).pipeline
      }),
    )
  const each = async <T>(of: (attempt: Attempt) => T): Promise<T[]> =>
    (await read()).map(({ attempts }) => of(attempts[0]!))

  const run = (id: string) => ask(url, 'POST', `/api/loop/pipelines/${id}/run`, {})
  await run(ids[0]!)
  await until(async () => (await read())[0]!.attempts[0]!.phase === 'training')
  await Promise.all(ids.slice(1).map(run))
  await until(async () => {
    const [first, ...others] = await each(({ phase, progress }) => ({ phase, progress }))
    const begun = (first!.progress?.step ?? 0) > 0
    return begun && others.every(({ phase }) => phase === 'waiting_for_gpu')
  })
  hone.kill('SIGTERM')
  assert.deepEqual(await hone.ended, { code: 0, signal: null }, hone.stderr)

  hone = await hone.restart({ HONE_LOOP: 'off' })
  url = await hone.listening()
  const results = () => each(({ result }) => result)
  await until(async () => (await results()).filter((is) => is === 'running').length === 1)
  await until(async () => (await read())[0]!.attempts[0]!.phase !== 'training')
  await until(async () => !(await results()).includes('running'))
  assert.deepEqual(await each(({ result, error_code }) => [result, error_code]), [
    ['became_version', null],
    ...Array.from({ length: 3 }, () => ['not_tested', 'ENV_GATED:SWITCHED_OFF']),
  ])
  const [first, ...others] = await each(({ id, costs }) => ({ id, ...costs }))
  assert.deepEqual(
    others.map(({ total_usd }) => total_usd),
    ['0', '0', '0'],
  )
  assert.deepEqual(
    await inDatabase(
      databaseUrlIn(dataDir),
      `select kind, detail->>'attempt_id' as id from ledger_entry
        where detail ? 'attempt_id' order by seq`,
    ),
    [
      { kind: 'training', id: first!.id },
      { kind: 'scoring', id: first!.id },
    ],
  )
  assert.deepEqual(await ledgerProblems(dataDir), [])
  assert.deepEqual(
    (await read()).map(({ live_version }) => live_version),
    [1, null, null, null],
  )
  assert.equal(textIn(await callDesk(url)), 'yes')
  hone.kill('SIGTERM')
  await hone.ended
})
