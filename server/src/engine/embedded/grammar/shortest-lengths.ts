// How long the shortest text of each node is. Infinity means that no text matches it at all.
import type { GrammarNode } from './grammar-node.ts'
import type { Leaf } from './leaf.ts'
import { LeastFirst } from './least-first.ts'

/** The length of what a leaf still has to eat at least, in whatever unit the caller counts. */
export type Measure = (leaf: Leaf) => number

export const inBytes: Measure = (leaf) => leaf.minBytes

/**
 * The shortest of all comes first, and no later one changes it: so every node is settled once, however schemas refer to one
 * another. (Knuth, A generalization of Dijkstra's algorithm.)
 */
export function shortestLengths(root: GrammarNode, measure: Measure): Map<GrammarNode, number> {
  const { nodes, users } = reachable(root)
  const lengths = new Map<GrammarNode, number>()
  const sequences = new Map<GrammarNode, { left: number; sum: number }>()
  const found = new LeastFirst<GrammarNode>()
  for (const node of nodes) {
    const length = lengthAlone(node, measure)
    if (length < Infinity) found.push(length, node)
  }
  for (let least = found.pop(); least; least = found.pop()) {
    const { weight: length, value: node } = least
    if (lengths.has(node)) continue
    lengths.set(node, length)
    for (const user of users.get(node) ?? []) {
      const longer = lengthWith(user, length, sequences)
      if (longer < Infinity && !lengths.has(user)) found.push(longer, user)
    }
  }
  for (const node of nodes) if (!lengths.has(node)) lengths.set(node, Infinity)
  return lengths
}

/** What is known of a node before any other; Infinity where others decide. */
function lengthAlone(node: GrammarNode, measure: Measure): number {
  switch (node.kind) {
    case 'leaf':
      return measure(node.leaf)
    case 'sequence':
      return node.parts.length === 0 ? 0 : Infinity
    case 'repeat':
      return node.min === 0 && node.max >= 0 ? 0 : Infinity
    case 'choice':
    case 'reference':
      return Infinity
  }
}

/** How long a text of the node can be now that one of its children is known to be so long; a sequence waits for all of them. */
function lengthWith(
  node: GrammarNode,
  length: number,
  sequences: Map<GrammarNode, { left: number; sum: number }>,
): number {
  switch (node.kind) {
    case 'sequence': {
      const known = sequences.get(node) ?? { left: node.parts.length, sum: 0 }
      sequences.set(node, known)
      known.left -= 1
      known.sum += length
      return known.left === 0 ? known.sum : Infinity
    }
    case 'repeat':
      return node.min > node.max ? Infinity : node.min * length
    case 'leaf':
    case 'choice':
    case 'reference':
      return length
  }
}

function children(node: GrammarNode): GrammarNode[] {
  switch (node.kind) {
    case 'leaf':
      return []
    case 'sequence':
      return node.parts
    case 'choice':
      return node.options
    case 'repeat':
      return [node.item]
    case 'reference':
      return node.target ? [node.target] : []
  }
}

type Reachable = {
  nodes: GrammarNode[]
  /** A sequence is there as often as it has the node. */
  users: Map<GrammarNode, GrammarNode[]>
}

/** Without recursion, as schemas may be deep. */
function reachable(root: GrammarNode): Reachable {
  const nodes = [root]
  const users = new Map<GrammarNode, GrammarNode[]>([[root, []]])
  for (const node of nodes) {
    for (const child of children(node)) {
      const known = users.get(child)
      if (known) known.push(node)
      else {
        users.set(child, [node])
        nodes.push(child)
      }
    }
  }
  return { nodes, users }
}
