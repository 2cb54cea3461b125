// Texts that are written in base64 inside a `data:` URL. They are only noted here; they are read once the page is done.
import { codeOf } from './characters.ts'
import { codeAt, hasText, type Page, runEnd, runOf, textOf } from './page.ts'

/** From the start of a word; of other types nothing could be read. */
export const textUrlOpenings = [
  'data:text/',
  'data:application/json',
  'data:application/xml',
  'data:application/yaml',
  'data:application/x-yaml',
]

const typeMax = 64
const encoding = ';base64'
/** A shorter one holds nothing. */
const encodedMin = 8

/** At the end of the opening. */
export function noteTextUrl(page: Page, end: number): void {
  let comma = end
  while (comma - end < typeMax && isOfType(codeAt(page, comma))) comma++
  page.steps += comma - end
  if (codeAt(page, comma) !== codeOf.comma) return
  if (!hasText(page, comma - encoding.length, encoding)) return
  const stop = runEnd(page, comma + 1, runOf.base64)
  if (stop - comma <= encodedMin) return
  const text = Buffer.from(textOf(page, comma + 1, stop), 'base64').toString()
  page.encoded ??= []
  page.encoded.push({ start: comma + 1, end: stop, text })
}

function isOfType(code: number): boolean {
  return code > codeOf.space && code < 127 && code !== codeOf.comma && code !== codeOf.quote
}
