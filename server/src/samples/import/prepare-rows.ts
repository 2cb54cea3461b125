// Turns the rows of an import into what is stored, some at a time: read, shaped, redacted, measured.
import { hash } from 'node:crypto'
import { sampleBytesMax } from '#contract/limits.ts'
import { Refusal } from '../../core/refusal.ts'
import { redactJson } from '../redact/redact-json.ts'
import { redactConversations } from '../sample/redact-conversation.ts'
import type { PreparedRow, RefusedRow, RowFeedback, RowOrder, Slice } from './import-messages.ts'
import { orderedId } from './ordered-id.ts'
import { columnsOf } from './row-columns.ts'
import { type RowSource, rowTooLarge } from './row-lines.ts'
import { shapeRow, type ShapedRow } from './shape-row.ts'

export type SliceLimits = { rowsMax: number; charactersMax: number; ms: number }

/** Takes rows from `from` on until the slice is full or its time is over, and writes them into memory that `take` gives. */
export async function prepareSlice(
  source: RowSource,
  order: RowOrder,
  from: number,
  limits: SliceLimits,
  take: (bytes: number) => ArrayBuffer,
): Promise<{ slice: Slice; next: number }> {
  const rows: PreparedRow[] = []
  const refused: RefusedRow[] = []
  const until = performance.now() + limits.ms
  const shaped: { index: number; content: string; row: ShapedRow }[] = []
  let characters = 0
  let next = from
  while (next < source.count && shaped.length < limits.rowsMax) {
    const index = next++
    const read = source.read(index)
    const row = 'refused' in read ? read.refused : shapeOrReason(read.row)
    if (typeof row === 'string') refused.push({ position: index + 1, reason: row })
    else if (!('refused' in read)) shaped.push({ index, content: read.content, row })
    characters += 'refused' in read ? 0 : read.content.length
    if (characters >= limits.charactersMax || performance.now() >= until) break
  }
  const texts = await redactConversations(
    inThisThread,
    shaped.map(({ row }) => row.conversation),
  )
  for (const [at, { index, content, row }] of shaped.entries()) {
    const text = texts[at]
    if (!text || text.bytes > sampleBytesMax) {
      refused.push({ position: index + 1, reason: rowTooLarge })
      continue
    }
    rows.push({
      position: index + 1,
      id: orderedId(order.atMs, index),
      rowKey: keyOf(order, index, content),
      shape: row.shape,
      answered: row.conversation.answer !== null,
      ...text,
      feedback: feedbackOf(row, order, index),
    })
  }
  return { slice: { rows: columnsOf(rows, take), refused }, next }
}

/** This is the thread for work that takes long, so redaction needs no other. */
const inThisThread = { redact: async <T>(value: T): Promise<T> => redactJson(value).value }

function shapeOrReason(row: unknown): ShapedRow | string {
  try {
    return shapeRow(row)
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }
}

function feedbackOf(
  { verdict, correction, conversation }: ShapedRow,
  { goodByDefault, atMs }: RowOrder,
  index: number,
): RowFeedback | null {
  const good = goodByDefault && conversation.answer !== null
  if (verdict === null && !good) return null
  return {
    signalId: orderedId(atMs, index),
    verdict: verdict ?? 'accepted',
    correction: correction === null ? null : redactJson(correction).value,
  }
}

const placeDigits = 7

/** Spec 2, import rule 3: the row's own id, else its place in the file together with its exact content. */
function keyOf(order: RowOrder, index: number, content: string): string {
  const { rowIds, rowOffset, pipelineId } = order
  const into = pipelineId === null ? '' : `in:${pipelineId}:`
  const id = rowIds?.[index]
  // Ids are often addresses of people, and only have to be known again.
  if (id !== undefined) return `${into}id:${hash('sha256', id, 'base64url')}`
  // Padded, so that keys come in the order of their index.
  const place = String(rowOffset + index).padStart(placeDigits, '0')
  return `${into}at:${place}:${hash('sha256', content, 'base64url')}`
}
