// What a call used that cost nothing: it failed, its client left, or it was free. Any other is a charge in the ledger.
import type { Usage } from '../core/usage.ts'

export type UsageRecord = {
  requestId: string
  orgId: string
  workspaceId: string
  keyId: string | null
  model: string
  route: string
  outcome: 'completed' | 'aborted' | 'failed'
  usage: Usage
  latencyMs: number
  /** Null when nothing was generated. */
  firstTokenMs: number | null
  at: Date
}
