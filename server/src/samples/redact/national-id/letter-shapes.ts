// Which formats a word of letters and digits may have: a table says for each place and character which of them allow
// it, so that a word is read once for all formats, and most words are told to be none by their first characters.
import { letterFormats } from './letter-formats.ts'

const ascii = 128
const lettersMax = 18

/** For each length, place and character, a bit for each format. */
const allowed = Array.from({ length: lettersMax + 1 }, () => new Uint16Array(0))

for (const [index, { shapes }] of letterFormats.entries()) {
  for (const shape of shapes) {
    const places = readShape(shape)
    const length = places.length
    if (allowed[length]!.length === 0) allowed[length] = new Uint16Array(length * ascii)
    for (const [place, expression] of places.entries()) {
      for (let code = 0; code < ascii; code++) {
        if (!expression.test(String.fromCharCode(code))) continue
        allowed[length]![place * ascii + code]! |= 1 << index
      }
    }
  }
}

/** `[A-Z]\d{6}X` is one class for each place. */
function readShape(shape: string): RegExp[] {
  return [...shape.matchAll(/(\[[^\]]*\]|\\d|[A-Z])(?:\{(\d+)\})?/g)].flatMap(
    ([, characters, times]) =>
      Array.from({ length: Number(times ?? 1) }, () => new RegExp(`^${characters}$`)),
  )
}

/** Whether any format has so many characters. */
export function isLetterLength(length: number): boolean {
  return length <= lettersMax && allowed[length]!.length > 0
}

/** The formats, as bits, of those given that allow this character at this place of a word of this length. */
export function formatsWith(formats: number, length: number, place: number, code: number): number {
  return formats & allowed[length]![place * ascii + code]!
}

export const allFormats = 0xffff
