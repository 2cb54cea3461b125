// What the body of an import is when it is not what it should be, told by how it begins.
import { withoutMark } from '../../lib/utf8-text.ts'

const gzip = Buffer.from([0x1f, 0x8b])
const utf16 = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])]
const newline = 0x0a

/** A sentence for who sent bytes that are no text in UTF-8 at all; null for any others. */
export function oddEncoding(head: Buffer): string | null {
  const first = head.subarray(0, 2)
  if (first.equals(gzip)) return 'The body is packed with gzip; send it unpacked.'
  if (utf16.some((mark) => first.equals(mark))) return 'The body is UTF-16; send it as UTF-8.'
  return null
}

/** Whether the first line is a JSON object and further ones follow, in a body that is no JSON as a whole. */
export function beginsWithRow(head: Buffer): boolean {
  const end = head.indexOf(newline)
  if (end === -1) return false
  const line = withoutMark(head.toString('utf8', 0, end))
  if (!line.trimStart().startsWith('{')) return false
  try {
    JSON.parse(line)
    return true
  } catch {
    return false
  }
}
