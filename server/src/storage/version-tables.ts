// The tables of versions as Kysely sees them.

export type VersionTables = {
  version: {
    pipeline_id: string
    version_no: number
    attempt_id: string
    attempt_no: number
    reason: string
    model: string
    model_revision: string
    adapter: string | null
    merged: string | null
    builds_on: number | null
    train_rows: number | null
    replayed_rows: number | null
    candidate_pass_rate: number | null
    incumbent_pass_rate: number | null
    live_from: Date
    live_until: Date | null
    rolled_back_at: Date | null
  }
  live_history: {
    pipeline_id: string
    no: number
    version_no: number | null
    live_from: Date
    live_until: Date | null
    moved_by: string
    user_id: string | null
    attempt_id: string | null
  }
}
