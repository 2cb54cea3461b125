// Values by weight, of which the lightest is always the next to be taken: a binary heap.

export type Weighted<Value> = { weight: number; value: Value }

export class LeastFirst<Value> {
  readonly #heap: Weighted<Value>[] = []

  push(weight: number, value: Value): void {
    const heap = this.#heap
    const added = { weight, value }
    let at = heap.length
    while (at > 0) {
      const above = (at - 1) >> 1
      if (heap[above]!.weight <= weight) break
      heap[at] = heap[above]!
      at = above
    }
    heap[at] = added
  }

  pop(): Weighted<Value> | undefined {
    const heap = this.#heap
    const [least] = heap
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return least
    let at = 0
    for (;;) {
      let below = 2 * at + 1
      if (below + 1 < heap.length && heap[below + 1]!.weight < heap[below]!.weight) below += 1
      if (below >= heap.length || heap[below]!.weight >= last.weight) break
      heap[at] = heap[below]!
      at = below
    }
    heap[at] = last
    return least
  }
}
