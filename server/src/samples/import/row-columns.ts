// The rows of a slice side by side, as threads pass them on, and back again for the few who look at them one by one.
import type { ImportShape } from '#contract/import.ts'
import type { Verdict } from '#contract/sample.ts'
import * as arrays from '../../storage/binary-array.ts'
import type { PreparedRow, RowColumns } from './import-messages.ts'

export const columnCount = 10

export function columnsOf(
  rows: readonly PreparedRow[],
  take: (bytes: number) => ArrayBuffer,
): RowColumns {
  const shapeCounts: RowColumns['shapeCounts'] = {}
  for (const { shape } of rows) shapeCounts[shape] = (shapeCounts[shape] ?? 0) + 1
  const columns = [
    arrays.uuidColumn(rows.map((row) => row.id)),
    arrays.textColumn(rows.map((row) => row.rowKey)),
    arrays.textColumn(rows.map((row) => row.shape)),
    arrays.booleanColumn(rows.map((row) => row.answered)),
    arrays.integerColumn(rows.map((row) => row.bytes)),
    arrays.textColumn(
      rows.map((row) => row.conversation),
      rows.reduce((sum, { bytes }) => sum + bytes, 0),
    ),
    arrays.textColumn(rows.map((row) => row.searchText)),
    arrays.uuidColumn(rows.map((row) => row.feedback?.signalId ?? null)),
    arrays.textColumn(rows.map((row) => row.feedback?.verdict ?? null)),
    arrays.textColumn(rows.map((row) => row.feedback?.correction ?? null)),
  ]
  return {
    positions: rows.map((row) => row.position),
    shapeCounts,
    reviewed: rows.filter((row) => row.feedback !== null).length,
    columns: arrays.writeColumns(columns, take),
  }
}

export function idsOf({ columns }: RowColumns): string[] {
  const [ids] = arrays.splitColumns(columns)
  return arrays.readUuidColumn(ids as Buffer) as string[]
}

export function rowsOf({ positions, columns }: RowColumns): PreparedRow[] {
  const split = arrays.splitColumns(columns)
  const texts = (at: number): (string | null)[] => arrays.readTextColumn(split[at] as Buffer)
  const uuids = (at: number): (string | null)[] => arrays.readUuidColumn(split[at] as Buffer)
  const [ids, rowKeys, shapes] = [uuids(0), texts(1), texts(2)]
  const answered = arrays.readBooleanColumn(split[3] as Buffer)
  const bytes = arrays.readIntegerColumn(split[4] as Buffer)
  const [conversations, searchTexts] = [texts(5), texts(6)]
  const [signalIds, verdicts, corrections] = [uuids(7), texts(8), texts(9)]
  return positions.map((position, at) => {
    const [signalId, verdict] = [signalIds[at], verdicts[at] as Verdict | null]
    return {
      position,
      id: ids[at] as string,
      rowKey: rowKeys[at] as string,
      shape: shapes[at] as ImportShape,
      answered: answered[at] as boolean,
      conversation: conversations[at] as string,
      searchText: searchTexts[at] ?? null,
      bytes: bytes[at] as number,
      feedback:
        signalId && verdict ? { signalId, verdict, correction: corrections[at] ?? null } : null,
    }
  })
}
