// Joins rows to questions: those with the same prompt, and those of which one goes on from the other, through any number of others. What
// the pipeline keeps of samples that are away joins as well.
import { DisjointSets } from '../../lib/disjoint-sets.ts'
import type { KeyedRows, KeyKind } from './keyed-rows.ts'
import { keyBytes } from './question-keys.ts'
import { rowFlags } from './selected-rows.ts'

/** A key that the pipeline keeps of a sample that was held back or used. */
export type KeptKey = {
  kind: KeyKind
  key: string
  question: string
  held: boolean
  learned: boolean
}

export type Questions = {
  count: number
  /** Of each row the number of its question. */
  of: Uint32Array
  /** Of each question, in an order that is random and always the same. */
  keys: string[]
  held: Uint8Array
  learned: Uint8Array
  /** Keys of questions that turned out to be parts of others. */
  joined: { from: string; into: string }[]
}

type Rows = { count: number; flags: Uint8Array; keys: KeyedRows }

export function joinQuestions(rows: Rows, keptKeys: readonly KeptKey[]): Questions {
  const numbers = keptKeys.map((one) => ({
    ...one,
    key: rows.keys.numberOf(one.key),
    question: rows.keys.numberOf(one.question),
  }))
  const keys = rows.keys.all()
  const sets = new DisjointSets(keys.length)
  const fulls = new Uint8Array(keys.length)
  rows.keys.visit((key, kind, prompt) => {
    if (kind !== 'full') return
    sets.join(key, prompt)
    fulls[key] = 1
  })
  for (const { kind, key } of numbers) if (kind === 'full') fulls[key] = 1
  // A beginning that no sample ends with joins nothing: it may be the examples that a whole application begins with.
  const kept = numbers.filter(({ kind, key }) => kind !== 'prefix' || fulls[key])
  rows.keys.visit((key, kind, prompt) => {
    if (kind === 'prefix' && fulls[key]) sets.join(key, prompt)
  })
  for (const { key, question } of kept) sets.join(key, question)

  const smallest = new Map<number, string>()
  const name = (of: number, key: string): void => {
    const set = sets.of(of)
    const known = smallest.get(set)
    if (known === undefined || key < known) smallest.set(set, key)
  }
  // A question keeps its key, whatever joins it.
  for (const { question } of kept) name(question, keys[question]!)
  const known = new Map(smallest)
  rows.keys.visit((key, kind) => {
    if (kind === 'prompt' && !known.has(sets.of(key))) name(key, keys[key]!)
  })
  return numbered(rows, kept, sets, smallest, keys)
}

function numbered(
  { count, flags, keys }: Rows,
  kept: readonly { key: number; question: number; held: boolean; learned: boolean }[],
  sets: DisjointSets,
  names: ReadonlyMap<number, string>,
  texts: readonly string[],
): Questions {
  // The smallest key of many begins with small bytes; its last ones are as random as those of any other.
  const order = [...names].map(([set, key]) => ({ set, key, rank: key.slice(keyBytes / 2) }))
  order.sort((a, b) => (a.rank < b.rank ? -1 : 1))
  const numbers = new Map(order.map(({ set }, number) => [set, number]))
  const numberOf = (key: number): number => numbers.get(sets.of(key))!
  const held = new Uint8Array(order.length)
  const learned = new Uint8Array(order.length)
  const of = Uint32Array.from({ length: count }, (_, row) => numberOf(keys.promptOf(row)))
  for (let row = 0; row < count; row++) {
    held[of[row]!]! |= flags[row]! & rowFlags.held ? 1 : 0
    learned[of[row]!]! |= flags[row]! & rowFlags.learned ? 1 : 0
  }
  const joined = new Map<string, string>()
  for (const one of kept) {
    const question = numberOf(one.key)
    held[question]! |= Number(one.held)
    learned[question]! |= Number(one.learned)
    const [from, into] = [texts[one.question]!, order[question]!.key]
    if (from !== into) joined.set(from, into)
  }
  return {
    count: order.length,
    of,
    keys: order.map(({ key }) => key),
    held,
    learned,
    joined: [...joined].map(([from, into]) => ({ from, into })),
  }
}
