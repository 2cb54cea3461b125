// A password of several plain words. Behind its name in quotes stand sentences just as often, which say what a password
// must be or that it was wrong; those have words that no passphrase is made of.
import { codeOf, flagsOf, isQuote, lower, tokenic } from './characters.ts'
import { codeAt, type Page, textOf } from './page.ts'
import { isAllBehindName } from './whole-value.ts'

const wordsMin = 4
const wordsMax = 24
const lettersMin = 3
const lettersMax = 12

const ofSentences = new Set(
  (
    'the and for you your are was were has have had must may can cannot could should shall will would not with from ' +
    'this that than then them they their its his her our one two three four five six seven eight nine ten all any some ' +
    'least most more less too very only also please enter type use used using make choose create set get add show hide ' +
    'forgot forgotten lost reset change changed update confirm confirmed repeat again new old current wrong right ' +
    'incorrect correctly invalid valid missing empty weak strong short long min max minimum maximum length character ' +
    'characters letter letters digit digits number numbers symbol symbols word words uppercase lowercase ' +
    'required optional needed match matches expired secret password passwords passwort passphrase passcode pin ' +
    'username user users login log sign account email name field label string text value hash hashed hashing plain ' +
    'default example sample test testing see how what when where why who which here there into onto out off ' +
    'des les une est pas mot passe votre las los una por con para ist das der die und nicht dein ihr het een niet'
  ).split(' '),
)

/** As long as names are that texts go by. */
const nameMax = 64

/** Whether the name is, or ends, the first word of a text. */
function isInOneWord(page: Page, name: number): boolean {
  let at = name
  while (name - at < nameMax && (flagsOf[codeAt(page, at - 1)]! & tokenic) !== 0) at--
  page.steps += name - at
  const before = codeAt(page, at - 1)
  return before === 0 || before === codeOf.pageBreak
}

/** The quote before a value; 0 for one that is all there is of a text, and null for others. */
export function passphraseOpening(page: Page, name: number, value: number): number | null {
  const opening = codeAt(page, value - 1)
  if (isQuote(opening)) return opening
  return isAllBehindName(page, name, value) && isInOneWord(page, name) ? 0 : null
}

export function isOfSentences(word: string): boolean {
  return ofSentences.has(word)
}

/** Where one ends that begins here, in quotes or as all there is of a text; null where none does. */
export function passphraseStop(page: Page, name: number, value: number): number | null {
  const opening = passphraseOpening(page, name, value)
  if (opening === null) return null
  let at = value
  for (let words = 1; words <= wordsMax; words++) {
    const start = at
    while (at - start <= lettersMax && (flagsOf[codeAt(page, at)]! & lower) !== 0) at++
    page.steps += at - start
    if (at - start < lettersMin || at - start > lettersMax) return null
    if (isOfSentences(textOf(page, start, at))) return null
    const after = codeAt(page, at)
    const ends = opening === 0 ? after === 0 || after === codeOf.pageBreak : after === opening
    if (ends) return words < wordsMin ? null : at
    if (after !== codeOf.space) return null
    at++
  }
  return null
}
