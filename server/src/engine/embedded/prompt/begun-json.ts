// JSON that a caller has begun. White space between its words says nothing, so the grammar of an answer, which knows only what
// models write, need not know it.

export type BegunJson = {
  /** Without white space, but for that inside of strings. */
  compact: string
  /** Whether it ends inside a string, where white space is part of the text. */
  inString: boolean
  /** Whether it ends with a number or a literal that white space has ended. */
  endsWord: boolean
}

const space = /[ \t\n\r]/
const word = /[\w.+-]/

/** Null where white space stands inside a number or a literal. */
export function begunJson(text: string): BegunJson | null {
  let compact = ''
  let inString = false
  let spaced = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!
    if (!inString && space.test(character)) {
      spaced = true
      continue
    }
    if (spaced && word.test(character) && word.test(compact.at(-1) ?? '')) return null
    spaced = false
    compact += character
    if (character === '"') inString = !inString
    else if (inString && character === '\\' && at + 1 < text.length) compact += text[++at]
  }
  return { compact, inString, endsWord: spaced && word.test(compact.at(-1) ?? '') }
}
