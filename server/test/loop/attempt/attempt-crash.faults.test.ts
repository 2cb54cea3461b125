// Kills the real server before and after every effect of an attempt, and between statements of the longer ones, one start after the
// other on the same folder. Each start goes on where the one before it stood: one attempt, trained once, tested once, charged once, and
// a name that answers with one version. What a transaction writes is there as a whole or not at all.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { Client } from 'pg'
import type { Attempt } from '#contract/attempt.ts'
import { crashNames } from '#server/loop/attempt/effects.ts'
import {
  databaseUrlIn,
  type Exit,
  honeProcess,
  type HoneProcess,
} from '#test/support/hone-process.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { type JudgeServers, judgeServers } from '#test/support/judge-servers.ts'
import {
  ask,
  callDesk,
  importGood,
  ledgerProblems,
  loopFolder,
  makeDesk,
  textIn,
  putLive,
  writeCatalog,
} from '#test/support/loop-process.ts'
import type { Answer } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'

type EffectName = (typeof crashNames)[number]

/** In the order in which an attempt comes to them. */
const trained: EffectName[] = [
  'write-rows',
  'reserve-training',
  'start-training',
  'keep-adapter',
  'keep-curve',
  'charge-training',
  'forget-training',
  'plan-test',
  'reserve-test',
  'serve-test',
]
const tested: EffectName[] = [
  'answer',
  'read',
  'decide',
  'make-ready',
  'charge-test',
  'mark-learned',
  'end-serving',
  // All that is left by then is to put it live.
  'write-attempt',
]
const stopped: EffectName[] = ['remove-rows', 'take-marks-back', 'stop-training']

/** After the first of several statements. */
const inside = {
  marksUsed: 'in:write-attempt:insert into pipeline_sample',
  servesTest: 'in:serve-test:insert into "deployment"',
  marksLearned: 'in:mark-learned:update "pipeline_sample"',
  takesBack: 'in:take-marks-back:update "pipeline_sample"',
  goesLive: 'in:write-attempt:insert into "version"',
}

const calledAtOnce = 8
const samples = 1110
const heldBack = 100

function pointsAround(names: readonly EffectName[]): string[] {
  return names.flatMap((name) => [`before:${name}`, `after:${name}`])
}

function withPoint(points: readonly string[], point: string, next: string): string[] {
  return points.toSpliced(points.indexOf(next), 0, point)
}

/** What was written in part: one of two test deployments, a version of an attempt that goes on, marks of rows that it does not count. */
async function partsIn(client: Client): Promise<unknown> {
  const { rows } = await client.query(`select
    (select count(*)::int from deployment where attempt_id is not null and status <> 'deleted') % 2 as deployments,
    (select count(*)::int from version v join attempt a on a.id = v.attempt_id
      where a.result = 'running') as versions,
    (select count(*)::int from pipeline_sample m join attempt a on a.attempt_no = m.used_by
      where a.train_rows is null) as marks`)
  return rows[0]
}
const noParts = { deployments: 0, versions: 0, marks: 0 }

async function killedAt(hone: HoneProcess, point: string): Promise<void> {
  let exit: Exit | null = null
  void hone.ended.then((how) => (exit = how))
  await until(() => exit !== null).catch((cause: unknown) => {
    throw new Error(`it does not come to ${point}`, { cause })
  })
  assert.deepEqual(exit, { code: null, signal: 'SIGKILL' }, `${point}: ${hone.stderr}`)
}

async function connected({ dataDir }: HoneProcess): Promise<Client> {
  const client = new Client({ connectionString: databaseUrlIn(dataDir) })
  // The database ends with the server.
  client.on('error', () => {})
  await client.connect()
  return client
}

/** What is there and what the name says while no process takes a step of the attempt; then one does so at once. */
async function askedBeforeAStep(
  hone: HoneProcess,
  url: string,
): Promise<{ answer: Answer; parts: unknown }> {
  const client = await connected(hone)
  try {
    await client.query('begin; select from attempt for update')
    return { parts: await partsIn(client), answer: await callDesk(url) }
  } finally {
    await client.query('commit; notify attempt_due')
    await client.end()
  }
}

/** The next server on the folder, which dies at the point, if there is one. */
async function next(
  hone: HoneProcess,
  { point, says }: { point: string | null; says: (text: string) => void },
): Promise<HoneProcess> {
  const following = await hone.restart(point === null ? {} : { HONE_CRASH_AT: point })
  const url = await following.listening()
  const asked = await askedBeforeAStep(following, url).catch((error: unknown) => {
    // On a slow machine it may come to its point before it was asked.
    if (point === null) throw error
    return null
  })
  if (asked) {
    says(textIn(asked.answer))
    assert.deepEqual(asked.parts, noParts, point ?? '')
  }
  return following
}

async function killedWhileJudged(hone: HoneProcess, { calls }: JudgeServers): Promise<void> {
  await until(() => calls.length >= heldBack)
  hone.kill('SIGKILL')
  await hone.ended
}

async function attemptOf(url: string, id: string): Promise<Attempt> {
  const { json } = await ask(url, 'GET', `/api/loop/pipelines/${id}/attempts?limit=1`)
  return (json as never as { attempts: Attempt[] }).attempts[0]!
}

async function booksIn({ dataDir }: HoneProcess): Promise<Record<string, unknown>> {
  const [row] = await inDatabase<{ books: Record<string, unknown> }>(
    databaseUrlIn(dataDir),
    `select json_build_object(
      'results', (select json_agg(result order by attempt_no) from attempt),
      'trainings', (select count(*) from ledger_entry where kind = 'training'),
      'tests', (select count(*) from ledger_entry where kind = 'scoring'),
      'paid', (select -sum(amount) from ledger_entry where kind = 'scoring') is not distinct from
        (select sum(cost) from (select cost from test_answer union all select cost from test_reading)),
      'answers', (select count(*) from test_answer where failure is null),
      'readings', (select count(*) from test_reading where failure is null),
      'reserved', (select sum(reserved)::text from wallet),
      'marks', (select count(*) from (
          select used_by, learned_by from pipeline_sample
          union all select used_by, learned_by from pipeline_question
        ) m join attempt a on a.attempt_no = m.used_by
        where a.result = 'not_tested' or (a.result = 'became_version') <> (m.learned_by is not null)),
      'served', (select count(*) from deployment where attempt_id is not null and status <> 'deleted')
    ) as books`,
  )
  const problems = await ledgerProblems(dataDir)
  const left = ['rows', 'compute'].flatMap((folder) => readdirSync(join(dataDir, folder)))
  return { ...row!.books, problems, left }
}

const wholeBooks = {
  trainings: 1,
  tests: 1,
  paid: true,
  answers: 2 * heldBack,
  readings: 4 * heldBack,
  reserved: '0',
  marks: 0,
  served: 0,
  problems: [],
  left: [],
}

async function openRig(t: TestContext, point: string, usdPerHour?: number) {
  const judges = await judgeServers()
  t.after(() => judges.close())
  const dataDir = await loopFolder(judges, usdPerHour)
  const hone = honeProcess({ dataDir, env: { HONE_CRASH_AT: point } })
  const url = await hone.listening()
  const id = await makeDesk(url)
  await importGood(url, id, samples)
  return { judges, hone, url, id, dataDir }
}

/** The server may die of it before it answers. */
async function run(url: string, id: string): Promise<void> {
  await ask(url, 'POST', `/api/loop/pipelines/${id}/run`, {}).catch(() => {})
}

async function end(hone: HoneProcess): Promise<void> {
  hone.kill('SIGTERM')
  assert.deepEqual(await hone.ended, { code: 0, signal: null }, hone.stderr)
}

test('every effect is killed at', () => {
  const all = [...trained, ...tested, ...stopped]
  assert.deepEqual(all.toSorted(), crashNames.toSorted())
})

describe('an attempt whose server is killed', { concurrency: 3 }, () => {
  test('while it trains, is judged or goes live ends as the first version', async (t) => {
    const around = withPoint(pointsAround(trained), inside.marksUsed, 'before:reserve-training')
    const [first = '', ...points] = withPoint(around, inside.servesTest, 'after:serve-test')
    const rig = await openRig(t, first)
    const { judges, url, id } = rig
    await run(url, id)
    let { hone } = rig
    await killedAt(hone, first)
    const says = (text: string) => assert.match(text, /has no live version yet/)
    for (const point of points) {
      hone = await next(hone, { point, says })
      await killedAt(hone, point)
    }
    hone = await next(hone, { point: null, says })
    await killedWhileJudged(hone, judges)
    hone = await next(hone, { point: inside.goesLive, says })
    await killedAt(hone, inside.goesLive)
    hone = await next(hone, { point: null, says })
    const address = await hone.listening()
    await until(async () => (await attemptOf(address, id)).result !== 'running')
    assert.equal(textIn(await callDesk(address)), 'yes')
    assert.deepEqual(await booksIn(hone), { ...wholeBooks, results: ['became_version'] })
    const twice = judges.calls.length - wholeBooks.readings
    assert.ok(twice >= 0 && twice <= calledAtOnce, `${twice} calls were made again`)
    await end(hone)
  })

  test('while it is tested or goes live ends as the version after the live one', async (t) => {
    const around = pointsAround(tested)
    const [first = '', ...points] = withPoint(around, inside.marksLearned, 'after:mark-learned')
    const rig = await openRig(t, first)
    const { judges, url, id } = rig
    await putLive(url, rig.dataDir, id)
    const old = textIn(await callDesk(url))
    assert.notEqual(old, 'yes')
    await run(url, id)
    let { hone } = rig
    await killedAt(hone, first)
    for (const point of points) {
      hone = await next(hone, { point, says: (text) => assert.equal(text, old, point) })
      await killedAt(hone, point)
    }
    hone = await hone.restart({})
    const address = await hone.listening()
    assert.equal(textIn(await callDesk(address)), 'yes')
    const attempt = await attemptOf(address, id)
    assert.deepEqual([attempt.result, attempt.version_no], ['became_version', 2])
    const results = ['not_tested', 'became_version']
    assert.deepEqual(await booksIn(hone), { ...wholeBooks, results })
    assert.equal(judges.calls.length, wholeBooks.readings, 'the judge was asked once')
    await end(hone)
  })

  test('while it goes live by the word of a member ends as the version that was approved', async (t) => {
    const rig = await openRig(t, '')
    const { url, id } = rig
    await ask(url, 'PUT', `/api/loop/pipelines/${id}`, { promotion: { policy: 'manual' } })
    await run(url, id)
    await until(async () => (await attemptOf(url, id)).result === 'waiting_for_review')
    await end(rig.hone)
    let hone = await rig.hone.restart({ HONE_CRASH_AT: 'before:make-ready' })
    const address = await hone.listening()
    const path = `/api/loop/training-runs/${(await attemptOf(address, id)).id}/approve`
    // It may die of it before it answers.
    await ask(address, 'POST', path, {}).catch(() => {})
    await killedAt(hone, 'before:make-ready')
    const says = (text: string) => assert.match(text, /has no live version yet/)
    for (const point of ['after:make-ready', inside.marksLearned, inside.goesLive]) {
      hone = await next(hone, { point, says })
      await killedAt(hone, point)
    }
    hone = await hone.restart({})
    const last = await hone.listening()
    await until(async () => (await attemptOf(last, id)).result !== 'running')
    assert.equal(textIn(await callDesk(last)), 'yes')
    assert.deepEqual(await booksIn(hone), { ...wholeBooks, results: ['became_version'] })
    const history = await ask(last, 'GET', `/api/loop/pipelines/${id}/live-history`)
    const { entries } = history.json as never as { entries: { moved_by: string }[] }
    assert.deepEqual(
      entries.map(({ moved_by }) => moved_by),
      ['member'],
    )
    await end(hone)
  })

  test('while it is ended early ends so, and pays for what it used', async (t) => {
    const [noFunds, withFunds] = [1000, 0.6]
    const rig = await openRig(t, '', noFunds)
    const { judges, url, id, dataDir } = rig
    const runUntil = async (address: string, is: (attempt: Attempt) => boolean): Promise<void> => {
      await run(address, id)
      await until(async () => is(await attemptOf(address, id)))
    }
    const stopIn = async (address: string, is: (attempt: Attempt) => boolean): Promise<void> => {
      await runUntil(address, is)
      const path = `/api/loop/training-runs/${(await attemptOf(address, id)).id}/cancel`
      await ask(address, 'POST', path).catch(() => {})
    }
    await runUntil(url, ({ phase }) => phase === 'waiting_for_funds')
    let { hone } = rig
    await end(hone)
    const around = pointsAround(['remove-rows', 'take-marks-back'])
    for (const point of withPoint(around, inside.takesBack, 'after:take-marks-back')) {
      hone = await hone.restart({ HONE_LOOP: 'off', HONE_CRASH_AT: point })
      await killedAt(hone, point)
    }
    writeCatalog(dataDir, judges, withFunds)
    hone = await hone.restart({ HONE_CRASH_AT: 'before:stop-training' })
    const address = await hone.listening()
    await until(async () => (await attemptOf(address, id)).result === 'not_tested')
    await ask(address, 'PUT', `/api/loop/pipelines/${id}`, { training: { epochs: 15 } })
    await stopIn(address, ({ progress }) => progress !== null)
    await killedAt(hone, 'before:stop-training')
    hone = await hone.restart({ HONE_CRASH_AT: 'after:stop-training' })
    await killedAt(hone, 'after:stop-training')
    hone = await hone.restart({})
    const last = await hone.listening()
    await until(async () => (await attemptOf(last, id)).result !== 'running')
    const untested = { tests: 0, answers: 0, readings: 0, paid: true }
    const results = ['not_tested', 'stopped']
    assert.deepEqual(await booksIn(hone), { ...wholeBooks, ...untested, results })
    await end(hone)
  })
})
