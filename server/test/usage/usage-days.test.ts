// Usage by days that were added up before is the same as of calls one by one, whenever and by whomever they were added.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { Client } from 'pg'
import { type UsageGrouping, usageGroupings, type UsageRow } from '#contract/analytics.ts'
import { newId } from '#server/lib/id.ts'
import { formatUsd } from '#server/lib/money.ts'
import { foldCalls, foldUsage } from '#server/task/fold-usage.ts'
import { roundedDuration } from '#server/usage/rounded-duration.ts'
import { sumUsage } from '#server/usage/usage-sums.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { type TestHone, testHone } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'

let hone: TestHone
let orgId: string
before(async () => {
  hone = await testHone({ tasks: [] })
  const org = await hone.app.storage.db.selectFrom('org').select('id').executeTakeFirstOrThrow()
  orgId = org.id
})
after(() => hone.stop())

const hourMs = 3_600_000
const firstHour = Date.parse('2022-03-01T00:00:00Z')

type Call = {
  hour: number
  model: string
  key: string | null
  outcome: 'paid' | 'completed' | 'aborted' | 'failed'
  tokens: number
  latency: number
  firstToken: number | null
}

const keys = [newId(new Date(1)), newId(new Date(2)), null]

const call: fc.Arbitrary<Call> = fc.record({
  hour: fc.integer({ min: 0, max: 24 * 5 }),
  model: fc.constantFrom('a/one', 'b/two'),
  key: fc.constantFrom(...keys),
  outcome: fc.constantFrom('paid', 'paid', 'completed', 'aborted', 'failed'),
  tokens: fc.integer({ min: 0, max: 1e9 }),
  latency: fc.oneof(fc.integer({ min: 0, max: 120 }), fc.integer({ min: 0, max: 3e7 })),
  firstToken: fc.option(fc.integer({ min: 0, max: 20_000 })),
})

async function make(workspaceId: string, calls: readonly Call[]): Promise<void> {
  const { db } = hone.app.storage
  for (const { hour, model, key, outcome, tokens, latency, firstToken } of calls) {
    const requestId = newId(new Date())
    const common = {
      request_id: requestId,
      workspace_id: workspaceId,
      key_id: key,
      model,
      route: '',
      input_tokens: String(tokens),
      cache_read_tokens: String(tokens + 1),
      cache_write_5m_tokens: String(tokens + 2),
      cache_write_1h_tokens: String(tokens + 3),
      output_tokens: String(tokens + 4),
      thinking_tokens: String(tokens + 5),
      latency_ms: latency,
      first_token_ms: firstToken,
      created_at: new Date(firstHour + hour * hourMs),
    }
    if (outcome === 'paid') {
      await db
        .insertInto('ledger_entry')
        .values({
          ...common,
          ...{ id: requestId, wallet_id: orgId, kind: 'charge', amount: String(-tokens - 1) },
          detail: '{}',
        })
        .execute()
    } else {
      await db
        .insertInto('usage_record')
        .values({ ...common, org_id: orgId, outcome, cost: '0' })
        .execute()
    }
  }
}

function rounded(ms: number): number {
  if (ms < 100) return ms
  const tenth = 10 ** (String(ms).length - 2)
  const step = tenth * (ms < 20 * tenth ? 1 : ms < 50 * tenth ? 2 : 5)
  return Math.floor((ms + step / 2) / step) * step
}

function middle(values: readonly (number | null)[]): number | null {
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b)
  const value = sorted[Math.ceil(sorted.length / 2) - 1]
  return value === undefined ? null : rounded(value)
}

/** The usage of these calls, added up here. */
function expected(calls: readonly Call[], [from, to]: Hours, groupBy: UsageGrouping): UsageRow[] {
  const groups = Map.groupBy(
    calls.filter(({ hour }) => hour >= from && (to === null || hour < to)),
    ({ hour, model, key }) =>
      ({
        day: new Date(firstHour + hour * hourMs).toISOString().slice(0, 10),
        model,
        key: key ?? '',
      })[groupBy],
  )
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, group]) => {
      const completed = group.filter(({ outcome }) => ['paid', 'completed'].includes(outcome))
      const sum = (add: number): number =>
        completed.reduce((total, { tokens }) => total + tokens + add, 0)
      const paid = group.filter(({ outcome }) => outcome === 'paid')
      return {
        [groupBy]: name,
        calls: group.length,
        aborted_calls: group.filter(({ outcome }) => outcome === 'aborted').length,
        failed_calls: group.filter(({ outcome }) => outcome === 'failed').length,
        input_tokens: sum(0),
        cache_read_tokens: sum(1),
        cache_write_5m_tokens: sum(2),
        cache_write_1h_tokens: sum(3),
        output_tokens: sum(4),
        thinking_tokens: sum(5),
        cost_usd: formatUsd(paid.reduce((total, { tokens }) => total + BigInt(tokens + 1), 0n)),
        latency_ms_p50: middle(group.map(({ latency }) => latency)),
        first_token_ms_p50: middle(group.map(({ firstToken }) => firstToken)),
      }
    })
}

type Hours = [from: number, to: number | null]
const hours: fc.Arbitrary<Hours> = fc
  .tuple(
    fc.integer({ min: -3, max: 24 * 6 }),
    fc.option(fc.integer({ min: 1, max: 24 * 6 }), { freq: 4 }),
  )
  .map(([from, length]) => [from, length === null ? null : from + length])

function sums(workspaceId: string, [from, to]: Hours, groupBy: UsageGrouping): Promise<UsageRow[]> {
  const moment = (hour: number): Date => new Date(firstHour + hour * hourMs)
  const span = { from: moment(from), to: to === null ? null : moment(to) }
  return sumUsage(hone.app.storage, { orgId, workspaceId }, span, groupBy)
}

test('what was added up, what came since and what days have in part make the whole, each call once', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(call, { maxLength: 12 }), { minLength: 1, maxLength: 4 }),
      fc.array(hours, { minLength: 3, maxLength: 3 }),
      fc.integer({ min: 1, max: 4 }),
      async (arrivals, spans, atOnce) => {
        const [workspaceId, other] = [newId(new Date()), newId(new Date())]
        const made: Call[] = []
        const compare = async (): Promise<void> => {
          for (const span of spans) {
            for (const groupBy of usageGroupings) {
              const rows = await sums(workspaceId, span, groupBy)
              assert.deepEqual(rows, expected(made, span, groupBy), groupBy)
            }
          }
        }
        for (const calls of arrivals) {
          await make(workspaceId, calls)
          await make(other, calls.slice(0, 2))
          made.push(...calls)
          await compare()
          await foldCalls(hone.app, atOnce)
          await compare()
        }
      },
    ),
    { numRuns: 25 },
  ))

const many = 45_000

test('processes that add up the same calls at once, while others are made, add each once', async () => {
  const workspaceId = newId(new Date())
  const columns = `workspace_id, model, route, input_tokens, cache_read_tokens, cache_write_5m_tokens,
    cache_write_1h_tokens, output_tokens, thinking_tokens, latency_ms, first_token_ms, created_at`
  const values = `'${workspaceId}', 'm' || i % 3, '', 1, 0, 0, 0, 2, 0, i % 500, i % 50,
    timestamptz '2022-03-01' + i % 72 * interval '1 hour'`
  await inDatabase(
    hone.databaseUrl,
    `insert into ledger_entry (id, request_id, wallet_id, kind, amount, detail, ${columns})
       select id, id, '${orgId}', 'charge', -7, '{}', ${values}
       from (select gen_random_uuid() as id, i from generate_series(1, ${many}) as i) as made;
     insert into usage_record (request_id, org_id, outcome, cost, ${columns})
       select gen_random_uuid(), '${orgId}', 'failed', 0, ${values}
       from generate_series(1, ${many}) as i`,
  )
  const common = { hour: 5, model: 'late', key: null, tokens: 4, latency: 5, firstToken: 2 }
  const late: Call = { ...common, outcome: 'paid' }
  let counting = true
  const counted = (async () => {
    while (counting) {
      const [day] = await sums(workspaceId, [24, 48], 'day')
      assert.equal(day?.calls, (2 * many) / 3)
    }
  })()
  await Promise.all([
    ...Array.from({ length: 3 }, () => foldUsage.run(hone.app)),
    make(workspaceId, Array<Call>(20).fill(late)),
    make(workspaceId, Array<Call>(20).fill({ ...late, outcome: 'failed' })),
  ])
  counting = false
  await counted
  await foldCalls(hone.app, 20)
  const rows = await sums(workspaceId, [0, 72], 'model')
  assert.deepEqual(
    rows.map((row) => [row.model, row.calls, row.failed_calls, row.input_tokens, row.cost_usd]),
    [
      ['late', 40, 20, 80, formatUsd(100n)],
      ...['m0', 'm1', 'm2'].map((model) => [
        model,
        (2 * many) / 3,
        many / 3,
        many / 3,
        formatUsd(BigInt((7 * many) / 3)),
      ]),
    ],
  )
})

test('whole days are not added up again from their calls', async () => {
  const workspaceId = newId(new Date())
  const common = { hour: 30, model: 'a/one', key: null, tokens: 6, latency: 10, firstToken: 3 }
  await make(workspaceId, [
    { ...common, outcome: 'paid' },
    { ...common, outcome: 'failed' },
  ])
  await foldCalls(hone.app, 1)
  const [before] = await sums(workspaceId, [24, 48], 'model')
  assert.equal(before?.calls, 2)
  await inDatabase(
    hone.databaseUrl,
    `alter table ledger_entry disable trigger ledger_append_only;
     delete from ledger_entry where workspace_id = '${workspaceId}';
     alter table ledger_entry enable trigger ledger_append_only;
     delete from usage_record where workspace_id = '${workspaceId}'`,
  )
  assert.deepEqual(await sums(workspaceId, [24, 48], 'model'), [before])
  assert.deepEqual(await sums(workspaceId, [25, 47], 'model'), [])
})

test('durations are counted to within five percent', async () => {
  const taken = [
    0,
    1,
    99,
    100,
    104,
    105,
    199,
    200,
    210,
    499,
    500,
    999,
    1e3,
    5e5,
    123_456,
    7e7,
    2 ** 31 - 1,
  ]
  const values = taken.map((ms) => sql`(${sql.lit(ms)})`)
  const { rows } = await sql<{ ms: number; counted: number }>`
    select ms, ${roundedDuration('ms')} as counted
    from (select generate_series(0, 3000000, 7) as ms union all values ${sql.join(values)}) as one
  `.execute(hone.app.storage.db)
  for (const { ms, counted } of rows) {
    if (ms > 1e8) {
      assert.equal(counted, 1e8)
      continue
    }
    assert.equal(counted, rounded(ms))
    assert.ok(Math.abs(counted - ms) <= 0.05 * ms, `${ms} is counted as ${counted}`)
  }
  const seconds = rows.filter(({ ms }) => 1e3 <= ms && ms < 1e4)
  assert.equal(new Set(seconds.map(({ counted }) => counted)).size, 36)
})

test('a duration that many calls have counts as often', async () => {
  const workspaceId = newId(new Date())
  const common = { hour: 30, model: 'a/one', key: null, tokens: 1, outcome: 'paid' } as const
  const calls = [1, 2, 90, 90, 90].map((ms) => ({ ...common, latency: ms, firstToken: ms - 1 }))
  await make(workspaceId, calls)
  for (const atOnce of [100_000, 1]) {
    await foldCalls(hone.app, atOnce)
    for (const span of [
      [24, 48],
      [24, 47],
    ] satisfies Hours[]) {
      const [row] = await sums(workspaceId, span, 'model')
      assert.deepEqual([row?.latency_ms_p50, row?.first_token_ms_p50], [90, 89])
    }
  }
})

/** How many calls the sums know. */
async function inDays(workspaceId: string): Promise<number> {
  const [row] = await inDatabase<{ calls: string | null }>(
    hone.databaseUrl,
    `select sum(calls) as calls from usage_day where workspace_id = '${workspaceId}' and grouping = 'day'`,
  )
  return Number(row?.calls)
}

test('a wallet or records with fewer calls than are added at once are left alone', async () => {
  const { app } = hone
  await foldCalls(app, 1)
  const workspaceId = newId(new Date())
  const common = { hour: 1, model: 'few', key: null, tokens: 1, latency: 1, firstToken: 1 }
  const known = (): Promise<number> => inDays(workspaceId)
  for (const [outcome, before] of [
    ['paid', 0],
    ['failed', 6],
  ] as const) {
    await make(workspaceId, Array<Call>(2).fill({ ...common, outcome }))
    await foldCalls(app, 3)
    assert.equal(await known(), before, outcome)
    await make(workspaceId, Array<Call>(3).fill({ ...common, outcome }))
    await foldCalls(app, 3)
    assert.equal(await known(), before + 3, outcome)
    await make(workspaceId, [{ ...common, outcome }])
    await foldCalls(app, 3)
    assert.equal(await known(), before + 6, outcome)
    await foldCalls(app, 1)
  }
})

test('calls that are added up while they are read are not read twice', async () => {
  const workspaceId = newId(new Date())
  await make(workspaceId, [
    { hour: 30, model: 'a/one', key: null, outcome: 'paid', tokens: 6, latency: 10, firstToken: 3 },
  ])
  const folding = new Client({ connectionString: hone.databaseUrl })
  await folding.connect()
  try {
    await folding.query('begin; lock table usage_day in access exclusive mode')
    const read = sums(workspaceId, [24, 48], 'model')
    // By then it knows up to where the sums go.
    await until(async () => {
      const { rowCount } = await folding.query(
        `select from pg_locks where relation = 'usage_day'::regclass and not granted`,
      )
      return rowCount === 1
    })
    await folding.query(
      `insert into usage_fold select wallet_id, max(seq), max(seq), 0 from ledger_entry
         where wallet_id = '${orgId}' group by 1
         on conflict (wallet_id) do update set seq = excluded.seq, seen_seq = excluded.seq, seen = 0;
       insert into usage_day (workspace_id, grouping, day, name, calls, aborted_calls, failed_calls, cost, input_tokens,
         cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, output_tokens, thinking_tokens)
       values ('${workspaceId}', 'model', '2022-03-02', 'a/one', 1, 0, 0, 7, 6, 7, 8, 9, 10, 11);
       commit`,
    )
    assert.deepEqual(
      (await read).map(({ calls }) => calls),
      [1],
    )
  } finally {
    await folding.end()
  }
})

test('two that add to the same days change them in one order, so that neither waits for the other for ever', async () => {
  const workspaceId = newId(new Date())
  const common = { hour: 30, model: 'a/one', key: null, tokens: 6, latency: 10, firstToken: 3 }
  await make(workspaceId, [{ ...common, outcome: 'failed' }])
  await foldCalls(hone.app, 1)
  await make(workspaceId, [{ ...common, outcome: 'failed' }])
  const other = new Client({ connectionString: hone.databaseUrl })
  await other.connect()
  const change = (grouping: UsageGrouping): Promise<unknown> =>
    other.query(
      `update usage_day set calls = calls + 1
       where workspace_id = '${workspaceId}' and grouping = '${grouping}'`,
    )
  try {
    await other.query('begin')
    await change('day')
    const folding = foldCalls(hone.app, 1)
    await until(async () => {
      const { rowCount } = await other.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return rowCount === 1
    })
    for (const grouping of ['key', 'model'] as const) await change(grouping)
    await other.query('commit')
    await folding
  } finally {
    await other.end()
  }
  for (const groupBy of usageGroupings) {
    const rows = await sums(workspaceId, [24, 48], groupBy)
    assert.deepEqual(
      rows.map(({ calls }) => calls),
      [3],
    )
  }
})

test('adding up ends after three seconds, and what comes after it on its connection may take longer', async () => {
  const { key } = hone.owner
  const ask = () => hone.call('GET', '/api/analytics/usage', { key })
  assert.equal((await ask()).status, 200)
  const { rows } = await sql<{ ends: string }>`
    select current_setting('statement_timeout') as ends`.execute(hone.app.storage.db)
  assert.notEqual(rows[0]?.ends, '3s')
  const locker = new Client({ connectionString: hone.databaseUrl })
  await locker.connect()
  try {
    await locker.query('begin; lock table usage_day in access exclusive mode')
    const { status, headers, json } = await ask()
    assert.equal(status, 503)
    assert.equal(json.error?.code, 'UNAVAILABLE')
    assert.match(json.error?.message ?? '', /ask for a shorter span/)
    assert.equal(headers.get('retry-after'), '2')
  } finally {
    await locker.end()
  }
  assert.equal((await ask()).status, 200)
})

test('a process that is told to stop adds nothing after what it is at', async () => {
  const { storage } = hone.app
  await foldCalls(hone.app, 1)
  const workspaceId = newId(new Date())
  const common = { hour: 1, model: 'a/one', key: null, tokens: 1, latency: 1, firstToken: 1 }
  await make(workspaceId, Array<Call>(2).fill({ ...common, outcome: 'paid' }))
  await make(workspaceId, Array<Call>(2).fill({ ...common, outcome: 'failed' }))
  let looks = 0
  const stopping = {
    storage,
    operations: {
      get closing() {
        return ++looks > 2
      },
    },
  }
  await foldCalls(stopping, 1)
  assert.equal(await inDays(workspaceId), 1)
})

test('the first and the last of many wallets are added up, each as far as it is', async () => {
  const [first, last] = [
    '00000000-0000-7000-8000-000000000000',
    'ffffffff-ffff-7fff-bfff-ffffffffffff',
  ]
  // From the last to the first, so that nobody finds them in order by chance.
  await inDatabase(
    hone.databaseUrl,
    `with made as (
       insert into org (id, name, created_at)
       select id, '', now() from (
         select '${last}'::uuid as id union all select gen_random_uuid() from generate_series(1, 500)
         union all select '${first}'
       ) as made order by id desc returning id
     )
     insert into wallet (id, balance, leased, reserved) select id, 0, 0, 0 from made`,
  )
  for (const calls of [1, 2]) {
    // The last one's is older than the first one's, which is added up before it.
    for (const id of [last, first]) {
      await inDatabase(
        hone.databaseUrl,
        `insert into ledger_entry (id, request_id, wallet_id, kind, amount, detail, workspace_id, model, route,
           input_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, output_tokens,
           thinking_tokens, latency_ms, created_at)
         values (gen_random_uuid(), gen_random_uuid(), '${id}', 'charge', -7, '{}', '${id}', 'a/one', '',
           1, 0, 0, 0, 1, 0, 5, now())`,
      )
    }
    await foldCalls(hone.app, 1)
    assert.deepEqual(await Promise.all([first, last].map(inDays)), [calls, calls])
  }
})

test('a wallet whose calls cannot be added up does not keep the others from it', async () => {
  const [broken, fine] = [newId(new Date()), newId(new Date())]
  const common = { hour: 1, model: 'a/one', key: null, tokens: 1, latency: 1, firstToken: 1 }
  await inDatabase(
    hone.databaseUrl,
    `create function refuse_day() returns trigger language plpgsql as $$
       begin raise exception 'no room'; end $$;
     create trigger refuse_day before insert on usage_day for each row
       when (new.workspace_id = '${broken}') execute function refuse_day()`,
  )
  await foldCalls(hone.app, 1)
  await make(broken, [{ ...common, outcome: 'paid' }])
  await make(fine, [{ ...common, outcome: 'failed' }])
  await assert.rejects(foldCalls(hone.app, 1), /no room/)
  assert.deepEqual(await Promise.all([broken, fine].map(inDays)), [0, 1])
  await inDatabase(hone.databaseUrl, 'drop trigger refuse_day on usage_day')
  await foldCalls(hone.app, 1)
  assert.deepEqual(await Promise.all([broken, fine].map(inDays)), [1, 1])
})

test('entries of the ledger that are no calls, or have a record beside them, are not counted', async () => {
  const workspaceId = newId(new Date())
  await make(workspaceId, [
    { hour: 30, model: 'a/one', key: null, outcome: 'paid', tokens: 6, latency: 10, firstToken: 3 },
  ])
  // What storage and a training cost, and a charge of an earlier version, which wrote what the call used beside it.
  await inDatabase(
    hone.databaseUrl,
    `insert into ledger_entry (id, wallet_id, kind, amount, workspace_id, request_id, detail, model, created_at)
     values (gen_random_uuid(), '${orgId}', 'storage', -5, '${workspaceId}', null, '{}', null, '2022-03-02'),
       (gen_random_uuid(), '${orgId}', 'training', -5, '${workspaceId}', null, '{}', null, '2022-03-02'),
       (gen_random_uuid(), '${orgId}', 'charge', -5, '${workspaceId}', gen_random_uuid(), '{}', 'a/one', '2022-03-02')`,
  )
  for (const atOnce of [100_000, 1]) {
    await foldCalls(hone.app, atOnce)
    for (const span of [
      [24, 48],
      [24, 47],
      [20, null],
    ] satisfies Hours[]) {
      const rows = await sums(workspaceId, span, 'model')
      assert.deepEqual(
        rows.map(({ calls, cost_usd }) => [calls, cost_usd]),
        [[1, formatUsd(7n)]],
      )
    }
  }
})
