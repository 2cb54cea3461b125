// What a character stands for when somebody writes to be misread: full-width and styled forms, digits of other
// scripts, look-alike letters and dots, and characters that cannot be seen at all.

/** A character that is skipped, as if it were not there. */
export const unseen = 0xfffd

const zeros = [
  0x0660, 0x06f0, 0x07c0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6, 0x0c66, 0x0ce6, 0x0d66,
  0x0de6, 0x0e50, 0x0ed0, 0x0f20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90,
  0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0,
]

const unseenRanges: [number, number][] = [
  [0x00, 0x08],
  [0x0b, 0x0b],
  [0x0e, 0x1f],
  [0x7f, 0x84],
  [0x86, 0x9f],
  [0xad, 0xad],
  [0x0300, 0x036f],
  [0x061c, 0x061c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x206f],
  [0x20d0, 0x20ff],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfe20, 0xfe2f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff9, 0xfffb],
]

const lookAlikes: [string, string][] = [
  ['аеорсухіѕјԁԛԝһӏкмтв', 'aeopcyxisjdqwhlkmtb'],
  ['АВЕКМНОРСТХУІЅЈԌ', 'ABEKMHOPCTXYISJG'],
  ['οανικρτυχ', 'oavikptux'],
  ['ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ', 'ABEZHIKMNOPTYX'],
  ['ıİɡɑ', 'iIga'],
  ['。·‧∙⋅•۔', '.......'],
  ['‐‑‒–—―−⁃﹘', '---------'],
  ['∶ː꞉׃', '::::'],
  ['\u1680\u2028\u2029\u2800\u0085', ' \n\n \n'],
  ['‘’“”«»', '\'\'""""'],
  ['⁄∕', '//'],
]

const table = new Uint16Array(0x10000)
/** Marks entries of the table that were not asked for yet; the character itself is never folded to. */
const unknown = 0

/** The same for the pairs that may be folded, by their first half and then by their second. */
const pairTable = new Uint16Array((0xd83e - 0xd835 + 1) * 1024)
const itself = 1

for (const [from, to] of unseenRanges) table.fill(unseen, from, to + 1)
for (const zero of zeros) for (let value = 0; value < 10; value++) table[zero + value] = 48 + value
for (const [from, to] of lookAlikes) {
  for (let i = 0; i < from.length; i++) table[from.charCodeAt(i)] = to.charCodeAt(i)
}

/** For one code unit that is no half of a pair. */
export function foldCharacter(code: number): number {
  const known = table[code]!
  if (known !== unknown) return known
  const folded = compatible(String.fromCharCode(code)) ?? fallback(code)
  table[code] = folded
  return folded
}

/** For a pair of code units; null when it stands for nothing but itself. */
export function foldPair(high: number, low: number): number | null {
  // Tags and variation selectors.
  if (high === 0xdb40) return unseen
  // Letters and digits of mathematics, in squares and circles, and of segments.
  const styled = high === 0xd835 || high === 0xd83c || (high === 0xd83e && low >= 0xdff0)
  if (!styled || low < 0xdc00 || low > 0xdfff) return null
  const key = (high - 0xd835) * 1024 + low - 0xdc00
  pairTable[key] ||= compatible(String.fromCharCode(high, low)) ?? itself
  return pairTable[key] === itself ? null : pairTable[key]
}

function compatible(text: string): number | null {
  const plain = text.normalize('NFKC')
  const code = plain.charCodeAt(0)
  return plain.length === 1 && code >= 32 && code < 127 ? code : null
}

/** The codes that have a meaning of their own here must not come from outside. */
function fallback(code: number): number {
  return code >= 0xfffc ? 0xfffc : code
}
