// The tables as Kysely sees them. Columns keep their wire names; amounts are text because only text carries a
// `numeric` exactly.
import type { ColumnType, Generated } from 'kysely'
import type { VersionTables } from './version-tables.ts'

export type Numeric = ColumnType<string, string, string>
type Json = ColumnType<Record<string, unknown>, string, never>
export type JsonSetting = ColumnType<unknown, string | null, string | null>

export type Database = VersionTables & {
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
    /** Null in a scoring key, which alone names its pipeline. */
    created_by: string | null
    pipeline_id: string | null
    name: string
    secret_hash: Buffer
    prefix: string
    scopes: string[]
    scope_preset: string
    created_at: Date
    expires_at: Date | null
    revoked_at: Date | null
  }
  deployment: {
    id: string
    workspace_id: string
    name: string
    /** Slug of the base model. */
    model: string
    /** These three are hashes of content. */
    base_revision: string | null
    adapter: string | null
    merged: string | null
    pipeline_id: string | null
    version_no: number | null
    attempt_id: string | null
    status:
      | 'serving'
      | 'starting'
      | 'stopped'
      | 'paused_for_funds'
      | 'paused_by_platform'
      | 'failed'
      | 'deleted'
    machine: string
    detail: string | null
    checked_at: Date | null
    created_at: Date
    started_at: Date | null
    ended_at: Date | null
    wake_at: Date | null
    leased_until: Date | null
    leased_by: string | null
    tries: number
    paid_id: string | null
    /** Pico-dollars an hour. */
    paid_price: string | null
    paid_minutes: number | null
    paid_from: Date | null
    revision: number
  }
  replaced_target: {
    id: string
    workspace_id: string
    name: string
    model: string
    base_revision: string | null
    adapter: string | null
    merged: string | null
    machine: string
    stop_at: Date
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
  wallet: { id: string; balance: Numeric; leased: Numeric; reserved: Numeric }
  wallet_lease: {
    id: string
    wallet_id: string
    process_id: string
    amount: Numeric
    held: Numeric
    expires_at: Date
  }
  reservation: {
    id: string
    wallet_id: string
    workspace_id: string
    purpose: string
    reference: string
    amount: Numeric
    /** Null while it is open. */
    charged: Numeric | null
    created_at: Date
    ended_at: Date | null
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
    /** Null for the charge of a call, which the columns after it explain. */
    detail: Json | null
    created_at: Date
    model: string | null
    client_request_id: string | null
    input_tokens: string | null
    cache_read_tokens: string | null
    cache_write_5m_tokens: string | null
    cache_write_1h_tokens: string | null
    output_tokens: string | null
    thinking_tokens: string | null
    price_card: string | null
    route: string | null
    latency_ms: number | null
    first_token_ms: number | null
  }
  price_card: { id: string; prices: Json }
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
    /** Whether it is in the sums of its day. */
    folded: Generated<boolean>
  }
  /** Up to which entry of its ledger a wallet's calls are in the sums of their days, which only plain SQL reads and writes. */
  usage_fold: { wallet_id: string; seq: string; seen_seq: string; seen: number }
  rate_window: { workspace_id: string; minute: Date; requests: string; tokens: string }
  call_claim: { workspace_id: string; process_id: string; places: number; expires_at: Date }
  hang_up_count: {
    workspace_id: string
    window_start: Date
    process_id: string
    aborted: number
    completed: number
    unpaid: number
    paid: number
  }
  pipeline: {
    id: string
    workspace_id: string
    name: string
    name_key: string
    tag: string
    model: string
    model_deployment: string | null
    model_revision: string
    challenger_model: string | null
    challenger_revision: string | null
    tags: string[]
    datasets: string[]
    conditions: JsonSetting
    use_case: string | null
    training: JsonSetting
    builds_on: string
    schedule: JsonSetting
    held_back_percent: number
    promotion_policy: string
    promotion_k: number | null
    promotion_evidence: string
    auto_scoring: boolean
    max_versions: number | null
    judge_named: string | null
    judge_model: string
    enabled: boolean
    paused_for_funds: boolean
    schedule_seen_at: Date | null
    last_skipped: number
    test_sizes: JsonSetting
    shortfall: JsonSetting
    revision: number
    consented_revision: number
    created_at: Date
    updated_at: Date
    deleted_at: Date | null
  }
  sample: {
    workspace_id: string
    id: string
    origin: string
    source: string
    model: string | null
    version_no: number | null
    tags: string[]
    request_id: string | null
    import_id: string | null
    row_key: string | null
    shape: string | null
    answered: boolean
    verdict: string | null
    verdict_by: string | null
    signal_id: string | null
    score: number | null
    object_key: string | null
    bytes: number
    created_at: Date
    expires_at: Date
  }
  sample_text: {
    sample_id: string
    workspace_id: string
    conversation: string
    search_text: string | null
  }
  /** Samples that were stored together and that no segment holds yet. */
  search_queue: { workspace_id: string; id: Generated<string>; sample_ids: string[] }
  search_segment: {
    id: Generated<string>
    workspace_id: string
    first_id: string
    last_id: string
    samples: number
    characters: number
    sample_ids: Buffer
    forgotten_at: Date | null
  }
  search_block: { segment_id: string; first_key: string; entries: Buffer }
  sample_alias: { workspace_id: string; id: string; sample_id: string }
  signal: {
    id: string
    workspace_id: string
    sample_id: string
    verdict: string
    correction: string | null
    given_by: string
    gold: boolean
    score: number | null
    user_id: string | null
    key_id: string | null
    created_at: Date
  }
  pipeline_sample: {
    pipeline_id: string
    sample_id: string
    workspace_id: string
    held_at: Date | null
    used_by: number | null
    used_signal: string | null
    first_used_by: number | null
    learned_by: number | null
    question: Buffer | null
    set_aside: Generated<boolean>
  }
  pipeline_question: {
    pipeline_id: string
    kind: string
    key: Buffer
    question: Buffer
    held_at: Date | null
    first_used_by: number | null
    used_by: number | null
    learned_by: number | null
  }
  capture_config: {
    workspace_id: string
    source: string
    enabled: boolean
    tags: string[]
    sample_rate: number
    retention_days: number | null
    updated_at: Date
  }
  capture_count: {
    workspace_id: string
    source: string
    tag: string
    outcome: string
    calls: string
    missed: string
    last_at: Date
  }
  capture_writer: {
    id: string
    last_group: string
    written_at: Date
  }
  dataset: {
    id: string
    workspace_id: string
    name: string
    name_key: string
    conditions: Json
    revision: number
    created_at: Date
    updated_at: Date
  }
  own_storage: {
    id: string
    workspace_id: string
    endpoint: string
    region: string
    bucket: string
    prefix: string
    force_path_style: boolean
    access_key_id: string
    secret: Buffer | null
    is_default: boolean
    created_at: Date
    updated_at: Date
  }
  object_erasure: {
    storage_id: string
    object_key: string
    workspace_id: string
    sample_id: string
    tries: number
    due_at: Date | null
  }
  sample_storage: {
    workspace_id: string
    tag: string
    place: string
    samples: string
    bytes: string
    /** One of the rows that others were folded into. */
    folded: Generated<boolean>
  }
  storage_day: {
    workspace_id: string
    day: string
    bytes: string
    price: Numeric
    cost: Numeric
  }
  storage_bill: {
    workspace_id: string
    day: string
    bytes: string
    doubted: string | null
    accrued: Numeric
    charged: Numeric
  }
}
