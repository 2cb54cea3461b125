// The records of calls that cost nothing; those that were paid for stand in the ledger.
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
