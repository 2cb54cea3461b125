// Grammars are built from these nodes. A grammar is a value; matching it is the matcher's.
import type { Leaf } from './leaf.ts'
import { literalLeaf } from './literal-leaf.ts'

export type GrammarNode =
  | { kind: 'leaf'; leaf: Leaf }
  | { kind: 'sequence'; parts: GrammarNode[] }
  | { kind: 'choice'; options: GrammarNode[] }
  | { kind: 'repeat'; item: GrammarNode; min: number; max: number }
  /** Named elsewhere, which is what makes recursion possible; set before the grammar is used. */
  | { kind: 'reference'; target: GrammarNode | null }

export const leaf = (of: Leaf): GrammarNode => ({ kind: 'leaf', leaf: of })
export const literal = (...texts: string[]): GrammarNode => leaf(literalLeaf(...texts))
export const sequence = (...parts: GrammarNode[]): GrammarNode => ({ kind: 'sequence', parts })
export const choice = (...options: GrammarNode[]): GrammarNode =>
  options.length === 1 ? options[0]! : { kind: 'choice', options }
export const repeat = (item: GrammarNode, min: number, max: number): GrammarNode => ({
  kind: 'repeat',
  item,
  min,
  max,
})
export const empty: GrammarNode = sequence()
export const reference = (): GrammarNode & { kind: 'reference' } => ({
  kind: 'reference',
  target: null,
})
