// Strangers by the hundreds: sign-ins, made-up keys and questions whether Hone is ready take few connections to the database, so
// that everybody else goes on.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Client } from 'pg'
import { hashKeySecret, newKeySecret } from '#server/account/key-secret.ts'
import { NoTurn, Turns } from '#server/lib/turns.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'

let hone: TestHone
/** Past Hone, to stand in its way. */
let direct: Client
before(async () => {
  hone = await testHone()
  direct = new Client({ connectionString: hone.databaseUrl })
  await direct.connect()
})
after(async () => {
  await direct.end()
  await hone.stop()
})

const connectionsMax = 4

/** What a good caller does; each needs the database. */
async function goodCalls(): Promise<void> {
  const { key } = hone.owner
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => hone.call('GET', '/api/wallet/transactions', { key })),
  )
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
}

test('made-up keys wait for each other and for nobody else', async () => {
  const { key } = hone.owner
  assert.equal((await hone.call('GET', '/api/wallet', { key })).status, 200)
  const { pool } = hone.app.storage
  const query = pool.query.bind(pool)
  const own = hashKeySecret(key)
  const gate = Promise.withResolvers<void>()
  let asking = 0
  pool.query = async (name, text, values) => {
    if (name !== 'find_key' || own.equals(values[0] as Buffer)) return query(name, text, values)
    asking += 1
    await gate.promise
    return query(name, text, values)
  }
  const flood: Promise<Answer>[] = Array.from({ length: 200 }, (_, i) => {
    const secret = newKeySecret(i % 2 === 0)
    return i % 4 < 2
      ? hone.call('GET', '/api/wallet', { key: secret })
      : hone.call('POST', '/v1/messages', { bearer: secret, body: {} })
  })
  await until(() => asking === connectionsMax)
  await goodCalls()
  // Any change of accounts makes everybody be looked up again; who was good before is not put behind the others.
  hone.app.operations.identity.forget()
  await goodCalls()
  assert.equal(asking, connectionsMax)
  gate.resolve()
  for (const { status, text } of await Promise.all(flood)) {
    // Those that waited too long were told so.
    assert.ok(status === 401 || status === 503, text)
  }
  pool.query = query
})

test('sign-ins wait for each other and for nobody else', async () => {
  const lock = `hashtextextended('address 127.0.0.1', 0)`
  await direct.query(`select pg_advisory_lock(${lock})`)
  const flood = Array.from({ length: 100 }, (_, i) =>
    hone.call('POST', '/api/auth/login', {
      body: { email: `nobody-${i}@example.com`, password: 'not the password' },
    }),
  )
  const stuck = async (): Promise<number> => {
    const { rows } = await direct.query<{ count: string }>(
      `select count(*) from pg_locks where locktype = 'advisory' and not granted
         and database = (select oid from pg_database where datname = current_database())`,
    )
    return Number(rows[0]?.count)
  }
  await until(async () => (await stuck()) === connectionsMax)
  await goodCalls()
  assert.ok((await stuck()) <= connectionsMax)
  await direct.query(`select pg_advisory_unlock(${lock})`)
  const statuses = (await Promise.all(flood)).map(({ status, headers, text }) => {
    assert.ok(status === 401 || Number(headers.get('retry-after')) >= 1, text)
    return status
  })
  assert.ok(statuses.every((status) => [401, 429, 503].includes(status)))
  // One address has few tries under way, whatever becomes of them.
  assert.ok(statuses.filter((status) => status === 429).length >= 80, statuses.join())
})

test('however many ask whether Hone is ready, the database is asked once at a time', async () => {
  const { pool } = hone.app.storage
  const check = pool.checkWritable.bind(pool)
  const gate = Promise.withResolvers<void>()
  let asked = 0
  pool.checkWritable = async () => {
    asked += 1
    await gate.promise
    return check()
  }
  const flood = Array.from({ length: 50 }, () => hone.call('GET', '/readyz'))
  await until(() => asked > 0)
  await goodCalls()
  assert.equal(asked, 1)
  gate.resolve()
  for (const { status } of await Promise.all(flood)) assert.equal(status, 200)
  pool.checkWritable = check
})

describe('turns', () => {
  const gated = (turns: Turns) => {
    const gate = Promise.withResolvers<string>()
    return { open: gate.resolve, done: turns.run(() => gate.promise) }
  }

  test('are taken in order, a few at once', async () => {
    const turns = new Turns({ atOnce: 2, waitingMax: 10, waitMs: 60_000 })
    const begun: number[] = []
    const gates = Array.from({ length: 5 }, () => Promise.withResolvers<void>())
    const runs = gates.map(({ promise }, i) =>
      turns.run(async () => {
        begun.push(i)
        await promise
        if (i === 1) throw new Error('failed')
      }),
    )
    const outcomes = Promise.allSettled(runs)
    assert.deepEqual(begun, [0, 1])
    gates[1]?.resolve()
    await until(() => begun.length === 3)
    gates[0]?.resolve()
    await until(() => begun.length === 4)
    for (const { resolve } of gates) resolve()
    assert.deepEqual(
      (await outcomes).map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled'],
    )
    assert.deepEqual(begun, [0, 1, 2, 3, 4])
  })

  test('are refused when too many wait, and when the wait is too long', async () => {
    const turns = new Turns({ atOnce: 1, waitingMax: 1, waitMs: 20 })
    const first = gated(turns)
    const second = gated(turns)
    await assert.rejects(gated(turns).done, NoTurn)
    await assert.rejects(second.done, NoTurn)
    first.open('first')
    assert.equal(await first.done, 'first')
    const third = gated(turns)
    third.open('third')
    assert.equal(await third.done, 'third')
  })
})
