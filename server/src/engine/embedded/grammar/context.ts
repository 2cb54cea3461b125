// What is to be matched after a leaf. Ways that agree on a leaf and differ in what comes later share one context, and
// ways that come back to the same node are joined there: so alternatives that begin alike add up and do not multiply.
import type { GrammarNode } from './grammar-node.ts'
import type { Work } from './work.ts'

/** A node, and what comes after it. */
export type Rest = { id: number; node: GrammarNode; next: Context; min: number }

export type Context = {
  id: number
  rests: readonly Rest[]
  /** Whether there may be nothing more. */
  ends: boolean
  /** How far it is to the end at least, as the contexts are measured. */
  min: number
}

/** Of more ways than these, the shortest are followed, and what is written is valid all the same. */
const restsMax = 1024
/** Deeper down, ways that come back to the same node stay apart; they are met there in turn. */
const joinedDepthMax = 64
/** What joining one way is, where trying a byte is 1. */
const joinWork = 30

export class Contexts {
  readonly end: Context
  readonly #lengthOf: (node: GrammarNode) => number
  readonly #rests = new Map<GrammarNode, Map<Context, Rest>>()
  readonly #contexts = new Map<string, Context>()
  #ids = 0

  constructor(lengthOf: (node: GrammarNode) => number) {
    this.#lengthOf = lengthOf
    this.end = this.#context([], true)
  }

  get size(): number {
    return this.#contexts.size
  }

  forget(): void {
    this.#rests.clear()
    this.#contexts.clear()
  }

  /** This node next, then what `next` says. */
  push(node: GrammarNode, next: Context): Context {
    return this.#context([this.#rest(node, next)], false)
  }

  /** Any of these. */
  join(contexts: readonly Context[], work: Work | null, depth = 0): Context {
    const [first, ...others] = contexts
    if (others.length === 0) return first!
    const nexts = new Map<GrammarNode, Set<Context>>()
    const all = contexts.flatMap(({ rests }) => rests)
    work?.spend(joinWork * all.length)
    for (const { node, next } of all) {
      const known = nexts.get(node)
      if (known) known.add(next)
      else nexts.set(node, new Set([next]))
    }
    const rests = [...nexts].flatMap(([node, after]) =>
      depth < joinedDepthMax
        ? [this.#rest(node, this.join([...after], work, depth + 1))]
        : [...after].map((next) => this.#rest(node, next)),
    )
    return this.#context(
      shortest(rests),
      contexts.some(({ ends }) => ends),
    )
  }

  #rest(node: GrammarNode, next: Context): Rest {
    const after = this.#rests.get(node) ?? new Map<Context, Rest>()
    this.#rests.set(node, after)
    let rest = after.get(next)
    if (!rest) {
      rest = { id: ++this.#ids, node, next, min: this.#lengthOf(node) + next.min }
      after.set(next, rest)
    }
    return rest
  }

  #context(rests: Rest[], ends: boolean): Context {
    rests.sort((a, b) => a.id - b.id)
    const key = `${ends}:${rests.map(({ id }) => id).join()}`
    let context = this.#contexts.get(key)
    if (!context) {
      const min = ends ? 0 : rests.reduce((least, rest) => Math.min(least, rest.min), Infinity)
      context = { id: ++this.#ids, rests, ends, min }
      this.#contexts.set(key, context)
    }
    return context
  }
}

function shortest(rests: Rest[]): Rest[] {
  if (rests.length <= restsMax) return rests
  return rests.sort((a, b) => a.min - b.min || a.id - b.id).slice(0, restsMax)
}
