// Which tokens may come next, for a grammar over bytes. Most of the work does not depend on where in the
// grammar a leaf stands (a string is a string), so it is kept per leaf and only what follows the leaf is
// walked again.
import type { GrammarNode } from './grammar-node.ts'
import type { Leaf } from './leaf.ts'
import { leafTokens } from './leaf-tokens.ts'
import { Matcher } from './matcher.ts'
import type { MatchState, Way } from './matcher.ts'
import type { Measure } from './shortest-lengths.ts'
import { addAll, addToken, isEmpty, tokenSet } from './token-set.ts'
import type { TokenSet } from './token-set.ts'
import type { TokenTrie } from './token-trie.ts'
import { Work } from './work.ts'

/** Tokens that stay inside a leaf, and the trie nodes at which the leaf may be left in mid-token. */
type LeafTokens = { inside: TokenSet; insideMin: number; exits: number[] }

type Allowed = {
  tokens: TokenSet
  /** The most tokens that must still follow any of these. */
  min: number
}

/** States and the ways in them: what a grammar may remember before it begins anew. */
const keptMax = 200_000
/** Words of a token set that are joined as quickly as one byte is tried. */
const wordsOfWork = 64

export class TokenGrammar {
  readonly #trie: TokenTrie
  readonly #measure: Measure
  readonly #matcher: Matcher
  readonly #leaves = new Map<string, LeafTokens>()
  readonly #refusal: () => Error
  #allowed = new WeakMap<MatchState, Allowed>()

  /** `refusal` is thrown where an answer would make too much work of the grammar. */
  constructor(grammar: GrammarNode, trie: TokenTrie, refusal: () => Error) {
    this.#trie = trie
    this.#refusal = refusal
    this.#measure = leafTokens(trie)
    this.#matcher = new Matcher(grammar, this.#measure)
  }

  /** Tokens that are sure to be enough for the shortest text. */
  get minTokens(): number {
    return this.#matcher.start.min
  }

  /** A run of this grammar from its start. */
  begin(): GrammarRun {
    return new GrammarRun(
      this,
      this.#matcher.start,
      new Work(this.#trie.byte.length, this.#refusal),
    )
  }

  /** What is done from here on is this answer's work. */
  workFor(work: Work): void {
    this.#matcher.work = work
  }

  advance(state: MatchState, bytes: Uint8Array): MatchState | null {
    let next: MatchState | null = state
    for (const byte of bytes) {
      next = this.#matcher.advance(next, byte)
      if (!next) return null
    }
    this.#forget()
    return next
  }

  afterWord(state: MatchState): MatchState | null {
    return this.#matcher.afterWord(state)
  }

  allowed(state: MatchState): Allowed {
    let allowed = this.#allowed.get(state)
    if (!allowed) {
      allowed = { tokens: tokenSet(this.#trie.vocabSize), min: 0 }
      for (const way of state.ways) {
        const leaf = this.#leafTokens(way.leaf)
        this.#addAll(allowed.tokens, leaf.inside)
        allowed.min = Math.max(allowed.min, leaf.insideMin + way.context.min)
        this.#walkAfter(way, leaf, allowed, Infinity)
      }
      this.#allowed.set(state, allowed)
    }
    return allowed
  }

  /** Only the tokens after which `tokensMax` more are sure to be enough. */
  allowedWithin(state: MatchState, tokensMax: number): TokenSet {
    const allowed: Allowed = { tokens: tokenSet(this.#trie.vocabSize), min: 0 }
    for (const way of state.ways) {
      const leaf = this.#leafTokens(way.leaf)
      const room = tokensMax - way.context.min
      // Only where some tokens fit and others do not, each has to be looked at; none makes more good than its length.
      if (leaf.insideMin <= room) this.#addAll(allowed.tokens, leaf.inside)
      else if (this.#measure(way.leaf) - this.#longest <= room) {
        this.#walkLeafWithin(0, way.leaf, allowed.tokens, room)
      }
      this.#walkAfter(way, leaf, allowed, tokensMax)
    }
    return allowed.tokens
  }

  #addAll(set: TokenSet, other: TokenSet): void {
    this.#matcher.work?.spend(1 + set.length / wordsOfWork)
    addAll(set, other)
  }

  #walkAfter(way: Way, leaf: LeafTokens, allowed: Allowed, tokensMax: number): void {
    if (leaf.exits.length === 0 || way.context.min > tokensMax + this.#longest) return
    const after = this.#matcher.after(way)
    for (const node of leaf.exits) this.#walk(node, after, allowed, tokensMax)
  }

  /** A token covers at most so much of what is to come. */
  get #longest(): number {
    return this.#trie.longestTokenBytes
  }

  #walk(node: number, state: MatchState, allowed: Allowed, tokensMax: number): void {
    const { byte, end, tokens } = this.#trie
    for (let child = node + 1; child < end[node]!; child = end[child]!) {
      this.#matcher.work?.spend(1)
      const next = this.#matcher.advance(state, byte[child]!)
      if (!next) continue
      const here = tokens[child]
      if (here && next.min <= tokensMax) {
        for (const id of here) addToken(allowed.tokens, id)
        allowed.min = Math.max(allowed.min, next.min)
      }
      this.#walk(child, next, allowed, tokensMax)
    }
  }

  #leafTokens(leaf: Leaf): LeafTokens {
    const shared = leaf.window?.(this.#longest) ?? leaf
    let found = this.#leaves.get(shared.key)
    if (!found) {
      found = { inside: tokenSet(this.#trie.vocabSize), insideMin: 0, exits: [] }
      this.#walkLeaf(0, shared, found)
      this.#leaves.set(shared.key, found)
    }
    // A window forgets far limits, so what is still to come is the real leaf's, give or take a token.
    if (shared === leaf) return found
    return { ...found, insideMin: leaf.minBytes + this.#longest }
  }

  #walkLeaf(node: number, leaf: Leaf, found: LeafTokens): void {
    const { byte, end, tokens } = this.#trie
    for (let child = node + 1; child < end[node]!; child = end[child]!) {
      this.#matcher.work?.spend(leaf.work ?? 1)
      const next = leaf.next(byte[child]!)
      if (!next) continue
      const here = tokens[child]
      if (here) {
        for (const id of here) addToken(found.inside, id)
        found.insideMin = Math.max(found.insideMin, this.#measure(next))
      }
      if (next.accepting && end[child]! > child + 1) found.exits.push(child)
      this.#walkLeaf(child, next, found)
    }
  }

  #walkLeafWithin(node: number, leaf: Leaf, into: TokenSet, room: number): void {
    if (room < 0) return
    const { byte, end, tokens } = this.#trie
    for (let child = node + 1; child < end[node]!; child = end[child]!) {
      this.#matcher.work?.spend(leaf.work ?? 1)
      const next = leaf.next(byte[child]!)
      if (!next) continue
      const here = tokens[child]
      if (here && this.#measure(next) <= room) for (const id of here) addToken(into, id)
      this.#walkLeafWithin(child, next, into, room)
    }
  }

  #forget(): void {
    if (this.#matcher.size <= keptMax && this.#leaves.size <= keptMax / 10) return
    this.#matcher.forget()
    this.#leaves.clear()
    this.#allowed = new WeakMap()
  }
}

/** One text being written under a grammar. */
export class GrammarRun {
  readonly #grammar: TokenGrammar
  readonly #work: Work
  #state: MatchState

  constructor(grammar: TokenGrammar, start: MatchState, work: Work) {
    this.#grammar = grammar
    this.#work = work
    this.#state = start
  }

  /** Whether the text is complete as it stands. */
  get complete(): boolean {
    return this.#state.accepting
  }

  /** Whether nothing more may be written. */
  get ended(): boolean {
    return this.#state.accepting && isEmpty(this.allowed())
  }

  /** Tokens that are sure to be enough to complete the text. */
  get minTokens(): number {
    return this.#state.min
  }

  allowed(): TokenSet {
    this.#grammar.workFor(this.#work)
    return this.#grammar.allowed(this.#state).tokens
  }

  /**
   * The allowed tokens from which the text can still be completed in `tokensLeft` tokens, the next one
   * included; null where that is no restriction or cannot be met.
   */
  allowedToFinish(tokensLeft: number): TokenSet | null {
    this.#grammar.workFor(this.#work)
    if (this.#grammar.allowed(this.#state).min <= tokensLeft - 1) return null
    if (this.#state.min > tokensLeft) return null
    return this.#grammar.allowedWithin(this.#state, tokensLeft - 1)
  }

  /** A number or literal that was written last is not gone on with. False where it is not complete. */
  endWord(): boolean {
    this.#grammar.workFor(this.#work)
    const next = this.#grammar.afterWord(this.#state)
    if (!next) return false
    this.#state = next
    return true
  }

  /** False when the bytes do not fit; the run then stays where it was. */
  write(bytes: Uint8Array): boolean {
    this.#grammar.workFor(this.#work)
    this.#work.addToken()
    const next = this.#grammar.advance(this.#state, bytes)
    if (!next) return false
    this.#state = next
    return true
  }
}
