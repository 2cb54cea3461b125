// JSON web tokens, found from the `eyJ` that every encoded JSON header begins with.
import { codeOf } from './characters.ts'
import type { Findings } from './findings.ts'
import { codeAt, hasText, type Page, runEnd, runOf } from './page.ts'

const headerMin = 12
const partsMax = 5

/** Signed tokens have three parts, encrypted ones five; a token cut off behind its payload still tells who it is of. */
export function findJwt(page: Page, start: number, found: Findings): void {
  const tail = page.jwt
  // Many headers may begin in one run, and all of them have the same behind it.
  if (start < tail.start || start >= tail.header) readTail(page, start)
  if (tail.header - start < headerMin) return
  const { parts, longest } = tail
  const payloadIsJson = parts === 2 && hasText(page, tail.header + 1, 'eyj')
  if (parts >= 3 ? longest >= 10 : payloadIsJson && longest >= headerMin) {
    found.add('jwt', start, tail.end)
  }
}

function readTail(page: Page, start: number): void {
  const header = runEnd(page, start, runOf.tokenic)
  let end = header
  let parts = 1
  let longest = 0
  while (parts < partsMax && codeAt(page, end) === codeOf.dot) {
    const next = runEnd(page, end + 1, runOf.tokenic)
    // Encrypted tokens may have an empty second part; unsigned ones end with an empty third.
    if (next === end + 1 && (parts > 1 || codeAt(page, next) !== codeOf.dot)) break
    longest = Math.max(longest, next - end - 1)
    parts++
    end = next
  }
  const tail = page.jwt
  tail.start = start
  tail.header = header
  tail.end = end
  tail.parts = parts
  tail.longest = longest
}
