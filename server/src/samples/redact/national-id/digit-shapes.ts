// The ways in which national numbers are written, as a table that leads from group to group of digits.
import { type DigitFormat, digitFormats } from './digit-formats.ts'
import { type DigitSum, type DigitSums, packSums } from './digit-sums.ts'

type Shape = {
  fits: DigitFormat['fits']
  isSure: boolean
  sum: DigitSum | undefined
  /** The bit of its sum among those that are packed, or 0. */
  sumBit: number
}

/** The formats whose way of writing ends at a node. */
export const shapesAt: Shape[][] = [[]]
const separatorIndex = new Uint8Array(128)
for (const [index, separator] of [...' -./'].entries()) {
  separatorIndex[separator.charCodeAt(0)] = index + 1
}
const nodesMax = 256
/** 1 where any does. */
export const isShapeEnd = new Uint8Array(nodesMax)
const steps = new Uint8Array(nodesMax * 8 * 32)

for (const { sure, doubtful, fits, sum } of digitFormats) {
  for (const shape of sure) addShape(shape, { fits, isSure: true, sum, sumBit: 0 })
  for (const shape of doubtful) addShape(shape, { fits, isSure: false, sum, sumBit: 0 })
}

/** The sums that can be made at once for the formats of a node, if there are several. */
export const sumsAt: (DigitSums | null)[] = shapesAt.map((shapes) => {
  const packed = packSums(shapes.map(({ sum }) => sum))
  for (const shape of shapes) {
    const index = shape.sum === undefined ? -1 : (packed?.sums.indexOf(shape.sum) ?? -1)
    shape.sumBit = index === -1 ? 0 : 1 << index
  }
  return packed
})

function addShape(shape: string, entry: Shape): void {
  let node = 0
  let separator = 0
  for (const [, size, next] of shape.matchAll(/(\d+)([- ./]?)/g)) {
    const key = stepKey(node, separator, Number(size))
    if (steps[key] === 0) {
      steps[key] = shapesAt.length
      shapesAt.push([])
    }
    node = steps[key]!
    separator = next === '' ? 0 : next!.charCodeAt(0)
  }
  shapesAt[node]!.push(entry)
  isShapeEnd[node] = 1
}

function stepKey(node: number, separator: number, size: number): number {
  return (node * 8 + separatorIndex[separator]!) * 32 + size
}

/** The node behind a group of so many digits; the first has no separator before it. 0 when no number goes on so. */
export function nextShape(node: number, separator: number, size: number): number {
  return steps[stepKey(node, separator, size)]!
}
