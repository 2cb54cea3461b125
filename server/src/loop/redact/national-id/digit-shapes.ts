// The ways in which national numbers are written, as a table that leads from group to group of digits.
import { type DigitFormat, digitFormats } from './digit-formats.ts'

type Shape = { fits: DigitFormat['fits']; isSure: boolean }

/** The formats whose way of writing ends at a node. */
export const shapesAt: Shape[][] = [[]]
const separatorIndex = new Uint8Array(128)
for (const [index, separator] of [...' -./'].entries()) {
  separatorIndex[separator.charCodeAt(0)] = index + 1
}
const nodesMax = 256
const steps = new Uint8Array(nodesMax * 8 * 32)

for (const { sure, doubtful, fits } of digitFormats) {
  for (const shape of sure) addShape(shape, { fits, isSure: true })
  for (const shape of doubtful) addShape(shape, { fits, isSure: false })
}

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
}

function stepKey(node: number, separator: number, size: number): number {
  return (node * 8 + separatorIndex[separator]!) * 32 + size
}

/** The node behind a group of so many digits; the first has no separator before it. 0 when no number goes on so. */
export function nextShape(node: number, separator: number, size: number): number {
  return steps[stepKey(node, separator, size)]!
}
