// Versions and the history of a name as their readers see them.
import type { AttemptReason } from '#contract/attempt.ts'
import type { LiveEntry, MovedBy, Version } from '#contract/version.ts'
import type * as store from './version-store.ts'

export function describeVersion(row: store.VersionRow): Version {
  return {
    version_no: row.version_no,
    attempt_id: row.attempt_id,
    attempt_no: row.attempt_no,
    reason: row.reason as AttemptReason,
    candidate_pass_rate: row.candidate_pass_rate,
    incumbent_pass_rate: row.incumbent_pass_rate,
    lineage: {
      model: row.model,
      revision: row.model_revision,
      builds_on: row.builds_on,
      samples: {
        new: row.train_rows === null ? null : row.train_rows - (row.replayed_rows ?? 0),
        replayed: row.replayed_rows,
      },
      parents: [],
    },
    benchmark_scores: [],
    live_from: row.live_from.toISOString(),
    live_until: row.live_until?.toISOString() ?? null,
    rolled_back_at: row.rolled_back_at?.toISOString() ?? null,
  }
}

export function describeLiveEntry(row: store.LiveEntry): LiveEntry {
  return {
    version_no: row.version_no,
    from: row.live_from.toISOString(),
    until: row.live_until?.toISOString() ?? null,
    moved_by: row.moved_by as MovedBy,
    user_id: row.user_id,
    attempt_id: row.attempt_id,
  }
}

/** When an attempt was live, as its own record says it; null where it never was. */
export function describeLiveSpan(span: store.LiveSpan | null): {
  live_from: string | null
  live_until: string | null
} {
  return {
    live_from: span?.live_from.toISOString() ?? null,
    live_until: span?.live_until?.toISOString() ?? null,
  }
}
