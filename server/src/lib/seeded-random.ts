// Chance that can be repeated: everything random in a training follows from the job's seed.

/** Numbers in [0, 1) that depend on the seeds alone (mulberry32). */
export function seededRandom(...seeds: number[]): () => number {
  let state = 0
  for (const seed of seeds) state = (Math.imul(state ^ seed, 0x9e3779b1) + 0x85ebca6b) >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  const copy = [...items]
  for (let i = copy.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    ;[copy[i], copy[j]] = [copy[j]!, copy[i]!]
  }
  return copy
}
