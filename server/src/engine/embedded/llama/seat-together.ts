// Brings the states of rows that decode together into one block. Rows stay where they sit from step to step, so
// only those that join or leave are copied.
import type { LlamaConfig } from './llama-config.ts'
import { KvBlock, roomFor } from './kv-state.ts'
import type { SlotState } from './kv-state.ts'

/** Slots come in fours, so that rows may come and go without everyone moving each time. */
const slotStep = 4

/**
 * Seats every state in `table` if it fits and in a new block if not, with room for one more token each.
 * Returns the block; each state then knows its slot.
 */
export function seatTogether(
  config: LlamaConfig,
  table: KvBlock | null,
  states: readonly SlotState[],
): KvBlock {
  const need = Math.max(...states.map((state) => state.length + 1))
  const slots = Math.ceil(states.length / slotStep) * slotStep
  const fits =
    table !== null &&
    table.capacity >= need &&
    table.slots >= states.length &&
    // A block much too large is computed and cleared for nothing.
    table.slots <= 2 * slots &&
    table.capacity <= 2 * roomFor(need)
  const block = fits ? table : new KvBlock(config, slots, roomFor(need))

  const seated = new Set(states)
  let slot = 0
  for (const state of states) {
    if (state.block === block) continue
    for (;;) {
      const occupant = block.occupant(slot)
      if (!occupant) break
      if (!seated.has(occupant)) {
        // It waits its turn elsewhere: someone still holds it.
        occupant.moveTo(new KvBlock(config, 1, roomFor(occupant.length)), 0)
        break
      }
      slot++
    }
    state.moveTo(block, slot)
  }
  return block
}
