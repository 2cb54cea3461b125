// What each character can be part of, as flags in one table, so that scanners ask with one lookup.

export const digit = 1
export const upper = 2
export const lower = 4
export const hex = 8
export const space = 16
/** Letters, digits, `-` and `_`: what most tokens are made of. */
export const tokenic = 32
/** Letters, digits, `+`, `/` and `=`. */
export const base64 = 64
/** Letters beyond ASCII of scripts that put spaces between words. */
export const farLetter = 128
/** Letters of scripts that do not, such as Han; words cannot be told apart there. */
export const denseLetter = 256
/** Ends a value that is written without quotes. */
export const valueEnd = 512
/** Stands between the groups of a number. */
export const separator = 1024
/** Separates the lines of a private key, also when it is written as strings of a program. */
export const keyGap = 2048
/** Ends a line, a text, or what was replaced. */
export const lineBreak = 4096

export const letter = upper | lower
export const alnum = letter | digit

/** Stands where the text already had a marker: part of nothing, and no border of anything either. */
export const block = 0xffff

export const flagsOf = new Uint16Array(0x10000)

for (let code = 0; code < 128; code++) {
  const text = String.fromCharCode(code)
  let flags = 0
  if (/[0-9]/.test(text)) flags |= digit
  if (/[A-Z]/.test(text)) flags |= upper
  if (/[a-z]/.test(text)) flags |= lower
  if (/[0-9a-fA-F]/.test(text)) flags |= hex
  if (/\s/.test(text)) flags |= space | valueEnd
  if (/[0-9a-zA-Z_-]/.test(text)) flags |= tokenic
  if (/[0-9a-zA-Z+/=]/.test(text)) flags |= base64
  if (/["'`,;&<>()[\]{}|\\]/.test(text)) flags |= valueEnd
  if (/[- ./\t]/.test(text)) flags |= separator
  if (/[^\S\f]|["',\\]/.test(text)) flags |= keyGap
  if (/[\n\f]/.test(text)) flags |= lineBreak
  flagsOf[code] = flags
}
for (let code = 0xc0; code < 0x0600; code++) {
  if (code !== 0xd7 && code !== 0xf7) flagsOf[code] = farLetter
}
for (let code = 0x0600; code < 0xd800; code++) {
  const punctuation = (code >= 0x2000 && code < 0x2c00) || (code >= 0x3000 && code < 0x3040)
  if (!punctuation) flagsOf[code] = denseLetter
}
flagsOf[block] = valueEnd | lineBreak

export const codeOf = {
  newline: 10,
  pageBreak: 12,
  space: 32,
  quote: 34,
  dollar: 36,
  percent: 37,
  ampersand: 38,
  apostrophe: 39,
  parenthesis: 40,
  star: 42,
  plus: 43,
  comma: 44,
  dash: 45,
  dot: 46,
  slash: 47,
  colon: 58,
  semicolon: 59,
  less: 60,
  equals: 61,
  greater: 62,
  at: 64,
  open: 91,
  backslash: 92,
  underscore: 95,
  backtick: 96,
  brace: 123,
  bar: 124,
  tilde: 126,
} as const

export function isQuote(code: number): boolean {
  return code === codeOf.quote || code === codeOf.apostrophe || code === codeOf.backtick
}
