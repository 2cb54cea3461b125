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
  // Built from the end: what may follow a member, and what may be written as the next one.
  let after = other ? repeat(sequence(comma, other), 0, Infinity) : empty
  let next = other ? sequence(other, after) : choice()
  let mayEnd = true
  for (const { name, value, required } of properties.toReversed()) {
    const member = sequence(literal(`${JSON.stringify(name)}:`), gap, value, after)
    next = required ? member : choice(member, next)
    mayEnd &&= !required
    const more = sequence(comma, next)
    after = mayEnd ? choice(empty, more) : more
  }
  const members = sequence(next, edge)
  return sequence(literal('{'), edge, mayEnd ? choice(empty, members) : members, literal('}'))
}

/** The items of `prefix` in their places, then any number of `item`; `min` to `max` of them all together. */
export function arrayGrammar(
  prefix: GrammarNode[],
  item: GrammarNode,
  min: number,
  max: number,
): GrammarNode {
  if (min > max) return choice()
  const [first = item, ...others] = prefix.slice(0, max)
  const placed = 1 + others.length
  let more = repeat(sequence(comma, item), Math.max(0, min - placed), max - placed)
  others.toReversed().forEach((other, fromEnd) => {
    const some = sequence(comma, other, more)
    more = placed - 1 - fromEnd >= min ? choice(empty, some) : some
  })
  const items = sequence(first, more, edge)
  const inner = max === 0 ? empty : min === 0 ? choice(empty, items) : items
  return sequence(literal('['), edge, inner, literal(']'))
}

const value = reference()
export const anyValue: GrammarNode = value
export const anyObject: GrammarNode = objectGrammar([], anyValue)
const anyArray: GrammarNode = arrayGrammar([], anyValue, 0, Infinity)
export const anyString: GrammarNode = leaf(stringLeaf())
export const anyNumber: GrammarNode = leaf(numberLeaf())
value.target = choice(anyObject, anyArray, anyString, anyNumber, literal('true', 'false', 'null'))
