// One sample, ready to be stored: whatever door it came through, it was redacted and measured before it got here.
import type { Giver, Origin, Verdict } from '#contract/sample.ts'

export type NewSample = {
  id: string
  workspaceId: string
  origin: Origin
  source: string
  model: string | null
  /** The version of a pipeline that answered; null where no version did. */
  versionNo: number | null
  tags: string[]
  /** The X-Request-ID its client chose; a repeated one is the same sample. */
  requestId: string | null
  /** Together the identity of an imported row. */
  importId: string | null
  rowKey: string | null
  /** Which of the row shapes an import found. */
  shape: string | null
  answered: boolean
  text: SampleText
  /** Where in the workspace's own bucket the text was put; null keeps it in the database. */
  objectKey: string | null
  signal: NewSignal | null
  createdAt: Date
  expiresAt: Date
}

export type SampleText = {
  /** As stored-text.ts writes it. */
  conversation: string
  /** Null where a search looks at the conversation itself. */
  searchText: string | null
  bytes: number
}

export type NewSignal = {
  id: string
  verdict: Verdict
  correction: string | null
  givenBy: Giver
  gold: boolean
  userId: string | null
  keyId: string | null
}

const dayMs = 24 * 60 * 60 * 1000

export function expiryOf(createdAt: Date, days: number): Date {
  return new Date(createdAt.getTime() + days * dayMs)
}
