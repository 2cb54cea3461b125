// A password of a few words with digits among them, as `DB_PASS="hunter two 22"`. Behind its name in quotes stand labels and
// messages just as often; those have words of sentences, or a number alone in their middle.
import { codeOf, denseLetter, digit, farLetter, flagsOf, letter, valueEnd } from './characters.ts'
import { isCodeWord } from './code-words.ts'
import { isOfSentences, passphraseOpening } from './find-passphrase.ts'
import { codeAt, flagsAt, type Page, textOf } from './page.ts'

const lengthMin = 6
const lengthMax = 64
/** Where its last word is the only one with digits, and has nothing else, as in labels of two words. */
const numberedMin = 3

/** Words that are too short for a passphrase of letters, ordinals and amounts of time. */
const shortOfSentences =
  /^(is|be|at|in|of|to|on|by|or|if|as|it|no|ago|\d+(st|nd|rd|th|h|d|s|ms|min))$/
/** Sentences count with them, and so do passwords. */
const countWords = /^(one|two|three|four|five|six|seven|eight|nine|ten)$/
const mixed = /\d.*[a-z]|[a-z].*\d/
const number = /^\d+$/

/** Where one ends that begins here, in quotes or as all there is of a text; null where none does. */
export function spacedPasswordStop(page: Page, name: number, value: number): number | null {
  const opening = passphraseOpening(page, name, value)
  if (opening === null || (flagsAt(page, value) & (digit | letter | farLetter | denseLetter)) === 0)
    return null
  const end = spacedEnd(page, value)
  const after = codeAt(page, end)
  const isWhole = opening === 0 ? after === 0 || after === codeOf.pageBreak : after === opening
  if (!isWhole || end - value < lengthMin) return null
  const words = textOf(page, value, end).toLowerCase().split(' ')
  if (words.length < 2 || words.some(isTelling)) return null
  const isMade = words.some((word) => mixed.test(word) && !isCodeWord(word))
  return isMade || (words.length >= numberedMin && number.test(words.at(-1)!)) ? end : null
}

function spacedEnd(page: Page, value: number): number {
  let end = value
  while (end - value < lengthMax && end < page.length && !endsSpaced(page.codes[end]!)) end++
  page.steps += end - value
  return end
}

function endsSpaced(code: number): boolean {
  return code !== codeOf.space && code !== codeOf.ampersand && (flagsOf[code]! & valueEnd) !== 0
}

/** Also the end of a text, and two blanks together. */
function isTelling(word: string): boolean {
  const plain = word.replace(/[.!?:]+$/, '')
  if (countWords.test(plain)) return false
  return plain === '' || shortOfSentences.test(plain) || isOfSentences(plain)
}
