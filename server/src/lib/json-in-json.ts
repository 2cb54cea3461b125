// Long texts that go from one JSON text into another. To write one anew means to look at each of its characters; what stood
// between its quotes there can stand between quotes here, and is copied in one go. Whoever reads or writes JSON around such a
// text has a stand-in in its place.
import { randomUUID } from 'node:crypto'

/** Nobody outside can know it, so that nothing else is ever taken for it. */
export const standIn = randomUUID()
const standInJson = JSON.stringify(standIn)

/** Below this there is nothing to gain. */
const charactersMin = 512

const quote = '"'
const backslash = 0x5c

/** Matches up to and with the quote that opens a string of that name. */
export function openingOf(name: string): RegExp {
  return new RegExp(`"${name}"\\s*:\\s*"`)
}

/**
 * A JSON text with the stand-in for the first string behind that opening, and the JSON of the string. Whoever then finds the stand-in,
 * whole and where it expected the text, knows that it was just this string; if not, the text is to be read as it is.
 */
export function takeOut(json: string, opening: RegExp): { around: string; taken: string } | null {
  if (json.length < charactersMin) return null
  const found = opening.exec(json)
  if (!found) return null
  const from = found.index + found[0].length - 1
  const end = endOfString(json, from)
  if (end - from < charactersMin) return null
  return {
    around: json.slice(0, from) + standInJson + json.slice(end),
    taken: json.slice(from, end),
  }
}

/** Behind its closing quote; 0 when it has none. */
export function endOfString(json: string, from: number): number {
  let at = from
  for (;;) {
    at = json.indexOf(quote, at + 1)
    if (at === -1) return 0
    let before = at - 1
    while (json.charCodeAt(before) === backslash) before -= 1
    const isEscaped = (at - before) % 2 === 0
    if (!isEscaped) return at + 1
  }
}

/** `JSON.stringify` of a value that has stand-ins, with those JSON texts in their places, in order. */
export function writeAround(value: object, texts: readonly string[]): string {
  const pieces = JSON.stringify(value).split(standInJson)
  return pieces.reduce((written, piece, index) => written + texts[index - 1] + piece)
}

/** A text that comes in pieces, some of which bring their JSON along. */
export class TextInPieces {
  #text = ''
  /** What stands between the quotes; null once a piece had no JSON, or not enough to be worth it. */
  #inner: string | null = ''

  add(text: string, json?: string): void {
    this.#text += text
    // A piece of a text keeps all of the text in memory: for many short pieces that would be many times what they say.
    if (json === undefined || json.length < charactersMin) this.#inner = null
    else if (this.#inner !== null) this.#inner += json.slice(1, -1)
  }

  get text(): string {
    return this.#text
  }

  get json(): string {
    return this.#inner === null ? JSON.stringify(this.#text) : `"${this.#inner}"`
  }
}
