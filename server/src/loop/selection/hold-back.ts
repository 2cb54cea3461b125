// Which samples are held back from training, to test with. Spec 2, held-back test, rule 6.
import { heldBackRowsMin, trainingRowsMin } from '#contract/limits.ts'
import { fewestRows, type FreeQuestion } from './fewest-rows.ts'
import type { Questions } from './join-questions.ts'
import { heldBackCount } from './minimums.ts'
import { rowFlags } from './selected-rows.ts'

/** Of each row its `rowFlags` and its question. */
export type HoldBackRows = {
  count: number
  flags: Uint8Array
  questions: Pick<Questions, 'count' | 'of' | 'held' | 'learned'>
}

export const sides = {
  training: 0,
  heldBack: 1,
  /** A row that was held back of a question that a version has learned, or a judge's answer to one that is held back. */
  neither: 2,
} as const

export type HeldBack = {
  /** The side of each row. */
  sides: Uint8Array
  /** 1 for each question that is held back. */
  questions: Uint8Array
  training: number
  heldBack: number
}

/** A larger question would be too much of the test: one in so many. */
const largestShare = 20

/**
 * A question stands on one side with all its rows. What a version learned trains, and what was held back stays held back. Others are
 * taken in the order of their numbers while they fit in what is wanted.
 */
export function holdBack(
  rows: HoldBackRows,
  percent: number,
  { heldBackMin = heldBackRowsMin, trainingMin = trainingRowsMin } = {},
): HeldBack {
  const { questions } = rows
  const of = countRows(rows)
  const isHeld = Uint8Array.from(questions.held, (held, one) => (questions.learned[one] ? 0 : held))
  const free: FreeQuestion[] = []
  let heldBack = 0
  let setAside = 0
  for (let question = 0; question < questions.count; question++) {
    const [testable, rows] = [of.testable[question]!, of.all[question]!]
    if (questions.learned[question]) setAside += of.held[question]!
    else if (isHeld[question]) {
      heldBack += testable
      setAside += rows - testable
    } else if (testable > 0) free.push({ question, testable, rows })
  }
  const usable = rows.count - setAside
  const wanted = heldBackCount(usable, percent, heldBackMin)
  const chosen = chooseFree(free, {
    large: wanted / largestShare,
    most: wanted - heldBack,
    least: heldBackMin - heldBack,
    // Enough must remain to train on.
    rows: usable - heldBack - trainingMin,
  })
  for (const { question } of chosen) isHeld[question] = 1
  return divide(rows, isHeld)
}

function countRows({ count, flags, questions }: HoldBackRows) {
  const [all, held, testable] = [0, 1, 2].map(() => new Uint32Array(questions.count))
  for (let row = 0; row < count; row++) {
    const question = questions.of[row]!
    all![question]! += 1
    if (flags[row]! & rowFlags.held) held![question]! += 1
    if (!(flags[row]! & rowFlags.byJudge)) testable![question]! += 1
  }
  return { all: all!, held: held!, testable: testable! }
}

function chooseFree(
  free: readonly FreeQuestion[],
  wanted: { large: number; most: number; least: number; rows: number },
): readonly FreeQuestion[] {
  const isSmall = ({ rows, testable }: FreeQuestion): boolean =>
    rows <= wanted.large && rows === testable
  const small = free.filter(isSmall)
  const others = free.filter((one) => !isSmall(one)).sort((a, b) => a.rows - b.rows)
  const chosen: FreeQuestion[] = []
  let taken = 0
  for (const one of [...small, ...others]) {
    if (taken + one.testable > wanted.most) continue
    chosen.push(one)
    taken += one.testable
  }
  if (taken >= wanted.least) return chosen
  // What fits is too little, so more are taken than are wanted: small ones, or else any.
  const ofSmall = fewestRows(small, wanted.least)
  if (ofSmall && ofSmall.reduce((sum, { rows }) => sum + rows, 0) <= wanted.rows) return ofSmall
  return fewestRows(free, wanted.least) ?? chosen
}

function divide({ count, flags, questions }: HoldBackRows, isHeld: Uint8Array): HeldBack {
  const side = new Uint8Array(count)
  const rowsOf: Record<number, number> = {
    [sides.training]: 0,
    [sides.heldBack]: 0,
    [sides.neither]: 0,
  }
  for (let row = 0; row < count; row++) {
    const wasHeld = (flags[row]! & rowFlags.held) !== 0
    const byJudge = (flags[row]! & rowFlags.byJudge) !== 0
    const isOfHeld = isHeld[questions.of[row]!] === 1
    if (isOfHeld) side[row] = byJudge ? sides.neither : sides.heldBack
    else side[row] = wasHeld ? sides.neither : sides.training
    rowsOf[side[row]!]! += 1
  }
  return {
    sides: side,
    questions: isHeld,
    training: rowsOf[sides.training]!,
    heldBack: rowsOf[sides.heldBack]!,
  }
}
