// Numbers in [0, 1) that a seed makes reproducible (the sfc32 generator).
import { randomInt } from 'node:crypto'

export type RandomSource = () => number

export function randomSource(seed: number = randomInt(2 ** 47)): RandomSource {
  let [a, b, c, count] = [seed | 0, Math.floor(seed / 2 ** 32) | 0, 0x9e3779b9 | 0, 1]
  const next = () => {
    const sum = (((a + b) | 0) + count) | 0
    count = (count + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (c << 21) | (c >>> 11)
    c = (c + sum) | 0
    return (sum >>> 0) / 2 ** 32
  }
  // Near seeds look alike until they have been stirred.
  for (let turn = 0; turn < 12; turn++) next()
  return next
}
