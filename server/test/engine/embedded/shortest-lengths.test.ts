// How long the shortest text of a grammar is, however its parts refer to one another.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  choice,
  type GrammarNode,
  leaf,
  literal,
  reference,
  repeat,
  sequence,
} from '#server/engine/embedded/grammar/grammar-node.ts'
import { inBytes, shortestLengths } from '#server/engine/embedded/grammar/shortest-lengths.ts'
import { stringLeaf } from '#server/engine/embedded/grammar/string-leaf.ts'

/** Asks every node again until nothing gets shorter. */
function slowly(nodes: readonly GrammarNode[]): Map<GrammarNode, number> {
  const lengths = new Map<GrammarNode, number>()
  const of = (node: GrammarNode): number => lengths.get(node) ?? Infinity
  const shortest = (node: GrammarNode): number => {
    switch (node.kind) {
      case 'leaf':
        return node.leaf.minBytes
      case 'sequence':
        return node.parts.reduce((sum, part) => sum + of(part), 0)
      case 'choice':
        return Math.min(...node.options.map(of))
      case 'repeat':
        if (node.min > node.max) return Infinity
        return node.min === 0 ? 0 : node.min * of(node.item)
      case 'reference':
        return of(node.target!)
    }
  }
  for (let changed = true; changed;) {
    changed = false
    for (const node of nodes) {
      const length = shortest(node)
      if (length >= of(node)) continue
      lengths.set(node, length)
      changed = true
    }
  }
  return lengths
}

const place = fc.nat(11)
const shape = fc.oneof(
  fc.record({ kind: fc.constant('leaf' as const), min: fc.nat(9) }),
  fc.record({
    kind: fc.constantFrom('sequence' as const, 'choice' as const),
    parts: fc.array(place, { maxLength: 4 }),
  }),
  fc.record({ kind: fc.constant('repeat' as const), of: place, min: fc.nat(3), max: fc.nat(3) }),
)

test('every node has the length that asking again and again finds, whatever refers to what', () => {
  fc.assert(
    fc.property(fc.array(shape, { minLength: 12, maxLength: 12 }), (shapes) => {
      const names = shapes.map(() => reference())
      const made = shapes.map((of): GrammarNode => {
        switch (of.kind) {
          case 'leaf':
            return leaf(stringLeaf(of.min))
          case 'sequence':
            return sequence(...of.parts.map((at) => names[at]!))
          case 'choice':
            return choice(...of.parts.map((at) => names[at]!))
          case 'repeat':
            return repeat(names[of.of]!, of.min, of.max)
        }
      })
      names.forEach((name, at) => (name.target = made[at]!))
      const root = choice(...names)
      const all = [root, ...names, ...made]
      const slow = slowly(all)
      const lengths = shortestLengths(root, inBytes)
      for (const node of all) assert.equal(lengths.get(node), slow.get(node) ?? Infinity)
    }),
    { numRuns: 500 },
  )
})

test('thousands of parts that lead to one another are each settled once', () => {
  // Each learns from the one before it of something shorter, which took as many rounds as there are parts: some ten minutes.
  const names = Array.from({ length: 20_000 }, () => reference())
  names.forEach((name, at) => {
    const own = leaf(stringLeaf(names.length - at))
    const onwards = at + 1 < names.length ? [names[at + 1]!] : []
    const back = at > 0 ? [sequence(literal('['), names[at - 1]!)] : []
    name.target = choice(own, ...onwards, ...back)
  })
  const lengths = shortestLengths(names.at(-1)!, inBytes)
  for (const name of names) assert.equal(lengths.get(name), 3)
})
