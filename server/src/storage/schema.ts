// The tables as Kysely sees them. Columns keep their wire names; amounts are text because only text carries a
// `numeric` exactly.
import type { ColumnType, Generated } from 'kysely'

type Numeric = ColumnType<string, string, string>
type Json = ColumnType<Record<string, unknown>, string, never>

export type Database = {
  org: { id: string; name: string; created_at: Date }
  workspace: { id: string; org_id: string; name: string; created_at: Date }
  person: { id: string; email: string; name: string; password_hash: string; created_at: Date }
  member: {
    org_id: string
    user_id: string
    role: string
    all_workspaces: boolean
    created_at: Date
  }
  workspace_member: { workspace_id: string; user_id: string }
  session: {
    id: string
    user_id: string
    created_at: Date
    expires_at: Date
    revoked_at: Date | null
  }
  api_key: {
    id: string
    workspace_id: string
    created_by: string
    name: string
    secret_hash: Buffer
    prefix: string
    scopes: string[]
    scope_preset: string
    created_at: Date
    expires_at: Date | null
    revoked_at: Date | null
  }
  login_try: { id: string; address: string; account: string; created_at: Date }
  audit_event: {
    id: string
    org_id: string
    workspace_id: string | null
    user_id: string | null
    key_id: string | null
    action: string
    target_id: string | null
    detail: Json
    created_at: Date
  }
  wallet: { id: string; balance: Numeric; leased: Numeric }
  wallet_lease: {
    id: string
    wallet_id: string
    process_id: string
    amount: Numeric
    held: Numeric
    expires_at: Date
  }
  ledger_entry: {
    seq: Generated<string>
    id: string
    wallet_id: string
    kind: string
    amount: Numeric
    workspace_id: string | null
    key_id: string | null
    request_id: string | null
    idempotency_key: string | null
    detail: Json
    created_at: Date
  }
  prompt_cache_entry: {
    workspace_id: string
    model: string
    prefix_hash: Buffer
    ttl: string
    tokens: number | null
    expires_at: Date
  }
  usage_record: {
    request_id: string
    org_id: string
    workspace_id: string
    key_id: string | null
    model: string
    route: string
    outcome: string
    input_tokens: string
    cache_read_tokens: string
    cache_write_5m_tokens: string
    cache_write_1h_tokens: string
    output_tokens: string
    thinking_tokens: string
    cost: Numeric
    latency_ms: number
    first_token_ms: number | null
    created_at: Date
  }
  rate_window: { workspace_id: string; minute: Date; requests: string; tokens: string }
}
