// Half-width floats as they stand in weight files, widened to f32 and narrowed back with ties to even.

const bits = new Uint32Array(1)
const asFloat = new Float32Array(bits.buffer)

let wideHalves: Float32Array | null = null

/** Every f16 there is, by its bits: a table of 65,536 is faster than taking each number apart. */
function halfTable(): Float32Array {
  return (wideHalves ??= Float32Array.from({ length: 65_536 }, (_, half) => {
    const sign = half & 0x8000 ? -1 : 1
    const exponent = (half >> 10) & 31
    const fraction = half & 1023
    if (exponent === 0) return sign * fraction * 2 ** -24
    if (exponent === 31) return fraction ? NaN : sign * Infinity
    return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
  }))
}

export function widenHalves(halves: Uint16Array, wide: Float32Array): void {
  const table = halfTable()
  for (let i = 0; i < halves.length; i++) wide[i] = table[halves[i]!]!
}

export function widenBrains(brains: Uint16Array, wide: Float32Array): void {
  const words = new Uint32Array(wide.buffer, wide.byteOffset, wide.length)
  for (let i = 0; i < brains.length; i++) words[i] = brains[i]! << 16
}

export function narrowToBrains(wide: Float32Array): Uint16Array {
  const words = new Uint32Array(wide.buffer, wide.byteOffset, wide.length)
  const brains = new Uint16Array(wide.length)
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!
    const isNaN = (word & 0x7fffffff) > 0x7f800000
    brains[i] = isNaN ? 0x7fc0 : (word + 0x7fff + ((word >>> 16) & 1)) >>> 16
  }
  return brains
}

export function narrowToHalves(wide: Float32Array): Uint16Array {
  const halves = new Uint16Array(wide.length)
  for (let i = 0; i < wide.length; i++) halves[i] = narrowToHalf(wide[i]!)
  return halves
}

function narrowToHalf(number: number): number {
  asFloat[0] = number
  const word = bits[0]!
  const sign = (word >>> 16) & 0x8000
  const magnitude = Math.abs(asFloat[0])
  if (Number.isNaN(number)) return 0x7e00
  // 65,520 is half-way between the largest f16 and the next step, and rounds up to infinity.
  if (magnitude >= 65_520) return sign | 0x7c00
  // Below the smallest normal f16 the steps are even, so a plain rounding to that step is exact.
  if (magnitude < 2 ** -14) return sign | roundToEven(magnitude * 2 ** 24)
  const exponent = ((word >>> 23) & 255) - 127
  const steps = roundToEven(magnitude * 2 ** (10 - exponent))
  // A carry out of the fraction lands in the exponent, which is what it means.
  return sign | (((exponent + 15) << 10) + (steps - 1024))
}

function roundToEven(number: number): number {
  const below = Math.floor(number)
  const rest = number - below
  if (rest !== 0.5) return rest < 0.5 ? below : below + 1
  return below % 2 === 0 ? below : below + 1
}
