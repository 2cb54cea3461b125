// How long the shortest text of each node is. Infinity means that no text matches it at all.
import type { GrammarNode } from './grammar-node.ts'
import type { Leaf } from './leaf.ts'

/** The length of what a leaf still has to eat at least, in whatever unit the caller counts. */
export type Measure = (leaf: Leaf) => number

export const inBytes: Measure = (leaf) => leaf.minBytes

export function shortestLengths(root: GrammarNode, measure: Measure): Map<GrammarNode, number> {
  const { order, users } = reachable(root)
  const lengths = new Map<GrammarNode, number>()
  // Children come before their users, which settles all but the recursive ones at once. What recursion makes shorter
  // later is told to its users only.
  const due = new Set(order)
  for (const node of due) {
    due.delete(node)
    const length = shortest(node, lengths, measure)
    if (length >= (lengths.get(node) ?? Infinity)) continue
    lengths.set(node, length)
    for (const user of users.get(node) ?? []) due.add(user)
  }
  for (const node of order) if (!lengths.has(node)) lengths.set(node, Infinity)
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

type Reachable = {
  /** Children before the nodes that use them, as far as recursion allows. */
  order: GrammarNode[]
  users: Map<GrammarNode, Set<GrammarNode>>
}

/** Without recursion, as schemas may be deep. */
function reachable(root: GrammarNode): Reachable {
  const order: GrammarNode[] = []
  const users = new Map<GrammarNode, Set<GrammarNode>>([[root, new Set()]])
  const open: { node: GrammarNode; left: GrammarNode[] }[] = [
    { node: root, left: [...children(root)] },
  ]
  for (let top = open.at(-1); top; top = open.at(-1)) {
    const child = top.left.pop()
    if (child === undefined) {
      order.push(top.node)
      open.pop()
      continue
    }
    const known = users.get(child)
    if (known) known.add(top.node)
    else {
      users.set(child, new Set([top.node]))
      open.push({ node: child, left: [...children(child)] })
    }
  }
  return { order, users }
}
