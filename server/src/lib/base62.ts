// Random text over letters and digits, for secrets that people copy and paste.
import { randomBytes } from 'node:crypto'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export function randomBase62(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 is the largest multiple of 62 in a byte; higher values would favour the first letters.
      if (byte < 248 && text.length < length) text += alphabet[byte % 62]
    }
  }
  return text
}

export function toBase62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value, i = 0; i < length; i++, rest /= 62n)
    text = alphabet[Number(rest % 62n)] + text
  return text
}
