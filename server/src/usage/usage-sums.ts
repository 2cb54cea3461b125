// The usage of a span of time: whole days as they were added up, and one by one the calls that no day knows yet and those of
// days that are only partly within.
import { type RawBuilder, sql } from 'kysely'
import type { UsageGrouping, UsageRow } from '#contract/analytics.ts'
import { formatUsd } from '../lib/money.ts'
import type { Storage } from '../storage/open-storage.ts'
import { freeCalls, nameOfGroup, paidCalls, sumColumns, sumsOfCalls } from './call-rows.ts'
import { foldedUpTo } from './usage-day-store.ts'
import { type Span, wholeDays } from './whole-days.ts'

type Sql = RawBuilder<unknown>
type Whose = { orgId: string; workspaceId: string }

/** Less than what the pool takes for a database that does not answer. */
const sumMs = 3000

type SumRow = Record<'name' | (typeof sumColumns)[number], string> & {
  latency_ms_p50: number | null
  first_token_ms_p50: number | null
}

export async function sumUsage(
  storage: Storage,
  whose: Whose,
  span: Span,
  groupBy: UsageGrouping,
): Promise<UsageRow[]> {
  const rows = await storage.db
    .transaction()
    // Else a call that is added up meanwhile would be in its day's sum and beside it.
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      await sql`select set_config('statement_timeout', ${String(sumMs)}, true)`.execute(tx)
      const upTo = await foldedUpTo(tx, whose.orgId)
      return (await sumsOf(whose, span, groupBy, upTo).execute(tx)).rows
    })
  return rows.map((row) => ({
    [groupBy]: row.name,
    calls: Number(row.calls),
    aborted_calls: Number(row.aborted_calls),
    failed_calls: Number(row.failed_calls),
    input_tokens: Number(row.input_tokens),
    cache_read_tokens: Number(row.cache_read_tokens),
    cache_write_5m_tokens: Number(row.cache_write_5m_tokens),
    cache_write_1h_tokens: Number(row.cache_write_1h_tokens),
    output_tokens: Number(row.output_tokens),
    thinking_tokens: Number(row.thinking_tokens),
    cost_usd: formatUsd(BigInt(row.cost)),
    latency_ms_p50: row.latency_ms_p50,
    first_token_ms_p50: row.first_token_ms_p50,
  }))
}

function sumsOf(
  whose: Whose,
  span: Span,
  groupBy: UsageGrouping,
  upTo: string,
): RawBuilder<SumRow> {
  const days = wholeDays(span)
  const calls = sql`(${sql.join(callsToRead(whose, span, days, upTo), sql` union all `)}) as call`
  const columns = sql.join(sumColumns.map((column) => sql.ref(column)))
  const sums = sql.join(
    sumColumns.map((column) => sql`sum(${sql.ref(column)}) as ${sql.ref(column)}`),
  )
  const inDays = sql`workspace_id = ${whose.workspaceId} and grouping = ${groupBy}
    and ${days ? amongDays(days) : sql`false`}`
  return sql<SumRow>`
    with of_calls as materialized (
      select ${nameOfGroup[groupBy]} as name, latency, first_token, ${sumsOfCalls}
      from ${calls} group by 1, 2, 3
    ), sums as (
      select name, ${sums} from (
        select name, ${columns} from of_calls
        union all
        select name, ${columns} from usage_day where ${inDays}
      ) as part group by name
    ), durations as (
      select name, ms, sum(latencies) as latencies, sum(first_tokens) as first_tokens from (
        select name, latency as ms, calls as latencies, 0 as first_tokens from of_calls
        union all
        select name, first_token, 0, calls from of_calls where first_token is not null
        union all
        select name, ms, latencies, first_tokens
        from usage_day join usage_day_duration on day_id = id where ${inDays}
      ) as part group by name, ms
    ), ranked as (
      select name, ms,
        sum(latencies) over up_to as latencies, sum(latencies) over whole as all_latencies,
        sum(first_tokens) over up_to as first_tokens, sum(first_tokens) over whole as all_first_tokens
      from durations window up_to as (partition by name order by ms), whole as (partition by name)
    ), middle as (
      select name,
        min(ms) filter (where 2 * latencies >= all_latencies) as latency_ms_p50,
        min(ms) filter (where 2 * first_tokens >= all_first_tokens and all_first_tokens > 0)
          as first_token_ms_p50
      from ranked group by name
    )
    select name, ${columns}, latency_ms_p50, first_token_ms_p50
    from sums join middle using (name) order by name
  `
}

/** Those of days in part, and those of whole days that are not in their sums. */
function callsToRead(
  { orgId, workspaceId }: Whose,
  span: Span,
  days: Span | null,
  upTo: string,
): Sql[] {
  const ofWorkspace = (part: Span): Sql => sql`workspace_id = ${workspaceId} and ${within(part)}`
  const all = (part: Span): Sql[] => [
    paidCalls(sql`(select * from ledger_entry where ${ofWorkspace(part)}) as entry`),
    freeCalls(sql`usage_record where ${ofWorkspace(part)}`),
  ]
  if (!days) return all(span)
  return [
    ...all({ from: span.from, to: days.from }),
    ...(days.to && span.to ? all({ from: days.to, to: span.to }) : []),
    paidCalls(
      sql`(
        select * from ledger_entry where wallet_id = ${orgId} and seq > ${upTo} and ${ofWorkspace(days)}
      ) as entry`,
    ),
    freeCalls(sql`usage_record where not folded and ${ofWorkspace(days)}`),
  ]
}

function within({ from, to }: Span): Sql {
  return to === null
    ? sql`created_at >= ${from}`
    : sql`created_at >= ${from} and created_at < ${to}`
}

function amongDays({ from, to }: Span): Sql {
  const dayOf = (moment: Date): Sql => sql`(${moment}::timestamptz at time zone 'UTC')::date`
  return to === null
    ? sql`day >= ${dayOf(from)}`
    : sql`day >= ${dayOf(from)} and day < ${dayOf(to)}`
}
