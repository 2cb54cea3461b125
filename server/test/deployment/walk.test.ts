// Deployments on machines whose time has a price, walked on a clock that the test moves: what becomes of them, and of the money.
import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import type { Deployment } from '#contract/deployment.ts'
import { deleteLiveDeployment } from '#server/deployment/deployment-store.ts'
import { auditLedger } from '#server/wallet/audit-ledger.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { gone, noGpu, notCertified, ScriptedMachines } from '#test/support/scripted-machines.ts'
import { testHone, type TestHone } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'

const minuteMs = 60_000
const clock = new ManualClock()
const route = {
  engine: 'openai-compatible',
  base_url: 'http://127.0.0.1:9/v1',
  machine: 'box',
  pricing: { input: 1, output: 1 },
}
const hone: TestHone = await testHone({
  clock,
  tasks: [],
  catalog: {
    models: [
      { id: 'acme/large', context_window: 4096, max_output_tokens: 512, routes: [route] },
      {
        id: 'acme/vendor',
        context_window: 4096,
        max_output_tokens: 512,
        routes: [{ ...route, machine: undefined }],
      },
    ],
    machines: [
      { name: 'box', engine: 'static', training_usd_per_hour: 0, serving_usd_per_hour: 6 },
    ],
  },
})
after(() => hone.stop())
const key = hone.owner.key
let machines: ScriptedMachines
beforeEach(() => {
  machines = new ScriptedMachines()
  hone.app.serving.machines = machines
})

async function post(path: string, body: object = {}): Promise<Deployment> {
  const { status, json, text } = await hone.call('POST', `/api/deployments${path}`, { key, body })
  assert.ok(status < 300, text)
  return (json as never as { deployment: Deployment }).deployment
}

async function read(id: string): Promise<Deployment> {
  const { json } = await hone.call('GET', `/api/deployments/${id}`, { key })
  return (json as never as { deployment: Deployment }).deployment
}

/** Lets what is due happen, until it rests again. */
async function walk(minutes = 0): Promise<void> {
  clock.forward(minutes * minuteMs)
  const { db } = hone.app.storage
  await until(async () => {
    await hone.background.deployments.walkDue(hone.app)
    const due = db.selectFrom('deployment').select('id').where('wake_at', '<=', clock.now())
    return (await due.execute()).length === 0
  })
}

async function wallet(): Promise<{ balance: number; held: number }> {
  const { json } = await hone.call('GET', '/api/wallet', { key })
  const { balance_usd, held_usd } = json as never as { balance_usd: string; held_usd: string }
  assert.deepEqual((await auditLedger(hone.app.storage.db)).problems, [])
  return { balance: Number(balance_usd), held: Number(held_usd) }
}

async function setBalance(usd: number): Promise<void> {
  const { balance } = await wallet()
  const { db } = hone.app.storage
  if (usd > balance) {
    const headers = { 'idempotency-key': `to ${usd} at ${clock.now().toISOString()}` }
    const session = await hone.login(hone.owner.email, hone.owner.password)
    const body = { amount_usd: (usd - balance).toFixed(6) }
    const added = await hone.call('POST', '/api/wallet/top-ups', {
      headers: { ...session, ...headers },
      body,
    })
    assert.equal(added.status, 201, added.text)
    return
  }
  const { id } = await db.selectFrom('wallet').select('id').executeTakeFirstOrThrow()
  const rows = await hone.app.storage.pool.query<{ taken: boolean }>(
    'take',
    `select take_funds(gen_random_uuid(), $1, 'storage', $2::numeric, null, $3, '{}', now()) as taken`,
    [
      id,
      (BigInt(Math.round((balance - usd) * 1e6)) * 1_000_000n).toString(),
      `down to ${usd} ${clock.now().getTime()}`,
    ],
  )
  assert.equal(rows[0]?.taken, true)
}

test('an hour is reserved before it starts, and each minute that has begun is charged when it stops', async () => {
  const { balance } = await wallet()
  const { id, status } = await post('', { model: 'acme/large', name: 'by-the-minute' })
  assert.equal(status, 'starting')
  await walk()
  assert.equal((await read(id)).status, 'serving')
  assert.deepEqual(await wallet(), { balance, held: 6 })
  clock.forward(10.5 * minuteMs)
  await post(`/${id}/stop`)
  await walk()
  assert.deepEqual(await wallet(), { balance: balance - 1.1, held: 0 })
  assert.deepEqual(machines.stopped, ['acme/large'])
  // Stopped, it costs nothing.
  await walk(600)
  assert.deepEqual(await wallet(), { balance: balance - 1.1, held: 0 })

  await post(`/${id}/start`)
  await walk()
  for (let minutes = 0; minutes < 125; minutes++) await walk(1)
  const deleted = await hone.call('DELETE', `/api/deployments/${id}`, { key })
  assert.equal(deleted.status, 204)
  await walk()
  assert.deepEqual(await wallet(), { balance: Number((balance - 1.1 - 12.5).toFixed(6)), held: 0 })
  const { json } = await hone.call('GET', '/api/wallet/transactions?limit=4', { key })
  const { transactions } = json as never as { transactions: { kind: string; amount_usd: string }[] }
  assert.deepEqual(
    transactions.map(({ kind, amount_usd }) => [kind, amount_usd]),
    [
      ['serving', '-0.5'],
      ['serving', '-6'],
      ['serving', '-6'],
      ['serving', '-1.1'],
    ],
  )
})

test('one that goes with its pipeline is charged up to then', async () => {
  const { id } = await post('', { model: 'acme/large', name: 'goes-with-it' })
  await walk()
  const { db } = hone.app.storage
  await db.updateTable('deployment').set({ pipeline_id: id }).where('id', '=', id).execute()
  const { balance } = await wallet()
  clock.forward(2 * minuteMs)
  await deleteLiveDeployment(db, id, clock.now())
  await walk(5)
  assert.deepEqual(await wallet(), { balance: Number((balance - 0.2).toFixed(6)), held: 0 })
})

test('out of funds it pauses, and is back by itself once there are some', async () => {
  await setBalance(0.25)
  const { id } = await post('', { model: 'acme/large', name: 'short-of-funds' })
  await walk()
  // Two minutes can be paid.
  assert.deepEqual(
    [(await read(id)).status, await wallet()],
    ['serving', { balance: 0.25, held: 0.2 }],
  )
  await walk(1)
  assert.equal((await read(id)).status, 'serving')
  await walk(1)
  const paused = await read(id)
  assert.equal(paused.status, 'paused_for_funds')
  assert.match(paused.detail ?? '', /wallet/)
  assert.deepEqual(await wallet(), { balance: 0.05, held: 0 })
  await walk(5)
  assert.equal((await read(id)).status, 'paused_for_funds')
  await setBalance(20)
  await walk()
  assert.deepEqual([(await read(id)).status, await wallet()], ['serving', { balance: 20, held: 6 }])
  await post(`/${id}/stop`)
  await walk()
})

test('a machine that dies is not paid for until it is back', async () => {
  await setBalance(100)
  const { id } = await post('', { model: 'acme/large', name: 'dies' })
  await walk()
  await walk(9.5)
  machines.says = gone
  machines.prepares = gone
  await walk(0.5)
  const away = await read(id)
  assert.deepEqual(
    [away.status, away.detail],
    ['starting', gone.state === 'failed' && gone.sentence],
  )
  assert.equal((await wallet()).balance, 99)
  machines.says = machines.prepares = { state: 'ready' }
  await walk(5)
  assert.equal((await read(id)).status, 'serving')
  await walk(1)
  await post(`/${id}/stop`)
  await walk()
  assert.deepEqual(await wallet(), { balance: 98.9, held: 0 })
})

test('what never comes up has failed in the end, and costs nothing', async () => {
  const cases: [name: string, says: ScriptedMachines['prepares'], minutes: number][] = [
    ['never-ready', { state: 'starting' }, 21],
    ['not-certified', notCertified, 0],
    ['no-gpu', noGpu, 8 * 60],
  ]
  for (const [name, says, minutes] of cases) {
    machines.prepares = says
    const { balance } = await wallet()
    const { id } = await post('', { model: 'acme/large', name })
    await walk()
    for (let passed = 0; passed < minutes; passed += 5) await walk(5)
    const { status, detail } = await read(id)
    assert.deepEqual([status, typeof detail], ['failed', 'string'], name)
    assert.deepEqual(await wallet(), { balance, held: 0 }, name)
    machines.prepares = { state: 'ready' }
    await post(`/${id}/start`)
    await walk()
    assert.equal((await read(id)).status, 'serving', name)
    await hone.call('DELETE', `/api/deployments/${id}`, { key })
    await walk()
  }
})

test('one that its machine has forgotten is loaded again, and never said to have stopped', async () => {
  const { id } = await post('', { model: 'acme/large', name: 'forgotten' })
  await walk()
  const before = machines.prepared.length
  machines.says = { state: 'unknown' }
  await walk(1)
  assert.equal((await read(id)).status, 'serving')
  assert.equal(machines.prepared.length, before + 1)
  const served = await hone.app.storage.db
    .selectFrom('deployment')
    .select('ended_at')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  assert.equal(served.ended_at, null)
  await post(`/${id}/stop`)
  await walk()
})
