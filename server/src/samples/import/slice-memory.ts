// The memory that slices are handed over in. It comes back once a slice is stored and is used again: as garbage it would
// make both threads collect theirs far more often than anything else does.

/** What is larger is too rare to be kept. */
const keptBytes = 5 * 512 * 1024
const keptMax = 8

export class SliceMemory {
  readonly #kept: ArrayBuffer[] = []

  take(bytes: number): ArrayBuffer {
    if (bytes > keptBytes) return new ArrayBuffer(bytes)
    return this.#kept.pop() ?? new ArrayBuffer(keptBytes)
  }

  giveBack(memory: ArrayBuffer): void {
    if (memory.byteLength === keptBytes && this.#kept.length < keptMax) this.#kept.push(memory)
  }
}
