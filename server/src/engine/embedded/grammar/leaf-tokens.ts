// How many tokens are sure to be enough to complete a leaf. Fixed text is covered by the longest tokens that
// fit; for the rest it is one token a byte, as every vocabulary here can spell each byte.
import type { Leaf } from './leaf.ts'
import type { Measure } from './shortest-lengths.ts'
import type { TokenTrie } from './token-trie.ts'

/** Longer fixed text is counted a token a byte as well: it would take too long to count better. */
const coveredBytesMax = 1024
const keptMax = 50_000

export function leafTokens(trie: TokenTrie): Measure {
  const known = new Map<string, number>()
  return (leaf: Leaf) => {
    const { minBytes } = leaf
    if (!leaf.completion || minBytes <= 1 || minBytes > coveredBytesMax) return minBytes
    let tokens = known.get(leaf.key)
    if (tokens === undefined) {
      if (known.size >= keptMax) known.clear()
      known.set(leaf.key, (tokens = fewestTokens(trie, leaf.completion())))
    }
    return tokens
  }
}

/** From the end: the fewest tokens for each tail of the text. */
function fewestTokens(trie: TokenTrie, text: Uint8Array): number {
  const fewest = new Array<number>(text.length).fill(Infinity)
  fewest.push(0)
  for (let start = text.length - 1; start >= 0; start--) {
    let node = 0
    for (let end = start; end < text.length; end++) {
      node = childOf(trie, node, text[end]!)
      if (node === -1) break
      if (trie.tokens[node]) fewest[start] = Math.min(fewest[start]!, 1 + fewest[end + 1]!)
    }
  }
  return fewest[0]!
}

function childOf({ byte, end }: TokenTrie, node: number, wanted: number): number {
  for (let child = node + 1; child < end[node]!; child = end[child]!) {
    if (byte[child] === wanted) return child
  }
  return -1
}
