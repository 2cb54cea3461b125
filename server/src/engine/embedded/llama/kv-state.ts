// Keys and values of earlier tokens. A state holds one slot of a block; the rows that decode together share one
// block, so that a step hands the cache over without copying it.
import type { LlamaConfig } from './llama-config.ts'

export interface KvState {
  readonly length: number
  readonly bytes: number
  /** An independent copy of the first `length` positions. */
  copy(length: number): KvState
}

/** Room for `slots` rows of `capacity` tokens, per layer as [slots, kvHeads, capacity, headSize]. */
export class KvBlock {
  readonly config: LlamaConfig
  readonly slots: number
  readonly capacity: number
  readonly keys: Float32Array[]
  readonly values: Float32Array[]
  readonly #occupants: (WeakRef<SlotState> | null)[]

  constructor(config: LlamaConfig, slots: number, capacity: number) {
    const size = slots * config.kvHeads * capacity * config.headSize
    this.config = config
    this.slots = slots
    this.capacity = capacity
    this.keys = Array.from({ length: config.layers }, () => new Float32Array(size))
    this.values = Array.from({ length: config.layers }, () => new Float32Array(size))
    this.#occupants = Array.from({ length: slots }, () => null)
  }

  /** Floats of one slot in one layer. */
  get stride(): number {
    return this.config.kvHeads * this.capacity * this.config.headSize
  }

  occupant(slot: number): SlotState | null {
    const state = this.#occupants[slot]?.deref()
    // A state that moved on leaves its name behind; only one that still lives here counts.
    return state?.block === this && state.slot === slot ? state : null
  }

  get empty(): boolean {
    return this.#occupants.every((_, slot) => this.occupant(slot) === null)
  }

  settle(state: SlotState, slot: number): void {
    this.#occupants[slot] = new WeakRef(state)
  }
}

export class SlotState implements KvState {
  block: KvBlock
  slot: number
  length: number

  constructor(block: KvBlock, slot: number, length: number) {
    this.block = block
    this.slot = slot
    this.length = length
    block.settle(this, slot)
  }

  get bytes(): number {
    return 2 * 4 * this.block.stride * this.block.config.layers
  }

  copy(length: number): SlotState {
    if (length < 0 || length > this.length) {
      throw new RangeError(`A state of ${this.length} tokens has no first ${length}.`)
    }
    const block = new KvBlock(this.block.config, 1, roomFor(length))
    const copy = new SlotState(block, 0, length)
    copySlot(this.block, this.slot, block, 0, length)
    return copy
  }

  moveTo(block: KvBlock, slot: number): void {
    copySlot(this.block, this.slot, block, slot, this.length)
    this.block = block
    this.slot = slot
    block.settle(this, slot)
  }

  /** Makes room for `length` tokens, in a block of its own if this one is too short. */
  reserve(length: number): void {
    if (length <= this.block.capacity) return
    const most = this.block.config.contextWindow
    // Half as much again, so that a growing row is copied a few times only.
    const capacity = Math.min(roomFor(Math.max(length, this.length * 1.5)), roomFor(most))
    this.moveTo(new KvBlock(this.block.config, 1, capacity), 0)
  }
}

const roomStep = 64

export function roomFor(tokens: number): number {
  return Math.max(1, Math.ceil(tokens / roomStep)) * roomStep
}

function copySlot(from: KvBlock, fromSlot: number, to: KvBlock, toSlot: number, length: number) {
  const { kvHeads, headSize, layers } = from.config
  for (let layer = 0; layer < layers; layer++) {
    for (const part of ['keys', 'values'] as const) {
      const source = from[part][layer]!
      const target = to[part][layer]!
      for (let head = 0; head < kvHeads; head++) {
        const start = fromSlot * from.stride + head * from.capacity * headSize
        const place = toSlot * to.stride + head * to.capacity * headSize
        target.set(source.subarray(start, start + length * headSize), place)
      }
    }
  }
}
