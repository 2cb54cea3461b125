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
/** What they begin with, without what tells capitals from small letters. */
const disguiseStarts = new Set(Object.keys(disguises).map((meant) => meant.charCodeAt(0) | 32))
/** Where the bracket closes at the latest. */
const disguiseMax = 4

/** `%40`, and `%2540` when it was escaped twice. */
export function readPercent(text: string, at: number): Escape | null {
  let digits = at + 1
  let code = readHex(text, digits, digits + 2)
  if (code === codeOf.percent) {
    const inner = readHex(text, digits + 2, digits + 4)
    if (inner !== -1) {
      code = inner
      digits += 2
    }
  }
  return isPlain(code) ? { code, end: digits + 2 } : null
}

const entityMax = 10

/** `&#64;`, `&#x40;` and the names of a few characters. */
export function readEntity(text: string, at: number): Escape | null {
  let semicolon = at + 1
  while (semicolon < at + entityMax && text.charCodeAt(semicolon) !== codeOf.semicolon) semicolon++
  if (semicolon < at + 3 || semicolon === at + entityMax) return null
  const end = semicolon + 1
  if (text.charCodeAt(at + 1) !== 35) {
    const name = text.slice(at + 1, semicolon).toLowerCase()
    return Object.hasOwn(entities, name) ? { code: entities[name]!.charCodeAt(0), end } : null
  }
  const isHex = (text.charCodeAt(at + 2) | 32) === 120
  const code = isHex ? readHex(text, at + 3, semicolon) : readDecimal(text, at + 2, semicolon)
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
    case 'u': {
      const code = readHex(text, next + 1, next + 5)
      if (code !== -1 && (code < 0xd800 || code > 0xdfff)) return { code, end: next + 5 }
      break
    }
    case 'x': {
      const code = readHex(text, next + 1, next + 3)
      if (isPlain(code)) return { code, end: next + 3 }
      break
    }
    default:
  }
  // The rest of the run is no other escape, so it is read as one.
  return { code: codeOf.backslash, end: next }
}

/** `[at]`, `(dot)`, `[.]`, with up to two spaces behind. */
export function readDisguise(text: string, at: number): Escape | null {
  if (!disguiseStarts.has(text.charCodeAt(at + 1) | 32)) return null
  const opening = text.charCodeAt(at)
  const closing = opening === 40 ? 41 : opening + 2
  let inside = 2
  while (inside <= disguiseMax && text.charCodeAt(at + inside) !== closing) inside++
  if (inside > disguiseMax) return null
  const meant = text.slice(at + 1, at + inside).toLowerCase()
  if (!Object.hasOwn(disguises, meant)) return null
  let end = at + inside + 1
  for (let spaces = 0; spaces < 2 && text[end] === ' '; spaces++) end++
  return { code: disguises[meant]!, end, joins: true }
}

function isPlain(code: number): boolean {
  return code === 10 || (code >= 32 && code < 127)
}

/** The number that is written here, or -1. */
function readHex(text: string, from: number, end: number): number {
  if (from >= end || end > text.length) return -1
  let value = 0
  for (let at = from; at < end; at++) {
    const code = text.charCodeAt(at)
    if (code > 127 || (flagsOf[code]! & hex) === 0) return -1
    value = value * 16 + (code < 58 ? code - 48 : (code | 32) - 87)
  }
  return value
}

function readDecimal(text: string, from: number, end: number): number {
  let value = from < end ? 0 : -1
  for (let at = from; at < end; at++) {
    const code = text.charCodeAt(at)
    if (code < 48 || code > 57) return -1
    value = value * 10 + code - 48
  }
  return value
}
