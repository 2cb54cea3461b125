// The ways in which a text writes one character with many: percent, HTML and backslash escapes, and `[at]`.
import { codeOf, flagsOf, hex } from './characters.ts'

/** The character that is meant, where its writing ends, and whether the spaces around it are part of it. */
export type Escape = { code: number; end: number; joins?: boolean }

const entities: Record<string, string> = {
  amp: '&',
  apos: "'",
  bsol: '\\',
  colon: ':',
  commat: '@',
  dash: '-',
  equals: '=',
  gt: '>',
  hyphen: '-',
  lowbar: '_',
  lt: '<',
  nbsp: ' ',
  newline: '\n',
  num: '#',
  period: '.',
  plus: '+',
  quot: '"',
  semi: ';',
  shy: '\u00ad',
  sol: '/',
  tab: '\t',
  zwj: '\u200d',
  zwnj: '\u200c',
}

const disguises: Record<string, number> = {
  at: codeOf.at,
  '@': codeOf.at,
  dot: codeOf.dot,
  '.': codeOf.dot,
  ':': codeOf.colon,
}
const closing: Record<string, string> = { '[': ']', '(': ')', '{': '}' }

/** `%40`, and `%2540` when it was escaped twice. */
export function readPercent(text: string, at: number): Escape | null {
  let digits = at + 1
  if (text.startsWith('25', digits) && isHex(text, digits + 2, 2)) digits += 2
  if (!isHex(text, digits, 2)) return null
  const code = parseInt(text.slice(digits, digits + 2), 16)
  return isPlain(code) ? { code, end: digits + 2 } : null
}

/** `&#64;`, `&#x40;` and the names of a few characters. */
export function readEntity(text: string, at: number): Escape | null {
  const semicolon = text.slice(at, at + 10).indexOf(';')
  if (semicolon < 3) return null
  const name = text.slice(at + 1, at + semicolon)
  const end = at + semicolon + 1
  const numeric = /^#(?:x([0-9a-f]{1,6})|([0-9]{1,7}))$/i.exec(name)
  if (!numeric) {
    const known = Object.hasOwn(entities, name.toLowerCase()) ? entities[name.toLowerCase()] : null
    return known == null ? null : { code: known.charCodeAt(0), end }
  }
  const code = numeric[1] ? parseInt(numeric[1], 16) : Number(numeric[2])
  return code > 0 && code < 0xd800 ? { code, end } : null
}

/** `\n`, `\"`, `\x40` and `\u0040`, behind any number of backslashes, as texts inside texts have them. */
export function readBackslash(text: string, at: number): Escape {
  let next = at
  while (text.charCodeAt(next) === codeOf.backslash) next++
  switch (text[next]) {
    case 'n':
    case 'r':
      return { code: codeOf.newline, end: next + 1 }
    case 't':
      return { code: codeOf.space, end: next + 1 }
    case '"':
      return { code: codeOf.quote, end: next + 1 }
    case '/':
      return { code: codeOf.slash, end: next + 1 }
    case 'u':
      if (isHex(text, next + 1, 4)) {
        const code = parseInt(text.slice(next + 1, next + 5), 16)
        if (code < 0xd800 || code > 0xdfff) return { code, end: next + 5 }
      }
      break
    case 'x':
      if (isHex(text, next + 1, 2)) {
        const code = parseInt(text.slice(next + 1, next + 3), 16)
        if (isPlain(code)) return { code, end: next + 3 }
      }
      break
    default:
  }
  // The rest of the run is no other escape, so it is read as one.
  return { code: codeOf.backslash, end: next }
}

/** `[at]`, `(dot)`, `[.]`, with up to two spaces behind. */
export function readDisguise(text: string, at: number): Escape | null {
  const close = closing[text[at]!]!
  const inside = text.slice(at + 1, at + 5)
  const length = inside.indexOf(close)
  if (length < 1) return null
  const meant = inside.slice(0, length).toLowerCase()
  if (!Object.hasOwn(disguises, meant)) return null
  let end = at + length + 2
  for (let spaces = 0; spaces < 2 && text[end] === ' '; spaces++) end++
  return { code: disguises[meant]!, end, joins: true }
}

function isPlain(code: number): boolean {
  return code === 10 || (code >= 32 && code < 127)
}

function isHex(text: string, from: number, count: number): boolean {
  if (from + count > text.length) return false
  for (let at = from; at < from + count; at++) {
    const code = text.charCodeAt(at)
    if (code > 127 || (flagsOf[code]! & hex) === 0) return false
  }
  return true
}
