// The keys of the search index. Each place in a text gives one: the five UTF-16 units from there on, as a number whose order
// is theirs, so that all places that go on with the same two, three or four units are one range of keys. Units of ASCII
// keep their identity; others share numbers, which costs a look at a text that does not fit and never misses one.

export const gramLength = 5
export const symbolBits = 8
const symbols = 1 << symbolBits
/** Numbers of the three units that follow the first two. */
export const tails = symbols ** (gramLength - 2)
const ascii = 128
const asciiPairs = ascii * ascii
/** Two units tell much where an alphabet is large, so pairs outside of ASCII have many more numbers. */
export const pairs = 1 << 18

/** 0 stands for the end of the text: no text that is searched holds NUL. */
export function symbolOf(unit: number): number {
  return unit < ascii ? unit : ascii + ((unit ^ (unit >>> 7)) & (ascii - 1))
}

export function pairOf(first: number, second: number): number {
  if (first < ascii && second < ascii) return first * ascii + second
  const mixed = Math.imul(Math.imul(first, 0x9e3779b1) ^ second, 0x85ebca6b)
  return asciiPairs + ((mixed >>> 8) % (pairs - asciiPairs))
}

/** From `from` up to and without `to`. */
export type KeyRange = { from: number; to: number }

/** The ranges that every text with `sought` in it has a key in; `sought` has at least two units. */
export function rangesOf(sought: string): KeyRange[] {
  if (sought.length < gramLength) return [rangeAt(sought, 0)]
  const ranges: KeyRange[] = []
  for (let at = 0; at + gramLength <= sought.length; at++) ranges.push(rangeAt(sought, at))
  return ranges
}

function rangeAt(text: string, at: number): KeyRange {
  let from = pairOf(text.charCodeAt(at), text.charCodeAt(at + 1))
  let width = 1
  for (let i = 2; i < gramLength; i++) {
    const known = at + i < text.length
    from = from * symbols + (known ? symbolOf(text.charCodeAt(at + i)) : 0)
    if (!known) width *= symbols
  }
  return { from, to: from + width }
}
