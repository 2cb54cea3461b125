// How long the shortest text of each node is. Infinity means that no text matches it at all.
import type { GrammarNode } from './grammar-node.ts'
import type { Leaf } from './leaf.ts'

/** The length of what a leaf still has to eat at least, in whatever unit the caller counts. */
export type Measure = (leaf: Leaf) => number

export const inBytes: Measure = (leaf) => leaf.minBytes

export function shortestLengths(root: GrammarNode, measure: Measure): Map<GrammarNode, number> {
  const lengths = new Map<GrammarNode, number>()
  const nodes = reachable(root)
  for (const node of nodes) lengths.set(node, Infinity)
  // Recursion makes lengths depend on each other; they only ever shrink, so repeating settles them.
  // Children come before their parents, which settles all but the recursive ones in one pass.
  for (let changed = true; changed;) {
    changed = false
    for (const node of nodes) {
      const length = shortest(node, lengths, measure)
      if (length < lengths.get(node)!) {
        lengths.set(node, length)
        changed = true
      }
    }
  }
  return lengths
}

function shortest(
  node: GrammarNode,
  lengths: ReadonlyMap<GrammarNode, number>,
  measure: Measure,
): number {
  const of = (child: GrammarNode) => lengths.get(child) ?? Infinity
  switch (node.kind) {
    case 'leaf':
      return measure(node.leaf)
    case 'sequence':
      return node.parts.reduce((sum, part) => sum + of(part), 0)
    case 'choice':
      return node.options.reduce((least, option) => Math.min(least, of(option)), Infinity)
    case 'repeat':
      if (node.min > node.max) return Infinity
      return node.min === 0 ? 0 : node.min * of(node.item)
    case 'reference':
      return node.target ? of(node.target) : Infinity
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

/** Children before parents, without recursion, as schemas may be deep. */
function reachable(root: GrammarNode): GrammarNode[] {
  const order: GrammarNode[] = []
  const seen = new Set<GrammarNode>([root])
  const open: { node: GrammarNode; left: GrammarNode[] }[] = [
    { node: root, left: [...children(root)] },
  ]
  while (open.length > 0) {
    const top = open.at(-1)!
    const child = top.left.pop()
    if (child === undefined) {
      order.push(top.node)
      open.pop()
    } else if (!seen.has(child)) {
      seen.add(child)
      open.push({ node: child, left: [...children(child)] })
    }
  }
  return order
}
