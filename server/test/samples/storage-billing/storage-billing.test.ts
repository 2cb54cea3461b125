// How much is stored and what it costs: counts that follow every change of samples, days booked once, whole cents charged
// once, and never more than the wallet has.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { newId } from '#server/lib/id.ts'
import { formatUsd } from '#server/lib/money.ts'
import { readStorage } from '#server/samples/stats/read-storage.ts'
import { foldSizes } from '#server/samples/sample/stored-size-store.ts'
import { dropSamples } from '#server/samples/retention/erase-samples.ts'
import { insertSamples } from '#server/samples/sample/sample-store.ts'
import { bookStorage, chargeStorage } from '#server/samples/storage-billing/charge-storage.ts'
import { dayCost, dayOf, daysToBook } from '#server/samples/storage-billing/day-cost.ts'
import { billStorage } from '#server/task/bill-storage.ts'
import { auditLedger } from '#server/wallet/audit-ledger.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { newSample, textOf } from '#test/support/new-samples.ts'
import { otherOrg, type OtherOrg } from '#test/support/accounts.ts'
import { type TestHone, testHone } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'

const dayMs = 86_400_000
const usd = 1_000_000_000_000n
const cent = usd / 100n
/** So that a megabyte costs a cent a day in a month of 30 days. */
const price = '300'
const megabyte = 1_000_000

const start = '2026-04-01T00:10:00Z'
const clock = new ManualClock(start)
let hone: TestHone
let second: TestHone
let org: OtherOrg

before(async () => {
  const catalog = { models: [], storage: { usd_per_gb_month: price } }
  hone = await testHone({ clock, catalog, tasks: [] })
  second = await testHone({ clock, catalog, tasks: [], databaseUrl: hone.databaseUrl })
})
after(async () => {
  await second.stop()
  await hone.stop()
})
beforeEach(async () => {
  // In April a megabyte costs a whole cent a day.
  clock.forward(Date.parse(start) - clock.now().getTime())
  org = await otherOrg(hone)
})
afterEach(async () => {
  assert.deepEqual((await auditLedger(hone.app.storage.db)).problems, [])
})

async function store(bytes: number, change: Parameters<typeof newSample>[2] = {}): Promise<string> {
  const sample = newSample(org.workspaceId, clock.now(), { text: textOf(bytes), ...change })
  await insertSamples(hone.app.storage, [sample])
  return sample.id
}

async function topUp(amount: string): Promise<void> {
  const answer = await hone.call('POST', '/api/wallet/top-ups', {
    key: org.secret,
    headers: { 'idempotency-key': newId(clock.now()) },
    body: { amount_usd: amount },
  })
  assert.equal(answer.status, 201, answer.text)
}

type Entry = { kind: string; amount_usd: string; workspace_id: string; detail: object }

async function charges(): Promise<Entry[]> {
  const { json } = await hone.call('GET', '/api/wallet/transactions', { key: org.secret })
  const { transactions } = json as unknown as { transactions: Entry[] }
  return transactions.filter(({ kind }) => kind === 'storage')
}

async function charged(): Promise<string[]> {
  return (await charges()).map(({ amount_usd }) => amount_usd)
}

async function balance(): Promise<unknown> {
  const { json } = await hone.call('GET', '/api/wallet', { key: org.secret })
  return (json as unknown as { balance_usd: string }).balance_usd
}

async function accrued(): Promise<string> {
  const [row] = await inDatabase<{ left: string }>(
    hone.databaseUrl,
    `select accrued - charged as left from storage_bill where workspace_id = '${org.workspaceId}'`,
  )
  return formatUsd(BigInt(row?.left ?? 0))
}

async function usePrice(value: string | null): Promise<void> {
  const storage = value === null ? {} : { storage: { usd_per_gb_month: value } }
  await writeFile(hone.catalogFile, JSON.stringify({ models: [], ...storage }))
  await hone.app.catalog.reload()
}

describe('what is stored', () => {
  const use = (tag?: string) =>
    readStorage(hone.app, org.workspaceId, tag === undefined ? {} : { tag })

  test('follows samples as they come, change labels and go', async () => {
    const nothing = { bytes: 0, objects: 0, where: 'platform', billed: false }
    assert.deepEqual(await use(), nothing)
    const one = await store(1000, { tags: ['a', 'b'] })
    const two = await store(500, { tags: ['b'] })
    const both = { bytes: 1500, objects: 2, where: 'platform', billed: true }
    assert.deepEqual(await use(), both)
    assert.deepEqual(await use('a'), { ...both, bytes: 1000, objects: 1 })
    assert.deepEqual(await use('b'), both)
    assert.deepEqual(await use('c'), nothing)
    await inDatabase(hone.databaseUrl, `update sample set tags = '{c}' where id = '${one}'`)
    assert.deepEqual(await use('a'), nothing)
    assert.deepEqual(await use('b'), { ...both, bytes: 500, objects: 1 })
    assert.deepEqual(await use('c'), { ...both, bytes: 1000, objects: 1 })
    await inDatabase(hone.databaseUrl, `update sample set score = 1 where id = '${one}'`)
    assert.deepEqual(await use(), both)
    await dropSamples(hone.app, org.workspaceId, [one, two])
    for (const tag of ['a', 'b', 'c', undefined]) assert.deepEqual(await use(tag), nothing)
  })

  test('a sample that is stored twice counts once', async () => {
    const sample = newSample(org.workspaceId, clock.now(), { text: textOf(100) })
    for (let again = 0; again < 3; again++) await insertSamples(hone.app.storage, [sample])
    assert.deepEqual([(await use()).bytes, (await use()).objects], [100, 1])
  })

  test('is the same after folding, also while samples come and two fold at once', async () => {
    for (let count = 0; count < 20; count++) await store(10, { tags: ['t'] })
    const storing = Array.from({ length: 20 }, () => store(10, { tags: ['t'] }))
    await Promise.all([
      foldSizes(hone.app.storage.db),
      foldSizes(second.app.storage.db),
      ...storing,
    ])
    assert.equal((await use()).bytes, 400)
    await foldSizes(hone.app.storage.db)
    assert.equal((await use('t')).objects, 40)
    const rows = await inDatabase(
      hone.databaseUrl,
      `select 1 from sample_storage where workspace_id = '${org.workspaceId}'`,
    )
    assert.equal(rows.length, 2)
  })

  test('that has not changed is not folded again', async () => {
    const read = () =>
      inDatabase(
        hone.databaseUrl,
        `select tag, samples, xmin::text from sample_storage
         where workspace_id = '${org.workspaceId}' order by tag`,
      )
    await store(10, { tags: ['a', 'b'] })
    await store(10, { tags: ['a'] })
    await foldSizes(hone.app.storage.db)
    const folded = await read()
    assert.equal(folded.length, 3)
    await foldSizes(hone.app.storage.db)
    assert.deepEqual(await read(), folded)
    await store(10, { tags: ['b'] })
    await foldSizes(hone.app.storage.db)
    const again = await read()
    assert.deepEqual(again[1], folded[1], 'nothing came with the label a')
    assert.equal((await use('b')).objects, 2)
    assert.equal(again.length, 3)
  })

  test('says where: on the platform, in a bucket, or both', async () => {
    const bucket = newId(clock.now())
    const objectKey = `${bucket}:${'x'.repeat(43)}:hone/key.json`
    await store(70, { objectKey })
    assert.deepEqual(await use(), {
      bytes: 70,
      objects: 1,
      where: 'your_storage',
      billed: false,
    })
    await store(30)
    assert.deepEqual(await use(), { bytes: 100, objects: 2, where: 'both', billed: true })
  })

  test('is billed only where there is a price', async () => {
    await store(1000)
    assert.equal((await use()).billed, true)
    for (const value of ['0', '0.00', null]) {
      await usePrice(value)
      assert.equal((await use()).billed, false)
    }
    await usePrice(price)
  })
})

describe('a day', () => {
  test('costs bytes times price over the days of its month, without what is less than a pico-dollar', () => {
    const gigabyte = 1_000_000_000n
    assert.equal(dayCost(gigabyte, 31n * usd, '2026-01-31'), usd)
    assert.equal(dayCost(gigabyte, 28n * usd, '2026-02-01'), usd)
    assert.equal(dayCost(gigabyte, 29n * usd, '2028-02-29'), usd)
    assert.equal(dayCost(gigabyte, 30n * usd, '2026-04-30'), usd)
    assert.equal(dayCost(gigabyte, usd, '2026-04-30'), 33_333_333_333n)
    assert.equal(dayCost(1n, 23_000_000_000n, '2026-04-30'), 0n)
    assert.equal(dayCost(2n, 23_000_000_000n, '2026-04-30'), 1n)
    assert.equal(dayCost(0n, usd, '2026-04-30'), 0n)
    assert.equal(dayCost(10n ** 18n, usd, '2026-04-30'), (10n ** 18n * usd) / (gigabyte * 30n))
  })

  const last = (day: string, bytes: bigint) => ({ day, bytes })
  const month = Array.from({ length: 31 }, (_, at) => new Date(Date.UTC(2026, 2, 10 + at)))
  const cases: [
    string,
    { bytes: bigint; last: ReturnType<typeof last> | null; doubted?: string },
    [string, bigint][] | null,
  ][] = [
    ['a new workspace pays from today', { bytes: 100n, last: null }, [['2026-04-10', 100n]]],
    ['yesterday was booked', { bytes: 100n, last: last('2026-04-09', 7n) }, [['2026-04-10', 100n]]],
    [
      'yesterday was booked, and the clock was elsewhere meanwhile',
      { bytes: 100n, last: last('2026-04-09', 7n), doubted: '2027-04-09' },
      [['2026-04-10', 100n]],
    ],
    ['today was booked', { bytes: 100n, last: last('2026-04-10', 100n) }, []],
    ['nothing is stored any more', { bytes: 0n, last: last('2026-04-09', 100n) }, []],
    ['a day after missed ones is doubted', { bytes: 100n, last: last('2026-04-07', 40n) }, null],
    ['a day of a clock that went back is', { bytes: 100n, last: last('2026-04-11', 9n) }, null],
    [
      'a doubted day to come says nothing',
      { bytes: 100n, last: last('2026-04-07', 40n), doubted: '2027-04-09' },
      null,
    ],
    [
      'nor does one that is today, which was only doubted yet',
      { bytes: 100n, last: last('2026-04-07', 40n), doubted: '2026-04-10' },
      null,
    ],
    [
      'nor does one that is long past',
      { bytes: 100n, last: last('2026-02-07', 40n), doubted: '2026-03-09' },
      null,
    ],
    [
      'missed days count what was stored all along',
      { bytes: 100n, last: last('2026-04-07', 40n), doubted: '2026-04-09' },
      [
        ['2026-04-08', 40n],
        ['2026-04-09', 40n],
        ['2026-04-10', 100n],
      ],
    ],
    [
      'missed days after which less is stored',
      { bytes: 30n, last: last('2026-04-08', 40n), doubted: '2026-04-09' },
      [
        ['2026-04-09', 30n],
        ['2026-04-10', 30n],
      ],
    ],
    [
      'of many missed days the last 31 count',
      { bytes: 30n, last: last('2020-01-01', 40n), doubted: '2026-03-10' },
      [...month.map((day): [string, bigint] => [dayOf(day), 30n]), ['2026-04-10', 30n]],
    ],
    [
      'a clock that stays back is believed',
      { bytes: 30n, last: last('2027-01-01', 40n), doubted: '2026-04-09' },
      [['2026-04-10', 30n]],
    ],
  ]
  for (const [name, meter, expected] of cases) {
    test(`to book: ${name}`, () => {
      const days = daysToBook({ doubted: null, ...meter }, '2026-04-10', 30n * usd)
      assert.deepEqual(days && days.map(({ day, bytes }) => [day, bytes]), expected)
      for (const { day, bytes, cost } of days ?? []) {
        assert.equal(cost, dayCost(bytes, 30n * usd, day))
      }
    })
  }
})

describe('a charge', () => {
  test('comes when a whole cent is reached, and leaves the rest for later', async () => {
    await topUp('1')
    await store(megabyte - 1)
    await billStorage.run(hone.app)
    assert.equal(await accrued(), formatUsd(cent - 10_000n))
    assert.deepEqual(await charged(), [])
    clock.forward(dayMs)
    await billStorage.run(hone.app)
    assert.deepEqual(await charged(), ['-0.01'])
    assert.equal(await accrued(), formatUsd(cent - 20_000n))
    assert.equal(await balance(), '0.99')
    const [entry] = await charges()
    assert.equal(entry?.workspace_id, org.workspaceId)
    assert.deepEqual(entry?.detail, { through: '2026-04-02' })
  })

  test('of exactly a cent comes at once', async () => {
    await topUp('1')
    await store(megabyte)
    await billStorage.run(hone.app)
    assert.deepEqual(await charged(), ['-0.01'])
    assert.equal(await accrued(), '0')
  })

  test('comes once a day, however often and by however many processes it is asked for', async () => {
    await topUp('5')
    await store(3 * megabyte)
    for (let day = 0; day < 3; day++) {
      const apps = [hone.app, second.app, hone.app, second.app]
      await Promise.all(apps.map((app) => billStorage.run(app)))
      await billStorage.run(second.app)
      clock.forward(dayMs)
    }
    assert.deepEqual(await charged(), ['-0.03', '-0.03', '-0.03'])
  })

  test('is not lost when the process dies between booking and charging', async () => {
    await topUp('1')
    await store(megabyte)
    await bookStorage(hone.app)
    assert.deepEqual(await charged(), [])
    await bookStorage(second.app)
    await chargeStorage(second.app)
    await chargeStorage(hone.app)
    assert.deepEqual(await charged(), ['-0.01'])
  })

  test('whose transaction fails leaves bill and wallet as they were', async () => {
    await topUp('1')
    await store(megabyte)
    await bookStorage(hone.app)
    await inDatabase(
      hone.databaseUrl,
      `create function refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
       create trigger refuse before update on storage_bill for each row execute function refuse()`,
    )
    await assert.rejects(chargeStorage(hone.app), /no/)
    assert.equal(await balance(), '1')
    await inDatabase(hone.databaseUrl, 'drop trigger refuse on storage_bill; drop function refuse')
    await chargeStorage(hone.app)
    assert.equal(await balance(), '0.99')
  })

  test('waits for funds, and never takes more than there is', async () => {
    await store(2 * megabyte)
    await billStorage.run(hone.app)
    assert.deepEqual([await charged(), await balance()], [[], '0'])
    await topUp('0.01')
    await billStorage.run(hone.app)
    assert.deepEqual([await charged(), await balance()], [[], '0.01'])
    clock.forward(dayMs)
    await topUp('0.03')
    await billStorage.run(hone.app)
    assert.deepEqual([await charged(), await balance()], [['-0.04'], '0'])
  })

  test('leaves alone what calls hold, and finds what was lent and is not needed', async () => {
    await topUp('0.02')
    await store(2 * megabyte)
    const hold = await hone.app.money.wallets.hold({
      walletId: org.orgId,
      workspaceId: org.workspaceId,
      keyId: null,
      requestId: newId(clock.now()),
      amount: cent / 2n,
    })
    await billStorage.run(second.app)
    assert.deepEqual(await charged(), [])
    hold.void()
    while ((await charged()).length === 0) {
      await chargeStorage(second.app)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    assert.deepEqual([await charged(), await balance()], [['-0.02'], '0'])
  })

  test('that finds too little asks the processes for what they do not need', async () => {
    const recalled: unknown[] = []
    hone.app.storage.changes.on('wallet_recall', (walletId) => recalled.push(walletId))
    await store(megabyte)
    await until(async () => {
      await billStorage.run(second.app)
      return recalled.includes(org.orgId)
    })
  })

  test('reaches the last of many workspaces, though none before it can pay', async () => {
    await topUp('1')
    await store(megabyte)
    const poor = await otherOrg(hone)
    const many = 501
    const first = "select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid as id, n"
    await inDatabase(
      hone.databaseUrl,
      `with many as (${first} from generate_series(1, ${many}) n),
         made as (
           insert into workspace (id, org_id, name, created_at)
           select id, '${poor.orgId}', 'many ' || n, now() from many
         )
       insert into sample_storage (workspace_id, tag, place, samples, bytes)
       select id, '', 'platform', 1, ${megabyte} from many`,
    )
    await billStorage.run(hone.app)
    assert.deepEqual([await charged(), await balance()], [['-0.01'], '0.99'])
    const ofPoor = `workspace_id in (select id from workspace where org_id = '${poor.orgId}')`
    const [owed] = await inDatabase<{ bills: string; cents: string }>(
      hone.databaseUrl,
      `select count(*) as bills, sum(accrued - charged) / ${cent} as cents from storage_bill where ${ofPoor}`,
    )
    assert.deepEqual([Number(owed?.bills), Number(owed?.cents)], [many, many])
    for (const table of ['storage_bill', 'storage_day', 'sample_storage']) {
      await inDatabase(hone.databaseUrl, `delete from ${table} where ${ofPoor}`)
    }
  })

  async function bookedDays(): Promise<[string, number][]> {
    const days = await inDatabase<{ day: string; bytes: string }>(
      hone.databaseUrl,
      `select day::text, bytes from storage_day where workspace_id = '${org.workspaceId}' order by day`,
    )
    return days.map(({ day, bytes }) => [day, Number(bytes) / megabyte])
  }

  /** Days from now, as they will be booked. */
  const fromToday = (...days: number[]): string[] =>
    days.map((day) => dayOf(new Date(clock.now().getTime() + day * dayMs)))

  test('catches up on days on which nobody ran, once time has gone on', async () => {
    await topUp('1')
    await store(megabyte)
    await billStorage.run(hone.app)
    const [first, ...days] = fromToday(0, 1, 2, 3, 4, 5)
    clock.forward(4 * dayMs)
    await store(megabyte)
    for (let round = 0; round < 3; round++) await billStorage.run(hone.app)
    assert.deepEqual(await bookedDays(), [[first, 1]])
    clock.forward(dayMs)
    await Promise.all([billStorage.run(hone.app), billStorage.run(second.app)])
    const expected = [1, 1, 1, 1, 2].map((bytes, at) => [days[at], bytes])
    assert.deepEqual(await bookedDays(), [[first, 1], ...expected])
    assert.deepEqual(await charged(), ['-0.06', '-0.01'])
  })

  test('is made for 31 missed days at most', async () => {
    await topUp('1')
    await store(megabyte)
    await billStorage.run(hone.app)
    clock.forward(400 * dayMs)
    await billStorage.run(hone.app)
    clock.forward(dayMs)
    await billStorage.run(hone.app)
    assert.equal((await bookedDays()).length, 1 + 31 + 1)
  })

  test('is made for no day of a clock that was set ahead, nor twice for one of a clock that was set back', async () => {
    await topUp('1')
    await store(megabyte)
    await billStorage.run(hone.app)
    const days = fromToday(0, 1, 2)
    for (const away of [365, 2, -1, -365]) {
      clock.forward(away * dayMs)
      for (let round = 0; round < 2; round++) await billStorage.run(hone.app)
      clock.forward(-away * dayMs)
      await billStorage.run(hone.app)
    }
    assert.deepEqual(await bookedDays(), [[days[0], 1]])
    clock.forward(dayMs)
    await billStorage.run(hone.app)
    clock.forward(-dayMs)
    await billStorage.run(hone.app)
    clock.forward(2 * dayMs)
    await billStorage.run(hone.app)
    assert.deepEqual(
      await bookedDays(),
      days.map((day) => [day, 1]),
    )
    assert.deepEqual(await charged(), ['-0.01', '-0.01', '-0.01'])
  })

  test('doubts a clock that jumps once more after it was believed', async () => {
    await topUp('1')
    await store(megabyte)
    await billStorage.run(hone.app)
    for (const days of [3, 1]) {
      clock.forward(days * dayMs)
      await billStorage.run(hone.app)
    }
    const booked = await bookedDays()
    assert.equal(booked.length, 5)
    clock.forward(20 * dayMs)
    for (let round = 0; round < 2; round++) await billStorage.run(hone.app)
    assert.deepEqual(await bookedDays(), booked)
  })

  test('goes on after a clock that was ahead for days is put right', async () => {
    await topUp('1')
    await store(megabyte)
    await billStorage.run(hone.app)
    const own = fromToday(0, 3, 4)
    clock.forward(365 * dayMs)
    for (let day = 0; day < 2; day++) {
      await billStorage.run(hone.app)
      clock.forward(dayMs)
    }
    clock.forward(-364 * dayMs)
    for (let day = 0; day < 2; day++) {
      await billStorage.run(hone.app)
      clock.forward(dayMs)
    }
    const days = (await bookedDays()).map(([day]) => day)
    assert.deepEqual(
      days.filter((day) => day <= (own[2] ?? '')),
      [own[0], own[2]],
    )
  })

  test('is not made for days on which it was free', async () => {
    await topUp('1')
    await store(megabyte)
    await billStorage.run(hone.app)
    await usePrice(null)
    for (let day = 0; day < 3; day++) {
      clock.forward(dayMs)
      await billStorage.run(hone.app)
    }
    await usePrice(price)
    clock.forward(dayMs)
    await billStorage.run(hone.app)
    assert.deepEqual(await charged(), ['-0.01', '-0.01'])
  })

  test('is not made for days on which nothing was stored', async () => {
    await topUp('1')
    const id = await store(megabyte)
    await billStorage.run(hone.app)
    await dropSamples(hone.app, org.workspaceId, [id])
    for (let day = 0; day < 3; day++) {
      clock.forward(dayMs)
      await billStorage.run(hone.app)
    }
    await store(megabyte)
    await billStorage.run(hone.app)
    assert.deepEqual(await charged(), ['-0.01'], 'that day was booked before anything was there')
    clock.forward(dayMs)
    await billStorage.run(hone.app)
    assert.deepEqual(await charged(), ['-0.01', '-0.01'])
  })

  test('is not made for what is in a bucket', async () => {
    await topUp('1')
    const objectKey = `${newId(clock.now())}:${'x'.repeat(43)}:hone/key.json`
    await store(100 * megabyte, { objectKey })
    await billStorage.run(hone.app)
    assert.deepEqual([await charged(), await accrued()], [[], '0'])
  })
})

test('the ledger still refuses what it always refused', async () => {
  const insert = (kind: string, amount: string, request: string) =>
    inDatabase(
      hone.databaseUrl,
      `insert into ledger_entry (id, wallet_id, kind, amount, request_id, detail, created_at)
       values (gen_random_uuid(), '${org.orgId}', '${kind}', ${amount}, ${request}, '{}', now())`,
    )
  await assert.rejects(insert('storage', '5', 'null'), /check/)
  await assert.rejects(insert('storage', '-5', 'gen_random_uuid()'), /check/)
  await assert.rejects(insert('charge', '-5', 'null'), /check/)
  await assert.rejects(insert('charge', '5', 'gen_random_uuid()'), /check/)
  await assert.rejects(insert('top_up', '-5', 'null'), /check/)
  await assert.rejects(insert('other', '-5', 'null'), /check/)
})

test('a price that is none is refused', async () => {
  for (const storage of [
    { usd_per_gb_month: '-1' },
    { usd_per_gb_month: 'a lot' },
    { usd_per_gb_month: '0.0000001' },
    { usd_per_month: '1' },
    {},
  ]) {
    await writeFile(hone.catalogFile, JSON.stringify({ models: [], storage }))
    await hone.app.catalog.reload()
    assert.equal(hone.app.catalog.storagePrice, 300n * usd, 'the last good one stays')
  }
  await usePrice('0.023')
  assert.equal(hone.app.catalog.storagePrice, 23_000_000_000n)
  await usePrice(price)
})
