// Reads a text as the scanners want it: unseen characters left out, disguised ones folded, escaped ones decoded, and
// markers of earlier redactions put as one block. Every character keeps the place it came from.
import { block, codeOf } from './characters.ts'
import { foldCharacter, foldPair, unseen } from './fold-character.ts'
import { markerAt } from './kinds.ts'
import { newPage, type Page } from './page.ts'
import { Places } from './places.ts'
import {
  codesBehind,
  type Escape,
  readBackslash,
  readDisguise,
  readEntity,
  readPercent,
} from './read-escape.ts'

let codes = new Uint16Array(1024)
let bytes = Buffer.from(codes.buffer)
let places = new Places()
/** What a long text needed is not kept. */
const keptMax = 1024 * 1024

/** What to do with a character: nothing, look whether it begins an escape or marker, or fold it. */
const sorts = new Uint8Array(0x10000).fill(2, 128)
for (let code = 0; code < 128; code++) if (foldCharacter(code) !== code) sorts[code] = 2
for (const character of '%&\\[({') sorts[character.charCodeAt(0)] = 1
/** Any character of the other sorts, which the engine finds far faster than a loop does. */
const notPlain = /[^\t\n\f\r !-$')*-Z\]^-z|}~]/

/** The page is good until the next call: its arrays are used again. */
export function normalize(text: string): Page {
  const needed = text.length + codesBehind
  if (codes.length < needed) keepCodes(Math.max(needed, 2 * codes.length))
  bytes.write(text, 'utf16le')
  codes.fill(0, text.length, needed)
  const plain = text.search(notPlain)
  const length = plain === -1 ? text.length : foldRest(text, plain)
  const page = newPage(text, codes, length, plain === -1 ? null : places)
  page.steps += text.length
  if (codes.length > keptMax) keepCodes(1024)
  return page
}

function keepCodes(length: number): void {
  codes = new Uint16Array(length)
  bytes = Buffer.from(codes.buffer)
}

/** The codes are put where they were read, only further to the front. */
function foldRest(text: string, plain: number): number {
  if (places.indexes.length > keptMax) places = new Places()
  places.count = 0
  let length = plain
  let at = plain
  // Where the last character that was put ended.
  let placed = plain
  while (at < text.length) {
    const code = codes[at]!
    let folded = code
    let end = at + 1
    const sort = sorts[code]
    if (sort === 1) {
      const marker = code === codeOf.open && codes[at + 1] === 114 ? markerAt(text, at) : null
      if (marker) {
        end = at + marker.length
        places.note(length, at, end)
        codes[length++] = block
        // A private key spans lines, so what stood behind it stood on another line.
        if (marker.kind === 'private_key') {
          places.note(length, at, end)
          codes[length++] = codeOf.newline
          places.note(length, at, end)
          codes[length++] = block
        }
        at = placed = end
        continue
      }
      const escape = readSpecial(at, code)
      if (escape !== null) {
        folded = escape.code < 128 ? escape.code : foldCharacter(escape.code)
        end = escape.end
        if (escape.joins) length = dropSpaces(length)
      }
    } else if (sort === 2) {
      if (code < 0xd800 || code >= 0xdc00 || at + 1 === text.length) folded = foldCharacter(code)
      else {
        const pair = foldPair(code, codes[at + 1]!)
        if (pair !== null) {
          folded = pair
          end = at + 2
        }
      }
    }
    if (folded !== unseen) {
      if (end > at + 1 || placed < at) places.note(length, at, end)
      codes[length++] = folded
      placed = end
    }
    at = end
  }
  return length
}

/** `bob [at] example` reads as `bob@example`: the spaces before it go too, two at most. */
function dropSpaces(length: number): number {
  let left = length
  while (left > 0 && length - left < 2 && codes[left - 1] === codeOf.space) left--
  places.forget(left)
  return left
}

function readSpecial(at: number, code: number): Escape | null {
  if (code === codeOf.percent) return readPercent(codes, at)
  if (code === codeOf.backslash) return readBackslash(codes, at)
  return code === 38 ? readEntity(codes, at) : readDisguise(codes, at)
}
