// Reads a text as the scanners want it: unseen characters left out, disguised ones folded, escaped ones decoded, and
// markers of earlier redactions put as one block. Every character keeps the place it came from.
import { block, codeOf } from './characters.ts'
import { foldCharacter, foldPair, unseen } from './fold-character.ts'
import { markerAt } from './kinds.ts'
import { newPage, type Page } from './page.ts'
import { readDisguise, readEntity, readPercent, readBackslash, type Escape } from './read-escape.ts'

let codes = new Uint16Array(1024)
let starts = new Uint32Array(1024)
let ends = new Uint32Array(1024)
/** What a long text needed is not kept. */
const keptMax = 1024 * 1024

const special = new Uint8Array(128)
for (const character of '%&\\[({') special[character.charCodeAt(0)] = 1
for (let code = 0; code < 128; code++) if (foldCharacter(code) !== code) special[code] = 2

/** The page is good until the next call: its arrays are used again. */
export function normalize(text: string): Page {
  if (codes.length < text.length) codes = new Uint16Array(Math.max(text.length, 2 * codes.length))
  const plain = copyPlain(text)
  const length = plain === text.length ? plain : foldRest(text, plain)
  const page = newPage(codes, length, plain === text.length ? null : { starts, ends })
  page.steps += text.length
  if (codes.length > keptMax) codes = new Uint16Array(1024)
  if (starts.length > keptMax) [starts, ends] = [new Uint32Array(1024), new Uint32Array(1024)]
  return page
}

/** Most texts are plain ASCII to the end; answers how far this one is. */
function copyPlain(text: string): number {
  const to = codes
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code > 127 || special[code] !== 0) return at
    to[at] = code
  }
  return text.length
}

function foldRest(text: string, plain: number): number {
  if (starts.length < text.length) {
    starts = new Uint32Array(codes.length)
    ends = new Uint32Array(codes.length)
  }
  for (let at = 0; at < plain; at++) {
    starts[at] = at
    ends[at] = at + 1
  }
  let length = plain
  let at = plain
  while (at < text.length) {
    const code = text.charCodeAt(at)
    let folded = code
    let end = at + 1
    if (code < 128) {
      if (special[code] === 2) folded = foldCharacter(code)
      else if (special[code] === 1) {
        const marker = code === codeOf.open ? markerAt(text, at) : null
        if (marker) {
          put(length++, block, at, at + marker.length)
          // A private key spans lines, so what stood behind it stood on another line.
          if (marker.kind === 'private_key') put(length++, codeOf.newline, at, at + marker.length)
          if (marker.kind === 'private_key') put(length++, block, at, at + marker.length)
          at += marker.length
          continue
        }
        const escape = readSpecial(text, at, code)
        if (escape !== null) {
          folded = escape.code < 128 ? escape.code : foldCharacter(escape.code)
          end = escape.end
          if (escape.joins) length = dropSpaces(length)
        }
      }
    } else if (code >= 0xd800 && code < 0xdc00 && at + 1 < text.length) {
      const low = text.charCodeAt(at + 1)
      const pair = foldPair(code, low)
      if (pair !== null) {
        folded = pair
        end = at + 2
      }
    } else folded = foldCharacter(code)
    if (folded !== unseen) put(length++, folded, at, end)
    at = end
  }
  return length
}

function put(index: number, code: number, start: number, end: number): void {
  codes[index] = code
  starts[index] = start
  ends[index] = end
}

/** `bob [at] example` reads as `bob@example`: the spaces before it go too, two at most. */
function dropSpaces(length: number): number {
  let left = length
  while (left > 0 && length - left < 2 && codes[left - 1] === codeOf.space) left--
  return left
}

function readSpecial(text: string, at: number, code: number): Escape | null {
  if (code === codeOf.percent) return readPercent(text, at)
  if (code === codeOf.backslash) return readBackslash(text, at)
  return code === 38 ? readEntity(text, at) : readDisguise(text, at)
}
