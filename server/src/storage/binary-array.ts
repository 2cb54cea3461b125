// Lists of values as PostgreSQL sends and takes arrays in binary: nothing is quoted, looked for or read again, so a column
// of many rows costs little more than the copying of its bytes. Columns stand one behind the other in one piece of memory,
// as parameters of a statement do on the wire: each behind its size.

const typeOids = { boolean: 16, integer: 23, text: 25, float: 701, uuid: 2950 } as const
type Type = keyof typeof typeOids

/** A column that can be written where there is room for so many bytes; `write` answers where it ended. */
export type Column = { bytesMax: number; write(into: Buffer, at: number): number }

/** Dimensions, whether there are nulls, the type; then how many elements, and from which number they are counted. */
const headBytes = 20
const sizeBytes = 4
const nullSize = -1
const uuidBytes = 16

/** `bytesMax` where it is known how many bytes the texts have at most. */
export function textColumn(values: readonly (string | null)[], bytesMax?: number): Column {
  const bytes = bytesMax ?? mostBytes(values)
  return column('text', values, bytes, (into, at, value) => into.write(value, at))
}

/** Cheaper than to count them: no part of a character takes more than three. */
function mostBytes(values: readonly (string | null)[]): number {
  let characters = 0
  for (const value of values) characters += value?.length ?? 0
  return 3 * characters
}

export function uuidColumn(values: readonly (string | null)[]): Column {
  return {
    bytesMax: headBytes + (sizeBytes + uuidBytes) * values.length,
    write(into, at) {
      let digits = ''
      let nulls = false
      for (const value of values) {
        nulls ||= value === null
        digits += value === null ? 'ffffffff' : `00000010${value}`
      }
      writeHead(into, at, 'uuid', values.length, nulls)
      // Together, because each call into the runtime costs more than the id it is about.
      const start = at + headBytes
      return start + into.write(digits.replaceAll('-', ''), start, 'hex')
    },
  }
}

export function integerColumn(values: readonly (number | null)[]): Column {
  return column(
    'integer',
    values,
    4 * values.length,
    (into, at, value) => into.writeInt32BE(value, at) - at,
  )
}

export function floatColumn(values: readonly number[]): Column {
  return column(
    'float',
    values,
    8 * values.length,
    (into, at, value) => into.writeDoubleBE(value, at) - at,
  )
}

export function booleanColumn(values: readonly boolean[]): Column {
  return column(
    'boolean',
    values,
    values.length,
    (into, at, value) => into.writeUInt8(value ? 1 : 0, at) - at,
  )
}

/** `write` answers how many bytes it wrote. */
function column<T>(
  type: Type,
  values: readonly (T | null)[],
  bytesMax: number,
  write: (into: Buffer, at: number, value: T) => number,
): Column {
  return {
    bytesMax: headBytes + sizeBytes * values.length + bytesMax,
    write(into, start) {
      let at = start + headBytes
      let nulls = false
      for (const value of values) {
        if (value === null) {
          nulls = true
          at = into.writeInt32BE(nullSize, at)
        } else {
          const size = write(into, at + sizeBytes, value)
          into.writeInt32BE(size, at)
          at += sizeBytes + size
        }
      }
      writeHead(into, start, type, values.length, nulls)
      return at
    },
  }
}

/** PostgreSQL takes a dimension without elements for an empty array. */
function writeHead(into: Buffer, at: number, type: Type, count: number, nulls: boolean): void {
  for (const [place, word] of [1, nulls ? 1 : 0, typeOids[type], count, 1].entries()) {
    into.writeInt32BE(word, at + 4 * place)
  }
}

/** Writes them into memory that `take` gives for so many bytes, and answers the part that they fill. */
export function writeColumns(
  columns: readonly Column[],
  take: (bytes: number) => ArrayBuffer,
): Buffer<ArrayBuffer> {
  const bytes = columns.reduce((sum, { bytesMax }) => sum + sizeBytes + bytesMax, 0)
  const into = Buffer.from(take(bytes))
  let at = 0
  for (const one of columns) {
    const end = one.write(into, at + sizeBytes)
    into.writeInt32BE(end - at - sizeBytes, at)
    at = end
  }
  return into.subarray(0, at)
}

/** The columns that were written together, each without its size. */
export function splitColumns(written: Uint8Array): Buffer[] {
  const bytes = Buffer.from(written.buffer, written.byteOffset, written.length)
  const columns: Buffer[] = []
  for (let at = 0; at < bytes.length;) {
    const start = at + sizeBytes
    at = start + bytes.readInt32BE(at)
    columns.push(bytes.subarray(start, at))
  }
  return columns
}

export function readTextColumn(column: Buffer): (string | null)[] {
  return readColumn(column, (at, size) => column.toString('utf8', at, at + size))
}

export function readUuidColumn(column: Buffer): (string | null)[] {
  const hex = column.toString('hex')
  return readColumn(column, (start) => {
    const at = 2 * start
    return `${hex.slice(at, at + 8)}-${hex.slice(at + 8, at + 12)}-${hex.slice(at + 12, at + 16)}-${hex.slice(at + 16, at + 20)}-${hex.slice(at + 20, at + 32)}`
  })
}

export function readIntegerColumn(column: Buffer): (number | null)[] {
  return readColumn(column, (at) => column.readInt32BE(at))
}

export function readBooleanColumn(column: Buffer): (boolean | null)[] {
  return readColumn(column, (at) => column[at] === 1)
}

function readColumn<T>(column: Buffer, read: (at: number, size: number) => T): (T | null)[] {
  const values: (T | null)[] = []
  for (let at = headBytes; at < column.length;) {
    const size = column.readInt32BE(at)
    at += sizeBytes
    values.push(size === nullSize ? null : read(at, size))
    at += Math.max(size, 0)
  }
  return values
}
