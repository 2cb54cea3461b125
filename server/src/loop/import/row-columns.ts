// The rows of a slice side by side, as threads pass them on, and back again for the few who look at them one by one.
import type { ImportShape } from '#contract/import.ts'
import type { Verdict } from '#contract/sample.ts'
import * as arrays from '../../storage/binary-array.ts'
import type { PreparedRow, RowColumns } from './import-messages.ts'

export function columnsOf(rows: readonly PreparedRow[]): RowColumns {
  const shapeCounts: RowColumns['shapeCounts'] = {}
  for (const { shape } of rows) shapeCounts[shape] = (shapeCounts[shape] ?? 0) + 1
  return {
    positions: rows.map((row) => row.position),
    shapeCounts,
    reviewed: rows.filter((row) => row.feedback !== null).length,
    columns: {
      ids: arrays.uuidColumn(rows.map((row) => row.id)),
      rowKeys: arrays.textColumn(rows.map((row) => row.rowKey)),
      shapes: arrays.textColumn(rows.map((row) => row.shape)),
      answered: arrays.booleanColumn(rows.map((row) => row.answered)),
      bytes: arrays.integerColumn(rows.map((row) => row.bytes)),
      conversations: arrays.textColumn(rows.map((row) => row.conversation)),
      searchTexts: arrays.textColumn(rows.map((row) => row.searchText)),
      signalIds: arrays.uuidColumn(rows.map((row) => row.feedback?.signalId ?? null)),
      verdicts: arrays.textColumn(rows.map((row) => row.feedback?.verdict ?? null)),
      corrections: arrays.textColumn(rows.map((row) => row.feedback?.correction ?? null)),
    },
  }
}

/** What changes hands with them. */
export function memoryOf({ columns }: RowColumns): ArrayBuffer[] {
  return Object.values(columns).map((column) => column.buffer)
}

export function idsOf({ columns }: RowColumns): string[] {
  return arrays.readUuidColumn(columns.ids) as string[]
}

export function rowsOf({ positions, columns }: RowColumns): PreparedRow[] {
  const ids = arrays.readUuidColumn(columns.ids)
  const rowKeys = arrays.readTextColumn(columns.rowKeys)
  const shapes = arrays.readTextColumn(columns.shapes)
  const answered = arrays.readBooleanColumn(columns.answered)
  const bytes = arrays.readIntegerColumn(columns.bytes)
  const conversations = arrays.readTextColumn(columns.conversations)
  const searchTexts = arrays.readTextColumn(columns.searchTexts)
  const signalIds = arrays.readUuidColumn(columns.signalIds)
  const verdicts = arrays.readTextColumn(columns.verdicts)
  const corrections = arrays.readTextColumn(columns.corrections)
  return positions.map((position, at) => {
    const [signalId, verdict] = [signalIds[at], verdicts[at] as Verdict | null]
    return {
      position,
      id: ids[at] as string,
      rowKey: rowKeys[at] as string,
      shape: shapes[at] as ImportShape,
      answered: answered[at] as boolean,
      conversation: conversations[at] as string,
      searchText: searchTexts[at] as string,
      bytes: bytes[at] as number,
      feedback:
        signalId && verdict ? { signalId, verdict, correction: corrections[at] ?? null } : null,
    }
  })
}
