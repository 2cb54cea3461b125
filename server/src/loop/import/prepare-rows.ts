// Turns the rows of an import into what is stored, some at a time: read, shaped, redacted, measured.
import { hash } from 'node:crypto'
import { sampleBytesMax } from '#contract/limits.ts'
import { Refusal } from '../../core/refusal.ts'
import { redactJson } from '../redact/redact-json.ts'
import { redactConversations } from '../sample/redact-conversation.ts'
import type { PreparedRow, RowOrder, Slice } from './import-messages.ts'
import { orderedId } from './ordered-id.ts'
import { type RowSource, rowTooLarge } from './row-lines.ts'
import { shapeRow, type ShapedRow } from './shape-row.ts'

export type SliceLimits = { rowsMax: number; charactersMax: number; ms: number }

/** Takes rows from `from` on until the slice is full or its time is over. */
export async function prepareSlice(
  source: RowSource,
  order: RowOrder,
  from: number,
  limits: SliceLimits,
): Promise<{ slice: Slice; next: number }> {
  const slice: Slice = { rows: [], refused: [] }
  const until = performance.now() + limits.ms
  const shaped: { index: number; content: string; row: ShapedRow }[] = []
  let characters = 0
  let next = from
  while (next < source.count && shaped.length < limits.rowsMax) {
    const index = next++
    const read = source.read(index)
    const row = 'refused' in read ? read.refused : shapeOrReason(read.row)
    if (typeof row === 'string') slice.refused.push({ position: index + 1, reason: row })
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
      slice.refused.push({ position: index + 1, reason: rowTooLarge })
      continue
    }
    slice.rows.push({
      position: index + 1,
      id: orderedId(order.atMs, index),
      rowKey: keyOf(order, index, content),
      shape: row.shape,
      answered: row.conversation.answer !== null,
      ...text,
      ...feedbackOf(row, order),
    })
  }
  return { slice, next }
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
  { goodByDefault }: RowOrder,
): Pick<PreparedRow, 'verdict' | 'correction'> {
  if (verdict === null) {
    const good = goodByDefault && conversation.answer !== null
    return { verdict: good ? 'accepted' : null, correction: null }
  }
  return { verdict, correction: correction === null ? null : redactJson(correction).value }
}

/** Spec 2, import rule 3: the row's own id, else its place in the file together with its exact content. */
function keyOf(order: RowOrder, index: number, content: string): string {
  const { rowIds, rowOffset, pipelineId } = order
  const into = pipelineId === null ? '' : `in:${pipelineId}:`
  const id = rowIds?.[index]
  // Ids are often addresses of people, and only have to be known again.
  if (id !== undefined) return `${into}id:${hash('sha256', id, 'base64url')}`
  return `${into}at:${rowOffset + index}:${hash('sha256', content, 'base64url')}`
}
