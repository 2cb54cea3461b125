// Most of a text is words of small letters that begin nothing, with nothing but spaces and commas between. A table that
// says for each state and character what comes next skips them a few times faster than asking of every word what it
// is. It is right to stop too early, never to go too far.
import { alnum, base64, codeOf, flagsOf, letter, lower } from './characters.ts'
import type { Page } from './page.ts'
import { beginsWord } from './words.ts'

const ascii = 128
/** At this character, which somebody wants to see, or at the word that it is in or behind. */
const stopHere = 0
const stopAtWord = 1
const between = 2
const inWord = 3
/** The states from here on are of words whose first letters may begin something. */
let stateCount = 4
/** So many letters tell almost all words from what is looked for. */
const lettersMax = 5
let next = new Uint16Array(64 * ascii)
const known = new Map<string, number>()

/** The signs that the scan looks at, apart from those that only matter behind a word. */
const askedFor = new Set<number>([
  codeOf.at,
  codeOf.dash,
  codeOf.colon,
  codeOf.pageBreak,
  codeOf.newline,
  codeOf.dot,
  codeOf.semicolon,
  codeOf.backtick,
  codeOf.bar,
  codeOf.tilde,
])

for (let code = 0; code < ascii; code++) {
  next[inWord * ascii + code] = afterLetters(code)
  next[between * ascii + code] = afterSign(code)
}

function afterLetters(code: number): number {
  const flags = flagsOf[code]!
  if ((flags & lower) !== 0) return inWord
  // A digit, a capital, or a longer run that may be a secret.
  if ((flags & (alnum | base64)) !== 0) return stopAtWord
  return askedFor.has(code) ? stopHere : between
}

function afterSign(code: number): number {
  const flags = flagsOf[code]!
  if ((flags & alnum) === 0) return askedFor.has(code) ? stopHere : between
  // The token of a Discord bot begins with one of three capitals.
  if ((flags & letter) === 0 || (code >= 77 && code < 80)) return stopAtWord
  return afterBeginning(String.fromCharCode(code))
}

/** The state behind the first letters of a word. */
function afterBeginning(letters: string): number {
  const isCapital = letters !== letters.toLowerCase() && letters.length === 1
  if (!isCapital && beginsWord(letters) === 'none') return inWord
  let state = known.get(letters)
  if (state !== undefined) return state
  state = newState()
  known.set(letters, state)
  for (let code = 0; code < ascii; code++) {
    const longer = letters + String.fromCharCode(code)
    const begins = beginsWord(longer)
    let after = afterLetters(code)
    // A capital alone may be the first of a national number.
    if (isCapital && (flagsOf[code]! & alnum) === 0) after = stopAtWord
    if (begins !== 'none') {
      const goesOn = begins === 'part' && after === inWord && letters.length < lettersMax
      after = goesOn ? afterBeginning(longer.toLowerCase()) : stopAtWord
    }
    next[state * ascii + code] = after
  }
  return state
}

function newState(): number {
  if ((stateCount + 1) * ascii > next.length) {
    const larger = new Uint16Array(2 * next.length)
    larger.set(next)
    next = larger
  }
  return stateCount++
}

/** From the start of a word to the next thing that must be looked at: the start of another word, or a sign. */
export function skipDull(page: Page, start: number, end: number): number {
  const { codes } = page
  let state = between
  let at = start
  for (; at < end; at++) {
    const code = codes[at]!
    state = code < ascii ? next[state * ascii + code]! : stopAtWord
    if (state <= stopAtWord) break
  }
  page.steps += at - start
  if (state === stopHere) return at
  while (at > start && (flagsOf[codes[at - 1]!]! & alnum) !== 0) at--
  return at
}
