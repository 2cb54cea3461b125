// The records of calls that cost nothing, and the sums over all calls: those that were paid for stand in the ledger.
import { sql } from 'kysely'
import type { UsageGrouping, UsageRow } from '#contract/analytics.ts'
import { formatUsd } from '../lib/money.ts'
import { plainArray, textArray } from '../storage/array-literal.ts'
import type { Storage } from '../storage/open-storage.ts'
import type { UsageRecord } from './usage-record.ts'

export async function insertUsage(
  storage: Storage,
  records: readonly UsageRecord[],
): Promise<void> {
  const plain = (read: (record: UsageRecord) => string | number | null): string =>
    plainArray(records.map(read))
  const text = (read: (record: UsageRecord) => string): string => textArray(records.map(read))
  await storage.pool.query(
    'insert_usage',
    `insert into usage_record (
       request_id, org_id, workspace_id, key_id, model, route, outcome, input_tokens,
       cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, output_tokens,
       thinking_tokens, latency_ms, first_token_ms, created_at, cost
     )
     select *, 0 from unnest(
       $1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::bigint[],
       $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::integer[],
       $15::integer[], $16::timestamptz[])
     on conflict (request_id) do nothing`,
    [
      plain((record) => record.requestId),
      plain((record) => record.orgId),
      plain((record) => record.workspaceId),
      plain((record) => record.keyId),
      text((record) => record.model),
      text((record) => record.route),
      text((record) => record.outcome),
      plain((record) => record.usage.inputTokens),
      plain((record) => record.usage.cacheReadTokens),
      plain((record) => record.usage.cacheWrite5mTokens),
      plain((record) => record.usage.cacheWrite1hTokens),
      plain((record) => record.usage.outputTokens),
      plain((record) => record.usage.thinkingTokens),
      plain((record) => record.latencyMs),
      plain((record) => record.firstTokenMs),
      plain((record) => record.at.toISOString()),
    ],
  )
}

/** As they are stored: many are sorted, and few are written out. */
const groups = {
  day: sql`(created_at at time zone 'UTC')::date`,
  model: sql`model`,
  key: sql`key_id`,
} satisfies Record<UsageGrouping, unknown>

/** Less than what the pool takes for a database that does not answer. */
const sumMs = 3000

type SumRow = Record<'name' | 'calls' | 'aborted' | 'failed' | 'cost', string> &
  Record<'input' | 'cache_read' | 'write_5m' | 'write_1h' | 'output' | 'thinking', string> & {
    latency_ms_p50: number | null
    first_token_ms_p50: number | null
  }

export async function sumUsage(
  storage: Storage,
  { orgId, workspaceId }: { orgId: string; workspaceId: string },
  range: { from: Date; to: Date | null; groupBy: UsageGrouping },
): Promise<UsageRow[]> {
  const before = range.to === null ? sql`` : sql`and created_at < ${range.to}`
  const group = groups[range.groupBy]
  const sums = sql<SumRow>`
    select coalesce((${group})::text, '') as name, count(*) as calls,
      count(*) filter (where outcome = 'aborted') as aborted,
      count(*) filter (where outcome = 'failed') as failed,
      sum(cost) as cost,
      coalesce(sum(input_tokens) filter (where outcome = 'completed'), 0) as input,
      coalesce(sum(cache_read_tokens) filter (where outcome = 'completed'), 0) as cache_read,
      coalesce(sum(cache_write_5m_tokens) filter (where outcome = 'completed'), 0) as write_5m,
      coalesce(sum(cache_write_1h_tokens) filter (where outcome = 'completed'), 0) as write_1h,
      coalesce(sum(output_tokens) filter (where outcome = 'completed'), 0) as output,
      coalesce(sum(thinking_tokens) filter (where outcome = 'completed'), 0) as thinking,
      percentile_disc(0.5) within group (order by latency_ms) as latency_ms_p50,
      percentile_disc(0.5) within group (order by first_token_ms) as first_token_ms_p50
    from call_usage
    where org_id = ${orgId} and workspace_id = ${workspaceId}
      and created_at >= ${range.from} ${before}
    group by ${group} order by name
  `
  const { rows } = await storage.db.transaction().execute(async (tx) => {
    await sql`select set_config('statement_timeout', ${String(sumMs)}, true)`.execute(tx)
    return sums.execute(tx)
  })
  return rows.map((row) => ({
    [range.groupBy]: row.name,
    calls: Number(row.calls),
    aborted_calls: Number(row.aborted),
    failed_calls: Number(row.failed),
    input_tokens: Number(row.input),
    cache_read_tokens: Number(row.cache_read),
    cache_write_5m_tokens: Number(row.write_5m),
    cache_write_1h_tokens: Number(row.write_1h),
    output_tokens: Number(row.output),
    thinking_tokens: Number(row.thinking),
    cost_usd: formatUsd(BigInt(row.cost)),
    latency_ms_p50: row.latency_ms_p50,
    first_token_ms_p50: row.first_token_ms_p50,
  }))
}
