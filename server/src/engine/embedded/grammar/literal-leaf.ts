// One of a fixed set of texts, written as their bytes: punctuation, property names, enum values.
import type { Leaf } from './leaf.ts'

const encoder = new TextEncoder()
let made = 0

export function literalLeaf(...texts: string[]): Leaf {
  const set = `literal${made++}`
  const nodes = [new LiteralNode(`${set}.0`)]
  for (const text of texts) {
    let at = nodes[0]!
    for (const byte of encoder.encode(text)) {
      let child = at.children.get(byte)
      if (!child) {
        child = new LiteralNode(`${set}.${nodes.length}`)
        nodes.push(child)
        at.children.set(byte, child)
      }
      at = child
    }
    at.accepting = true
  }
  // Children were made after their parents, so from the end each finds its children settled.
  for (const node of nodes.reverse()) node.settle()
  return nodes.at(-1)!
}

class LiteralNode implements Leaf {
  readonly key: string
  readonly children = new Map<number, LiteralNode>()
  accepting = false
  minBytes = Infinity
  /** The way to the nearest end; one only, so that the tail of a completion is a completion too. */
  nearest: { byte: number; child: LiteralNode } | null = null

  constructor(key: string) {
    this.key = key
  }

  get spent(): boolean {
    return this.children.size === 0
  }

  settle(): void {
    if (this.accepting) this.minBytes = 0
    for (const [byte, child] of this.children) {
      if (child.minBytes + 1 >= this.minBytes) continue
      this.minBytes = child.minBytes + 1
      this.nearest = { byte, child }
    }
  }

  next(byte: number): Leaf | null {
    return this.children.get(byte) ?? null
  }

  completion(): Uint8Array {
    const bytes: number[] = []
    for (let way = this.nearest; way; way = way.child.nearest) bytes.push(way.byte)
    return Uint8Array.from(bytes)
  }
}
