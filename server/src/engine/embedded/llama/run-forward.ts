// One run of the serving graph over neighbouring slots of a block, and what it leaves behind in their states.
import { floatTensor, int32Tensor, int64Tensor } from '../graph/open-session.ts'
import type { Feeds, Session } from '../graph/open-session.ts'
import { hasFusedHeads } from './forward-attention.ts'
import { forwardNames } from './forward-graph.ts'
import type { ForwardKind } from './forward-graph.ts'
import type { KvBlock, SlotState } from './kv-state.ts'

export type SeatedRow = { state: SlotState; tokens: ArrayLike<number> }

/**
 * Runs the slots from `first` on: one row with a prompt, or many with a token each, where a null seat is computed
 * and thrown away. Returns the logits after each row's last token, in seat order.
 */
export async function runForward(
  session: Session,
  kind: ForwardKind,
  block: KvBlock,
  first: number,
  seats: readonly (SeatedRow | null)[],
  extra: Feeds,
): Promise<Float32Array[]> {
  const { layers, kvHeads, headSize, vocabSize } = block.config
  const rows = seats.filter((seat) => seat !== null)
  const count = rows[0]!.tokens.length
  const past = [seats.length, kvHeads, block.capacity, headSize]
  const range = [first * block.stride, (first + seats.length) * block.stride] as const

  const feeds: Feeds = {
    ...extra,
    ...tokenFeeds(seats, count),
    ...(kind === 'prompt' ? promptFeeds(rows[0]!) : decodeFeeds(seats, block.capacity)),
  }
  for (let layer = 0; layer < layers; layer++) {
    const keys = block.keys[layer]!.subarray(...range)
    const values = block.values[layer]!.subarray(...range)
    feeds[forwardNames.pastKeys(layer)] = floatTensor(keys, past)
    feeds[forwardNames.pastValues(layer)] = floatTensor(values, past)
  }
  const results = await session.run(feeds)
  const data = (name: string) => results[name]!.data as Float32Array

  for (let layer = 0; layer < layers; layer++) {
    append(block, block.keys[layer]!, data(forwardNames.newKeys(layer)), seats, first, count)
    append(block, block.values[layer]!, data(forwardNames.newValues(layer)), seats, first, count)
  }
  for (const { state } of rows) state.length += count
  const logits = data('logits')
  return rows.map((_, i) => logits.subarray(i * vocabSize, (i + 1) * vocabSize))
}

function tokenFeeds(seats: readonly (SeatedRow | null)[], count: number): Feeds {
  const ids = new BigInt64Array(seats.length * count)
  const positions = new BigInt64Array(seats.length * count)
  const last: bigint[] = []
  seats.forEach((seat, slot) => {
    if (!seat) return
    for (let i = 0; i < count; i++) {
      ids[slot * count + i] = BigInt(seat.tokens[i]!)
      positions[slot * count + i] = BigInt(seat.state.length + i)
    }
    last.push(BigInt((slot + 1) * count - 1))
  })
  return {
    ids: int64Tensor(ids, [seats.length, count]),
    positions: int64Tensor(positions, [seats.length, count]),
    last: int64Tensor(BigInt64Array.from(last), [last.length]),
  }
}

function promptFeeds({ state, tokens }: SeatedRow): Feeds {
  const { config, capacity } = state.block
  if (!hasFusedHeads(config)) {
    return plainFeeds(state.length, tokens.length, capacity, config.heads / config.kvHeads)
  }
  const total = state.length + tokens.length
  return {
    earlier: int32Tensor(Int32Array.of(total - 1), [1]),
    total: int32Tensor(Int32Array.of(total), []),
  }
}

const hidden = -1e30

/** Each of the new tokens sees all earlier ones, itself, and the new ones before it. */
function plainFeeds(earlier: number, count: number, capacity: number, repeats: number): Feeds {
  const width = capacity + count
  const mask = new Float32Array(repeats * count * width)
  for (let row = 0; row < repeats * count; row++) {
    mask.fill(hidden, row * width + earlier, row * width + capacity)
    mask.fill(hidden, row * width + capacity + (row % count) + 1, (row + 1) * width)
  }
  return {
    mask: floatTensor(mask, [repeats * count, width]),
    sizes: int64Tensor(BigInt64Array.of(BigInt(capacity), BigInt(count)), [2]),
  }
}

function decodeFeeds(seats: readonly (SeatedRow | null)[], capacity: number): Feeds {
  const width = capacity + 1
  const mask = new Float32Array(seats.length * width)
  seats.forEach((seat, slot) => {
    mask.fill(hidden, slot * width + (seat?.state.length ?? 0), slot * width + capacity)
  })
  return {
    mask: floatTensor(mask, [seats.length, 1, 1, width]),
    sizes: int64Tensor(BigInt64Array.of(BigInt(capacity), 1n), [2]),
  }
}

/** From [slot, token, head, size] as the graph computes to [slot, head, position, size] as it reads. */
function append(
  block: KvBlock,
  target: Float32Array,
  fresh: Float32Array,
  seats: readonly (SeatedRow | null)[],
  first: number,
  count: number,
): void {
  const { kvHeads, headSize } = block.config
  let from = 0
  seats.forEach((seat, slot) => {
    if (!seat) {
      from += count * kvHeads * headSize
      return
    }
    const start = (first + slot) * block.stride + seat.state.length * headSize
    for (let token = 0; token < count; token++) {
      for (let head = 0; head < kvHeads; head++) {
        const to = start + (head * block.capacity + token) * headSize
        for (let i = 0; i < headSize; i++) target[to + i] = fresh[from++]!
      }
    }
  })
}
