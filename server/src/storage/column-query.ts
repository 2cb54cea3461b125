// A prepared statement whose first parameters are columns, sent as the bytes they are. The driver's own way copies
// parameters again and again while its message grows, and copies of that size make the whole process collect garbage.
import pg from 'pg'

/** Written one behind the other by `writeColumns`. */
export type SentColumns = { count: number; bytes: Uint8Array }

export type ColumnStatement = {
  name: string
  text: string
  columns: SentColumns
  /** The parameters behind the columns. */
  rest: readonly (string | null)[]
}

/** What the driver remembers about a connection's prepared statements. */
type Connection = pg.Connection & {
  parsedStatements: Record<string, string>
  submittedNamedStatements: Record<string, string>
}

export function columnQuery({ name, text, columns, rest }: ColumnStatement): pg.Query {
  const query = new pg.Query({ name, text })
  const [before, behind] = bindAround(name, columns, rest)
  query.submit = (given) => {
    const connection = given as Connection
    const { stream } = connection
    stream.cork()
    if (connection.parsedStatements[name] === undefined) {
      connection.parse({ name, text, types: [] }, true)
      connection.submittedNamedStatements[name] = text
    }
    stream.write(before)
    stream.write(columns.bytes)
    stream.write(behind)
    connection.describe({ type: 'P', name: '' }, true)
    connection.execute({ portal: '', rows: '' }, true)
    connection.sync()
    stream.uncork()
    return null
  }
  return query
}

const bindCode = 0x42
const [textFormat, binaryFormat] = [0, 1]
const nullSize = -1

/** The message that binds the parameters, up to the columns and from behind them on. */
function bindAround(
  name: string,
  columns: SentColumns,
  rest: readonly (string | null)[],
): [Buffer, Buffer] {
  const count = columns.count + rest.length
  const portalAndName = Buffer.from(`\0${name}\0`)
  const formats = [
    count,
    ...Array<number>(columns.count).fill(binaryFormat),
    ...Array<number>(rest.length).fill(textFormat),
  ]
  const behind = Buffer.concat([...rest.map(parameter), shorts([1, textFormat])])
  const head = Buffer.concat([portalAndName, shorts(formats), shorts([count])])
  const size = Buffer.alloc(5)
  size.writeUInt8(bindCode)
  size.writeInt32BE(4 + head.length + columns.bytes.length + behind.length, 1)
  return [Buffer.concat([size, head]), behind]
}

function parameter(value: string | null): Buffer {
  const bytes = Buffer.from(value ?? '')
  const size = Buffer.alloc(4)
  size.writeInt32BE(value === null ? nullSize : bytes.length)
  return Buffer.concat([size, bytes])
}

function shorts(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length)
  for (const [at, value] of values.entries()) bytes.writeInt16BE(value, 2 * at)
  return bytes
}
