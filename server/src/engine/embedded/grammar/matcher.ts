// Runs a grammar over bytes. A state is the set of ways in which what was written can go on; states are
// interned, so equal situations share one object and what is worked out for one is worked out for all.
import type { GrammarNode } from './grammar-node.ts'
import type { Leaf } from './leaf.ts'
import { shortestLengths } from './shortest-lengths.ts'
import type { Measure } from './shortest-lengths.ts'

/** What is to be matched after a leaf: a list of nodes, shared between the stacks that end alike. */
type Rest = { id: number; node: GrammarNode; rest: Rest | null; min: number }

/** One way to go on: this leaf now, then the rest. */
export type Stack = { id: number; leaf: Leaf; rest: Rest | null; min: number }

export type MatchState = {
  stacks: Stack[]
  /** Whether what was written is complete. */
  accepting: boolean
  /** How far it is from that at least, as the matcher measures. */
  min: number
  /** Filled as bytes are tried. */
  next: Map<number, MatchState | null>
}

export class Matcher {
  readonly start: MatchState
  readonly #measure: Measure
  readonly #lengths: Map<GrammarNode, number>
  readonly #rests = new Map<string, Rest>()
  readonly #stacks = new Map<string, Stack>()
  readonly #states = new Map<string, MatchState>()
  readonly #continuations = new Map<Rest | null, MatchState>()
  readonly #nodeIds = new Map<GrammarNode, number>()

  constructor(grammar: GrammarNode, measure: Measure) {
    this.#measure = measure
    this.#lengths = shortestLengths(grammar, measure)
    this.start = this.#stateOf((add) => this.#expand(grammar, null, add))
  }

  /** How much was worked out and kept; callers drop a matcher that has grown too large. */
  get size(): number {
    return this.#states.size
  }

  advance(state: MatchState, byte: number): MatchState | null {
    let next = state.next.get(byte)
    if (next === undefined) {
      next = this.#stateOf((add) => {
        for (const { leaf, rest } of state.stacks) {
          const after = leaf.next(byte)
          if (after) this.#enterLeaf(after, rest, add)
        }
      })
      if (next.stacks.length === 0 && !next.accepting) next = null
      state.next.set(byte, next)
    }
    return next
  }

  /** The state in which a stack's leaf is done. */
  after(stack: Stack): MatchState {
    let state = this.#continuations.get(stack.rest)
    if (!state) {
      state = this.#stateOf((add) => this.#leave(stack.rest, add))
      this.#continuations.set(stack.rest, state)
    }
    return state
  }

  #stateOf(fill: (add: Additions) => void): MatchState {
    const add: Additions = { stacks: new Set(), accepting: false, seen: new Set() }
    fill(add)
    const stacks = [...add.stacks].sort((a, b) => a.id - b.id)
    const key = `${add.accepting}:${stacks.map((stack) => stack.id).join()}`
    let state = this.#states.get(key)
    if (!state) {
      const min = stacks.reduce((least, stack) => Math.min(least, stack.min), Infinity)
      const { accepting } = add
      state = { stacks, accepting, min: accepting ? 0 : min, next: new Map() }
      this.#states.set(key, state)
    }
    return state
  }

  /** Adds every stack that begins with a leaf and comes from `node` followed by `rest`. */
  #expand(node: GrammarNode, rest: Rest | null, add: Additions): void {
    if (this.#length(node) === Infinity) return
    // A reference that leads back to itself without a byte between would never end.
    const visit = `${this.#nodeId(node)}.${rest?.id ?? 0}`
    if (add.seen.has(visit)) return
    add.seen.add(visit)
    switch (node.kind) {
      case 'leaf':
        return this.#enterLeaf(node.leaf, rest, add)
      case 'sequence':
        return this.#leave(
          node.parts.reduceRight((after, part) => this.#push(part, after), rest),
          add,
        )
      case 'choice':
        for (const option of node.options) this.#expand(option, rest, add)
        return
      case 'repeat': {
        if (node.min === 0) this.#leave(rest, add)
        if (node.max > 0) this.#expand(node.item, this.#push(this.#oneLess(node), rest), add)
        return
      }
      case 'reference':
        return this.#expand(node.target!, rest, add)
    }
  }

  #enterLeaf(leaf: Leaf, rest: Rest | null, add: Additions): void {
    const key = `${leaf.key}/${rest?.id ?? 0}`
    let stack = this.#stacks.get(key)
    if (!stack) {
      const min = this.#measure(leaf) + (rest?.min ?? 0)
      stack = { id: this.#stacks.size + 1, leaf, rest, min }
      this.#stacks.set(key, stack)
    }
    if (!leaf.spent) add.stacks.add(stack)
    if (leaf.accepting) this.#leave(rest, add)
  }

  #leave(rest: Rest | null, add: Additions): void {
    if (rest) this.#expand(rest.node, rest.rest, add)
    else add.accepting = true
  }

  #push(node: GrammarNode, rest: Rest | null): Rest {
    const key = `${this.#nodeId(node)}.${rest?.id ?? 0}`
    let pushed = this.#rests.get(key)
    if (!pushed) {
      pushed = {
        id: this.#rests.size + 1,
        node,
        rest,
        min: this.#length(node) + (rest?.min ?? 0),
      }
      this.#rests.set(key, pushed)
    }
    return pushed
  }

  readonly #shorter = new Map<GrammarNode, GrammarNode>()

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

  #nodeId(node: GrammarNode): number {
    let id = this.#nodeIds.get(node)
    if (id === undefined) this.#nodeIds.set(node, (id = this.#nodeIds.size + 1))
    return id
  }
}

type Additions = { stacks: Set<Stack>; accepting: boolean; seen: Set<string> }
