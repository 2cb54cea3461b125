// What the main thread and the thread that reads imports say to each other.
import type { ImportSettings, ImportShape } from '#contract/import.ts'
import type { PlatformErrorCode } from '#contract/errors.ts'
import type { Verdict } from '#contract/sample.ts'

/** One JSON object, or one row on each line. */
export type ImportFormat = 'json' | 'lines'

export type ToImportThread =
  | { type: 'open'; job: number; format: ImportFormat; sourceRequired: boolean }
  | { type: 'bytes'; job: number; bytes: Uint8Array }
  | { type: 'end'; job: number }
  | { type: 'go'; job: number; order: RowOrder; slices: number }
  /** One slice was dealt with; another may come, in the memory of that one where nobody needs it any more. */
  | { type: 'more'; job: number; memory: ArrayBuffer | null }
  | { type: 'drop'; job: number }
  | { type: 'ping' }

/** What rows are to become, as far as the reading thread has to know. */
export type RowOrder = {
  rowIds: string[] | null
  rowOffset: number
  /** The same name of an import may be used for several pipelines. */
  pipelineId: string | null
  /** Answered rows without feedback of their own count as good. */
  goodByDefault: boolean
  atMs: number
}

export type FromImportThread =
  | { type: 'refused'; job: number; code: PlatformErrorCode; message: string }
  /** The body is read. Settings are null where they stood beside it. */
  | { type: 'ready'; job: number; rows: number; settings: ImportSettings | null }
  | { type: 'slice'; job: number; slice: Slice }
  | { type: 'done'; job: number }
  | { type: 'pong' }

export type Slice = { rows: RowColumns; refused: RefusedRow[] }

export type RefusedRow = { position: number; reason: string }

/** A row as it will be stored: read, redacted and measured. */
export type PreparedRow = {
  /** In this call, counted from 1. */
  position: number
  id: string
  rowKey: string
  shape: ImportShape
  answered: boolean
  conversation: string
  searchText: string | null
  bytes: number
  feedback: RowFeedback | null
}

export type RowFeedback = { signalId: string; verdict: Verdict; correction: string | null }

/**
 * Rows side by side, as the database takes them: all columns are one piece of bytes, which changes hands between threads
 * without being copied or looked at.
 */
export type RowColumns = {
  positions: number[]
  shapeCounts: Partial<Record<ImportShape, number>>
  /** How many bring feedback. */
  reviewed: number
  columns: Uint8Array<ArrayBuffer>
}
