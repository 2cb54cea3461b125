// Runs a grammar over bytes. A state is the set of ways in which what was written can go on; states are
// interned, so equal situations share one object and what is worked out for one is worked out for all.
import { Contexts } from './context.ts'
import type { Context } from './context.ts'
import type { GrammarNode } from './grammar-node.ts'
import type { Leaf } from './leaf.ts'
import { shortestLengths } from './shortest-lengths.ts'
import type { Measure } from './shortest-lengths.ts'
import type { Work } from './work.ts'

/** A way to go on: this leaf now, then what its context says. A state has one for each leaf. */
export type Way = { id: number; leaf: Leaf; context: Context; min: number }

export type MatchState = {
  ways: Way[]
  /** Whether what was written is complete. */
  accepting: boolean
  /** How far it is from that at least, as the matcher measures. */
  min: number
  /** Filled as bytes are tried. */
  next: Map<number, MatchState | null>
}

/** Of more ways than these, the shortest are followed, and what is written is valid all the same. */
const waysMax = 4096

/** What numbers and literals go on with; nothing that may follow them begins so. */
const wordBytes = Buffer.from('0123456789+-.abcdefghijklmnopqrstuvwxyzE')

export class Matcher {
  readonly start: MatchState
  /** Whose work it is; null while the grammar is made. */
  work: Work | null = null
  readonly #measure: Measure
  readonly #lengths: Map<GrammarNode, number>
  readonly #contexts: Contexts
  readonly #ways = new Map<string, Way>()
  readonly #states = new Map<string, MatchState>()
  readonly #continuations = new Map<Context, MatchState>()
  readonly #shorter = new Map<GrammarNode, GrammarNode>()
  #ids = 0
  #waysKept = 0

  constructor(grammar: GrammarNode, measure: Measure) {
    this.#measure = measure
    this.#lengths = shortestLengths(grammar, measure)
    this.#contexts = new Contexts((node) => this.#length(node))
    this.start = this.#stateOf((add) =>
      add.open.push({ node: grammar, context: this.#contexts.end }),
    )
  }

  /** How much was worked out and kept. */
  get size(): number {
    return this.#states.size + this.#waysKept + this.#contexts.size
  }

  /** Lets go of what was worked out. States in use stay good; what follows from them is worked out again. */
  forget(): void {
    this.#contexts.forget()
    this.#ways.clear()
    this.#states.clear()
    this.#continuations.clear()
    this.#shorter.clear()
    this.#waysKept = 0
    this.start.next.clear()
  }

  advance(state: MatchState, byte: number): MatchState | null {
    let next = state.next.get(byte)
    if (next === undefined) {
      next = this.#stateOf((add) => {
        for (const { leaf, context } of state.ways) {
          this.work?.spend(leaf.work ?? 1)
          const after = leaf.next(byte)
          if (after) enterLeaf(after, context, add)
        }
      })
      if (next.ways.length === 0 && !next.accepting) next = null
      state.next.set(byte, next)
    }
    return next
  }

  /** The same state without the ways that go on with the number or literal written last; null where none is left. */
  afterWord(state: MatchState): MatchState | null {
    const next = this.#stateOf((add) => {
      add.accepting = state.accepting
      for (const { leaf, context } of state.ways) {
        if (!wordBytes.some((byte) => leaf.next(byte))) enterLeaf(leaf, context, add)
      }
    })
    return next.ways.length === 0 && !next.accepting ? null : next
  }

  /** The state in which a way's leaf is done. */
  after({ context }: Way): MatchState {
    let state = this.#continuations.get(context)
    if (!state) {
      state = this.#stateOf((add) => leave(context, add))
      this.#continuations.set(context, state)
    }
    return state
  }

  #stateOf(fill: (add: Additions) => void): MatchState {
    const add: Additions = { leaves: new Map(), accepting: false, open: [], seen: new Map() }
    fill(add)
    for (let top = add.open.pop(); top; top = add.open.pop()) {
      this.work?.spend(1)
      this.#expand(top, add)
    }
    const all = Array.from(add.leaves.values(), ({ leaf, contexts }) => {
      this.work?.spend(1)
      return this.#way(leaf, this.#contexts.join([...contexts], this.work))
    })
    const ways = shortest(all).sort((a, b) => a.id - b.id)
    const key = `${add.accepting}:${ways.map((way) => way.id).join()}`
    let state = this.#states.get(key)
    if (!state) {
      const min = ways.reduce((least, way) => Math.min(least, way.min), Infinity)
      const { accepting } = add
      state = { ways, accepting, min: accepting ? 0 : min, next: new Map() }
      this.#states.set(key, state)
      this.#waysKept += ways.length
    }
    return state
  }

  /** Adds the leaf that a node is, or opens what it leads to. */
  #expand({ node, context }: Open, add: Additions): void {
    if (this.#length(node) === Infinity) return
    // A reference that leads back to itself without a byte between would never end.
    const seen = add.seen.get(node)
    if (seen?.has(context)) return
    if (seen) seen.add(context)
    else add.seen.set(node, new Set([context]))
    switch (node.kind) {
      case 'leaf':
        return enterLeaf(node.leaf, context, add)
      case 'sequence': {
        const [first, ...others] = node.parts
        if (!first) return leave(context, add)
        const after = others.reduceRight((rest, part) => this.#contexts.push(part, rest), context)
        add.open.push({ node: first, context: after })
        return
      }
      case 'choice':
        for (const option of node.options) add.open.push({ node: option, context })
        return
      case 'repeat': {
        if (node.min === 0) leave(context, add)
        if (node.max === 0) return
        const after = this.#contexts.push(this.#oneLess(node), context)
        add.open.push({ node: node.item, context: after })
        return
      }
      case 'reference':
        add.open.push({ node: node.target!, context })
    }
  }

  #way(leaf: Leaf, context: Context): Way {
    const key = `${leaf.key}/${context.id}`
    let way = this.#ways.get(key)
    if (!way) {
      way = { id: ++this.#ids, leaf, context, min: this.#measure(leaf) + context.min }
      this.#ways.set(key, way)
    }
    return way
  }

  #oneLess(node: GrammarNode & { kind: 'repeat' }): GrammarNode {
    if (node.min === 0 && node.max === Infinity) return node
    let shorter = this.#shorter.get(node)
    if (!shorter) {
      const min = Math.max(0, node.min - 1)
      shorter = { ...node, min, max: node.max - 1 }
      this.#shorter.set(node, shorter)
      this.#lengths.set(shorter, min === 0 ? 0 : min * this.#length(node.item))
    }
    return shorter
  }

  #length(node: GrammarNode): number {
    return this.#lengths.get(node) ?? Infinity
  }
}

type Open = { node: GrammarNode; context: Context }

/** What a state is put together from. `open` is left to expand: a list, as grammars may be deep. */
type Additions = {
  leaves: Map<string, { leaf: Leaf; contexts: Set<Context> }>
  accepting: boolean
  open: Open[]
  seen: Map<GrammarNode, Set<Context>>
}

function enterLeaf(leaf: Leaf, context: Context, add: Additions): void {
  if (!leaf.spent) {
    const known = add.leaves.get(leaf.key)
    if (known) known.contexts.add(context)
    else add.leaves.set(leaf.key, { leaf, contexts: new Set([context]) })
  }
  if (leaf.accepting) leave(context, add)
}

function leave(context: Context, add: Additions): void {
  if (context.ends) add.accepting = true
  for (const { node, next } of context.rests) add.open.push({ node, context: next })
}

function shortest(ways: Way[]): Way[] {
  if (ways.length <= waysMax) return ways
  return ways.sort((a, b) => a.min - b.min || a.id - b.id).slice(0, waysMax)
}
