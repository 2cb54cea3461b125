// The ways in which a text writes one character with many: percent, HTML and backslash escapes, and `[at]`.
import { alnum, codeOf, flagsOf, hex } from './characters.ts'
import { WordTrie } from './word-trie.ts'

/** The text, and behind it some characters of code 0, so that nobody has to ask where it ends. */
type Codes = Uint16Array
export const codesBehind = 16

/** The character that is meant, where its writing ends, and whether the spaces around it are part of it. */
export type Escape = { code: number; end: number; joins?: boolean }

const entities = trieOf({
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
})

const disguises = trieOf({ at: '@', '@': '@', dot: '.', '.': '.', ':': ':' })

/** Names of characters, in any case. */
function trieOf(names: Record<string, string>): WordTrie<number> {
  const trie = new WordTrie<number>()
  for (const [name, meant] of Object.entries(names)) trie.add(name, meant.charCodeAt(0))
  return trie
}

/** The character that is named here and closed by this code, with where that is; null when none is. */
function readName(
  codes: Codes,
  from: number,
  names: WordTrie<number>,
  closing: number,
): Escape | null {
  let node = 0
  let at = from
  for (let after = 0; (after = names.step(node, codes[at]!)) !== 0; at++) node = after
  const meant = names.entriesAt(node)
  return meant !== null && codes[at] === closing ? { code: meant[0]!, end: at + 1 } : null
}

/** `%40`, and `%2540` when it was escaped twice. */
export function readPercent(codes: Codes, at: number): Escape | null {
  let digits = at + 1
  let code = readHex(codes, digits, digits + 2)
  if (code === codeOf.percent) {
    const inner = readHex(codes, digits + 2, digits + 4)
    if (inner !== -1) {
      code = inner
      digits += 2
    }
  }
  return isPlain(code) ? { code, end: digits + 2 } : null
}

const entityMax = 10

/** `&#64;`, `&#x40;` and the names of a few characters. */
export function readEntity(codes: Codes, at: number): Escape | null {
  if (codes[at + 1] !== 35) return readName(codes, at + 1, entities, codeOf.semicolon)
  let semicolon = at + 2
  while (semicolon < at + entityMax && isAlnum(codes[semicolon]!)) semicolon++
  if (semicolon === at + entityMax || codes[semicolon] !== codeOf.semicolon) return null
  const isHex = (codes[at + 2]! | 32) === 120
  const code = isHex ? readHex(codes, at + 3, semicolon) : readDecimal(codes, at + 2, semicolon)
  const isWhole = (code > 0 && code < 0xd800) || (code > 0xdfff && code <= 0xffff)
  return isWhole ? { code, end: semicolon + 1 } : null
}

/** `\n`, `\"`, `\x40` and `\u0040`, behind any number of backslashes, as texts inside texts have them. */
export function readBackslash(codes: Codes, at: number): Escape {
  let next = at
  while (codes[next] === codeOf.backslash) next++
  switch (codes[next]) {
    case 110:
    case 114:
      return { code: codeOf.newline, end: next + 1 }
    case 116:
      return { code: codeOf.space, end: next + 1 }
    case 34:
      return { code: codeOf.quote, end: next + 1 }
    case 47:
      return { code: codeOf.slash, end: next + 1 }
    case 117: {
      const code = readHex(codes, next + 1, next + 5)
      if (code !== -1 && (code < 0xd800 || code > 0xdfff)) return { code, end: next + 5 }
      break
    }
    case 120: {
      const code = readHex(codes, next + 1, next + 3)
      if (isPlain(code)) return { code, end: next + 3 }
      break
    }
    default:
  }
  // The rest of the run is no other escape, so it is read as one.
  return { code: codeOf.backslash, end: next }
}

/** `[at]`, `(dot)`, `[.]`, with up to two spaces behind. */
export function readDisguise(codes: Codes, at: number): Escape | null {
  const opening = codes[at]!
  const escape = readName(codes, at + 1, disguises, opening === 40 ? 41 : opening + 2)
  if (escape === null) return null
  let { end } = escape
  for (let spaces = 0; spaces < 2 && codes[end] === codeOf.space; spaces++) end++
  return { code: escape.code, end, joins: true }
}

function isAlnum(code: number): boolean {
  return code < 128 && (flagsOf[code]! & alnum) !== 0
}

function isPlain(code: number): boolean {
  return code === 10 || (code >= 32 && code < 127)
}

/** The number that is written here, or -1. */
function readHex(codes: Codes, from: number, end: number): number {
  if (from >= end) return -1
  let value = 0
  for (let at = from; at < end; at++) {
    const code = codes[at]!
    if (code > 127 || (flagsOf[code]! & hex) === 0) return -1
    value = value * 16 + (code < 58 ? code - 48 : (code | 32) - 87)
  }
  return value
}

function readDecimal(codes: Codes, from: number, end: number): number {
  let value = from < end ? 0 : -1
  for (let at = from; at < end; at++) {
    const code = codes[at]!
    if (code < 48 || code > 57) return -1
    value = value * 10 + code - 48
  }
  return value
}
