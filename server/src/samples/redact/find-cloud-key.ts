// Secrets of clouds that have no beginning of their own: they are told by their length and what is spoken of.
import { block, codeOf, lower, upper } from './characters.ts'
import { about, type Findings } from './findings.ts'
import { codeAt, endsWord, flagsAt, isMixed, type Page, runEnd, runOf } from './page.ts'

const awsSecretLength = 40
const azureKeyLength = 88
const twilioTokenLength = 32
/** A word that is shorter is none of them by itself, nor with a sign of base64 before it. */
export const bareSecretMin = twilioTokenLength - 1

/** At the start of a word: a run of base64 of a length that a cloud gives. */
export function findBareSecret(page: Page, word: number, found: Findings): void {
  const before = codeAt(page, word - 1)
  if (before === codeOf.dot) return
  const start = before === codeOf.slash || before === codeOf.plus ? word - 1 : word
  // Inside a path or a longer run, also where the rest of that was replaced.
  if (start < word && !endsWord(page, start - 1)) return
  const end = runEnd(page, word, runOf.base64)
  if (codeAt(page, end) === block) return
  const length = end - start
  if (length === awsSecretLength && isByChance(page, start, end)) {
    found.addNear(about.aws, 'cloud_key', start, end)
  }
  if (length === azureKeyLength && codeAt(page, end - 1) === codeOf.equals) {
    found.addNear(about.azure, 'cloud_key', start, end)
  }
  if (
    length === twilioTokenLength &&
    !hasBothCases(page, start, end) &&
    isMixed(page, start, end)
  ) {
    found.addNear(about.twilio, 'key', start, end)
  }
}

/** Chance puts capitals and small letters among 40 characters about equally often, and hardly ever letters alone. */
const capitalsMin = 5
const capitalsMinAlone = 12
const smallMax = 28

/** Names of things in programs and paths have few capitals. */
function isByChance(page: Page, start: number, end: number): boolean {
  let capitals = 0
  let small = 0
  for (let at = start; at < end; at++) {
    const flags = flagsAt(page, at)
    if ((flags & upper) !== 0) capitals++
    else if ((flags & lower) !== 0) small++
  }
  page.steps += end - start
  const min = capitals + small < end - start ? capitalsMin : capitalsMinAlone
  return capitals >= min && small > 0 && small <= smallMax
}

function hasBothCases(page: Page, start: number, end: number): boolean {
  let seen = 0
  for (let at = start; at < end; at++) seen |= flagsAt(page, at)
  page.steps += end - start
  return (seen & upper) !== 0 && (seen & lower) !== 0
}

/** `sig=` of a shared access signature, its base64 percent-escaped or not. */
export function findSignature(page: Page, body: number, found: Findings): void {
  const end = runEnd(page, body, runOf.base64)
  const isEncoded = end - body >= 43 && codeAt(page, end - 1) === codeOf.equals
  if (isEncoded && endsWord(page, end)) found.add('cloud_key', body, end)
}

/** The signature of a presigned URL, in hex. */
export function findUrlSignature(page: Page, body: number, found: Findings): void {
  const end = runEnd(page, body, runOf.hex)
  if (end - body >= 64 && endsWord(page, end) && isMixed(page, body, end)) {
    found.add('cloud_key', body, end)
  }
}

/** `AccountKey=` and its kin in a connection string. */
export function findAccountKey(page: Page, body: number, found: Findings): void {
  const end = runEnd(page, body, runOf.base64)
  if (end - body >= 32 && endsWord(page, end) && isMixed(page, body, end)) {
    found.add('cloud_key', body, end)
  }
}
