// The shapes of JSON as grammar nodes: objects whose members come in a given order, arrays, and any value.
import { choice, empty, leaf, literal, reference, repeat, sequence } from './grammar-node.ts'
import type { GrammarNode } from './grammar-node.ts'
import { keyLeaf } from './key-leaf.ts'
import { numberLeaf } from './number-leaf.ts'
import { stringLeaf } from './string-leaf.ts'
import { edgeLeaf, gapLeaf } from './whitespace-leaf.ts'

const edge = leaf(edgeLeaf)
const gap = leaf(gapLeaf)
const comma = sequence(literal(','), gap)
const colon = sequence(literal(':'), gap)

export type Property = { name: string; value: GrammarNode; required: boolean }

/** Listed members in their order, then members of other names if `additional` says what those may hold. */
export function objectGrammar(properties: Property[], additional: GrammarNode | null): GrammarNode {
  const names = properties.map((property) => property.name)
  const other = additional && sequence(leaf(keyLeaf(names)), colon, additional)
  // Built from the end: what may follow once a member was written, and which member may be the first.
  let afterSome = other ? repeat(sequence(comma, other), 0, Infinity) : empty
  let first = other ? sequence(other, afterSome) : choice()
  for (const { name, value, required } of properties.toReversed()) {
    const member = sequence(literal(`${JSON.stringify(name)}:`), gap, value)
    const some = sequence(comma, member, afterSome)
    const start = sequence(member, afterSome)
    afterSome = required ? some : choice(some, afterSome)
    first = required ? start : choice(start, first)
  }
  const members = sequence(first, edge)
  const mayBeEmpty = properties.every((property) => !property.required)
  return sequence(literal('{'), edge, mayBeEmpty ? choice(empty, members) : members, literal('}'))
}

export function arrayGrammar(item: GrammarNode, min: number, max: number): GrammarNode {
  if (min > max) return choice()
  const more = repeat(sequence(comma, item), Math.max(0, min - 1), max - 1)
  const items = sequence(item, more, edge)
  const inner = max === 0 ? empty : min === 0 ? choice(empty, items) : items
  return sequence(literal('['), edge, inner, literal(']'))
}

const value = reference()
export const anyValue: GrammarNode = value
export const anyObject: GrammarNode = objectGrammar([], anyValue)
export const anyArray: GrammarNode = arrayGrammar(anyValue, 0, Infinity)
export const anyString: GrammarNode = leaf(stringLeaf())
export const anyNumber: GrammarNode = leaf(numberLeaf())
value.target = choice(anyObject, anyArray, anyString, anyNumber, literal('true', 'false', 'null'))
