// Calls as rows of one kind, whether they were paid for, which makes them entries of the ledger, or cost nothing; and their sums.
import { type RawBuilder, sql } from 'kysely'
import type { UsageGrouping } from '#contract/analytics.ts'
import { roundedDuration } from './rounded-duration.ts'

type Sql = RawBuilder<unknown>

const tokenColumns = [
  'input_tokens',
  'cache_read_tokens',
  'cache_write_5m_tokens',
  'cache_write_1h_tokens',
  'output_tokens',
  'thinking_tokens',
] as const

export const sumColumns = [
  'calls',
  'aborted_calls',
  'failed_calls',
  'cost',
  ...tokenColumns,
] as const

const facts = sql`${sql.join(tokenColumns.map((column) => sql.ref(column)))}, created_at,
  ${roundedDuration('latency_ms')} as latency, ${roundedDuration('first_token_ms')} as first_token`

export function paidCalls(entries: Sql): Sql {
  return sql`
    select workspace_id, key_id, model, 'completed' as outcome, -amount as cost, ${facts}
    from ${entries} where latency_ms is not null and workspace_id is not null`
}

export function freeCalls(records: Sql): Sql {
  return sql`select workspace_id, key_id, model, outcome, cost, ${facts} from ${records}`
}

export const dayOfCall = sql`(created_at at time zone 'UTC')::date`

export const nameOfGroup = {
  day: sql`${dayOfCall}::text`,
  model: sql`model`,
  key: sql`coalesce(key_id::text, '')`,
} satisfies Record<UsageGrouping, Sql>

/** Tokens are those of completed calls. */
export const sumsOfCalls = sql`
  count(*) as calls,
  count(*) filter (where outcome = 'aborted') as aborted_calls,
  count(*) filter (where outcome = 'failed') as failed_calls,
  sum(cost) as cost,
  ${sql.join(
    tokenColumns.map(
      (column) => sql`
    coalesce(sum(${sql.ref(column)}) filter (where outcome = 'completed'), 0) as ${sql.ref(column)}`,
    ),
  )}`
