// The private members of a JSON web key, which are told by `kty` in the same object.
import { codeOf } from './characters.ts'
import type { Findings } from './findings.ts'
import type { Kind } from './kinds.ts'
import { blanksEnd, codeAt, hasText, isMixed, type Page, runEnd, runOf } from './page.ts'

type Member = { kind: Kind; min: number; name: string }

/** What each of them is, how long it is at least, and a name that says as much where its object is not seen. */
export const privateMembers = new Map<string, Member>([
  ...['d', 'p', 'q', 'dp', 'dq', 'qi'].map((name): [string, Member] => [
    name,
    { kind: 'private_key', min: 40, name: 'private_key' },
  ]),
  ['k', { kind: 'key', min: 20, name: 'secret_key' }],
])

const blanksMax = 8
/** The members of the longest of such keys stand no further from each other. */
const objectMax = 8192

/** At the end of the name of a member, behind its closing quote. */
export function findPrivateMember(
  page: Page,
  start: number,
  end: number,
  { kind, min }: Member,
  found: Findings,
): void {
  if (codeAt(page, start - 1) !== codeOf.quote) return
  const colon = blanksEnd(page, end, blanksMax)
  if (codeAt(page, colon) !== codeOf.colon) return
  const quote = blanksEnd(page, colon + 1, blanksMax)
  if (codeAt(page, quote) !== codeOf.quote) return
  const stop = runEnd(page, quote + 1, runOf.tokenic)
  if (stop - quote <= min || codeAt(page, stop) !== codeOf.quote) return
  if (isMixed(page, quote + 1, stop) && isInKey(page, start)) found.add(kind, quote + 1, stop)
}

/** Whether the object around is a key; each is walked once. */
function isInKey(page: Page, at: number): boolean {
  const { object } = page
  if (at >= object.start && at < object.end) return object.isKey
  let start = at
  while (at - start < objectMax && !isBorder(codeAt(page, start - 1))) start--
  let end = at
  let isKey = false
  for (; end - at < objectMax && !isBorder(codeAt(page, end)); end++) {
    isKey ||= isType(page, end)
  }
  for (let before = start; before < at && !isKey; before++) isKey = isType(page, before)
  page.steps += 2 * (at - start) + end - at
  object.start = start
  object.end = end
  object.isKey = isKey
  return isKey
}

/** Such an object holds no other. */
function isBorder(code: number): boolean {
  return (
    code === 0 || code === codeOf.pageBreak || code === codeOf.brace || code === codeOf.brace + 2
  )
}

function isType(page: Page, at: number): boolean {
  return page.codes[at] === codeOf.quote && hasText(page, at, '"kty"')
}
