// Which samples are held back from training, to test with. Spec 2, held-back test, rule 6.
import { heldBackCount } from './minimums.ts'
import { promptHashBytes } from './prompt-hash.ts'
import { rowFlags } from './selected-rows.ts'

/** Of each row the hash of its prompt and its `rowFlags`. */
export type HoldBackRows = { count: number; prompts: Buffer; flags: Uint8Array }

export const sides = {
  training: 0,
  heldBack: 1,
  /** A judge's answer to a prompt that is held back: it cannot be tested with, and training on it would spoil the test. */
  neither: 2,
} as const

export type HeldBack = {
  /** The side of each row. */
  sides: Uint8Array
  training: number
  heldBack: number
}

/**
 * Rows with equal prompts are one group and stand on one side. A group with a row that a version learned trains, one with a row that
 * was held back before is held back. Others are taken in the order of their hashes while they fit in what is wanted, but none with
 * a judge's answer.
 */
export function holdBack(rows: HoldBackRows, percent: number): HeldBack {
  const order = inOrderOfPrompts(rows)
  const side = new Uint8Array(rows.count)
  const free: [from: number, to: number][] = []
  let held = 0
  let neither = 0
  for (const [from, to] of groupsOf(rows, order)) {
    let flags = 0
    for (let at = from; at < to; at++) flags |= rows.flags[order[at]!]!
    if (flags & rowFlags.learned) continue
    if (!(flags & rowFlags.held)) {
      if (!(flags & rowFlags.byJudge)) free.push([from, to])
      continue
    }
    for (let at = from; at < to; at++) {
      const isHeld = !(rows.flags[order[at]!]! & rowFlags.byJudge)
      side[order[at]!] = isHeld ? sides.heldBack : sides.neither
      if (isHeld) held += 1
      else neither += 1
    }
  }
  const wanted = heldBackCount(rows.count, percent)
  for (const [from, to] of free) {
    if (held >= wanted) break
    if (held + to - from > wanted) continue
    for (let at = from; at < to; at++) side[order[at]!] = sides.heldBack
    held += to - from
  }
  return { sides: side, training: rows.count - held - neither, heldBack: held }
}

function inOrderOfPrompts({ count, prompts }: HoldBackRows): Uint32Array {
  // Most differ in the first bytes, which compare much faster as numbers.
  const first = Float64Array.from({ length: count }, (_, row) =>
    prompts.readUIntBE(row * promptHashBytes, 6),
  )
  const order = Uint32Array.from({ length: count }, (_, row) => row)
  return order.sort((a, b) => first[a]! - first[b]! || comparePrompts(prompts, a, b))
}

function* groupsOf(
  { count, prompts }: HoldBackRows,
  order: Uint32Array,
): Generator<[from: number, to: number]> {
  for (let from = 0, to = 0; from < count; from = to) {
    for (to = from + 1; to < count; to++) {
      if (comparePrompts(prompts, order[from]!, order[to]!) !== 0) break
    }
    yield [from, to]
  }
}

function comparePrompts(prompts: Buffer, a: number, b: number): number {
  const [ofA, ofB] = [a * promptHashBytes, b * promptHashBytes]
  return prompts.compare(prompts, ofB, ofB + promptHashBytes, ofA, ofA + promptHashBytes)
}
