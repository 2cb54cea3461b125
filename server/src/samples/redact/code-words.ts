// What stands behind the name of a secret in programs and is none: types, ways of encoding, and other names of the same thing.
import { digit } from './characters.ts'
import { codeAt, flagsAt, hasText, type Page, textOf } from './page.ts'

/** Those with a digit; words without one are taken for no secret anyway. */
const words = new Set(
  (
    'uint8array uint8clampedarray uint16array uint32array int8array int16array int32array float32array float64array ' +
    'bigint64array biguint64array uint16 uint32 uint64 float32 float64 decimal128 varchar2 nvarchar2 base32 base58 base64 ' +
    'base64url latin1 utf16le sha256 sha384 sha512 sha-256 sha-384 sha-512 sha3-256 argon2 argon2i argon2id pbkdf2 blake2b'
  ).split(' '),
)
const wordMax = Math.max(...[...words].map((word) => word.length))

export function isCodeWordAt(page: Page, start: number, end: number): boolean {
  return end - start <= wordMax && isCodeWord(textOf(page, start, end).toLowerCase())
}

export function isCodeWord(word: string): boolean {
  return words.has(word)
}

/** Compilers number the names of things they find twice: `Token$1`, `token_2`. */
const numberMax = 2

/** Whether a value ends with the name that it is given to, as in `Token = BracketToken$1`; chance ends none so. */
export function endsWithName(page: Page, name: string, end: number): boolean {
  let at = end
  while (end - at < numberMax && (flagsAt(page, at - 1) & digit) !== 0) at--
  const isNumbered = at < end && (codeAt(page, at - 1) === 36 || codeAt(page, at - 1) === 95)
  const stop = isNumbered ? at - 1 : end
  return hasText(page, stop - name.length, name)
}

const zero = 48
const timeShape = '0000-00-00t00:00'

/** `2026-05-01T10:00` and what follows. */
export function isTime(page: Page, start: number): boolean {
  for (let at = 0; at < timeShape.length; at++) {
    const shape = timeShape.charCodeAt(at)
    const isDigit = (flagsAt(page, start + at) & digit) !== 0
    if (shape === zero ? !isDigit : (codeAt(page, start + at) | 32) !== (shape | 32)) return false
  }
  page.steps += timeShape.length
  return true
}
