// Lists of values as PostgreSQL sends and takes arrays in binary: nothing is quoted, looked for or read again, so a column
// of many rows costs little more than the copying of its bytes. The driver passes bytes on as binary.

const typeOids = { boolean: 16, integer: 23, text: 25, uuid: 2950 } as const
type Type = keyof typeof typeOids

export type Column = Uint8Array<ArrayBuffer>

/** Dimensions, whether there are nulls, the type; then how many elements, and from which number they are counted. */
const headBytes = 20
const sizeBytes = 4
const nullSize = -1

export function textColumn(values: readonly (string | null)[]): Buffer<ArrayBuffer> {
  let bytes = 0
  for (const value of values) bytes += value === null ? 0 : Buffer.byteLength(value)
  return column('text', values, bytes, (into, at, value) => into.write(value, at))
}

export function uuidColumn(values: readonly (string | null)[]): Buffer<ArrayBuffer> {
  let digits = ''
  let nulls = false
  for (const value of values) {
    nulls ||= value === null
    digits += value === null ? 'ffffffff' : `00000010${value}`
  }
  // Together, because each call into the runtime costs more than the id it is about.
  digits = digits.replaceAll('-', '')
  const into = Buffer.allocUnsafeSlow(headBytes + digits.length / 2)
  into.write(digits, headBytes, 'hex')
  writeHead(into, 'uuid', values.length, nulls)
  return into
}

export function integerColumn(values: readonly number[]): Buffer<ArrayBuffer> {
  return column(
    'integer',
    values,
    4 * values.length,
    (into, at, value) => into.writeInt32BE(value, at) - at,
  )
}

export function booleanColumn(values: readonly boolean[]): Buffer<ArrayBuffer> {
  return column(
    'boolean',
    values,
    values.length,
    (into, at, value) => into.writeUInt8(value ? 1 : 0, at) - at,
  )
}

/** `write` answers how many bytes it wrote. The memory is the column's own, so that it can be handed to another thread. */
function column<T>(
  type: Type,
  values: readonly (T | null)[],
  bytesMax: number,
  write: (into: Buffer, at: number, value: T) => number,
): Buffer<ArrayBuffer> {
  const into = Buffer.allocUnsafeSlow(headBytes + sizeBytes * values.length + bytesMax)
  let at = headBytes
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
  writeHead(into, type, values.length, nulls)
  return into.subarray(0, at)
}

/** PostgreSQL takes a dimension without elements for an empty array. */
function writeHead(into: Buffer, type: Type, count: number, nulls: boolean): void {
  for (const [place, word] of [1, nulls ? 1 : 0, typeOids[type], count, 1].entries()) {
    into.writeInt32BE(word, 4 * place)
  }
}

export function readTextColumn(column: Uint8Array): (string | null)[] {
  return readColumn(column, (bytes, at, size) => bytes.toString('utf8', at, at + size))
}

export function readUuidColumn(column: Uint8Array): (string | null)[] {
  return readColumn(column, (bytes, at) => {
    const hex = bytes.toString('hex', at, at + 16)
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
  })
}

export function readIntegerColumn(column: Uint8Array): (number | null)[] {
  return readColumn(column, (bytes, at) => bytes.readInt32BE(at))
}

export function readBooleanColumn(column: Uint8Array): (boolean | null)[] {
  return readColumn(column, (bytes, at) => bytes[at] === 1)
}

function readColumn<T>(
  column: Uint8Array,
  read: (bytes: Buffer, at: number, size: number) => T,
): (T | null)[] {
  const bytes = Buffer.from(column.buffer, column.byteOffset, column.length)
  const values: (T | null)[] = []
  for (let at = headBytes; at < bytes.length;) {
    const size = bytes.readInt32BE(at)
    at += sizeBytes
    values.push(size === nullSize ? null : read(bytes, at, size))
    at += Math.max(size, 0)
  }
  return values
}
