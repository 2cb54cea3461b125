// What one call used, whatever became of it. Only a completed one costs anything.
import type { Usage } from '../core/usage.ts'
import type { Picodollars } from '../lib/money.ts'

export type UsageRecord = {
  requestId: string
  orgId: string
  workspaceId: string
  keyId: string | null
  model: string
  route: string
  outcome: 'completed' | 'aborted' | 'failed'
  usage: Usage
  cost: Picodollars
  latencyMs: number
  /** Null when nothing was generated. */
  firstTokenMs: number | null
  at: Date
}
