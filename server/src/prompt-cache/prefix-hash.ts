// SHA-256 of prefixes of a prompt: one running hash over the blocks, read off where it is asked for, so the time is
// that of hashing the prompt once. A long prompt is hashed in slices between which others get their turn.
import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Effort } from '../core/request.ts'
import { canonicalText, lengthPrefixed } from './canonical-text.ts'
import type { PromptBlock } from '../core/prompt-blocks.ts'

/** What must be the same besides the blocks (spec 1, caching rule 15), and whose entry it is. */
export type PrefixScope = {
  workspaceId: string
  model: string
  effort: Effort | null
  thinkingBudgetTokens: number | null
  hasImages: boolean
}

/** Code units hashed in one go, a few milliseconds at most. */
const sliceUnits = 1 << 18
/** Blocks put into words in one go. */
const sliceBlocks = 1 << 11

/** By length in blocks. */
export async function prefixHashes(
  scope: PrefixScope,
  blocks: readonly PromptBlock[],
  lengths: Iterable<number>,
): Promise<Map<number, Buffer>> {
  const wanted = new Set(lengths)
  const hash = createHash('sha256').update(scopeText(scope))
  const found = new Map<number, Buffer>()
  const longest = Math.min(blocks.length, Math.max(0, ...wanted))
  let text = ''
  for (let length = 1; length <= longest; length++) {
    text += canonicalText(blocks[length - 1] as PromptBlock)
    const isWanted = wanted.has(length)
    if (!isWanted && text.length < sliceUnits && length % sliceBlocks > 0) continue
    for (let start = 0; start < text.length;) {
      if (start > 0) await nextTurn()
      const end = sliceEnd(text, start)
      hash.update(text.slice(start, end))
      start = end
    }
    text = ''
    if (isWanted) found.set(length, hash.copy().digest())
    else await nextTurn()
  }
  return found
}

function scopeText(scope: PrefixScope): string {
  return lengthPrefixed([
    scope.workspaceId,
    scope.model,
    scope.effort ?? '',
    scope.thinkingBudgetTokens === null ? '' : String(scope.thinkingBudgetTokens),
    scope.hasImages ? 'images' : '',
  ])
}

/** Never between the halves of a pair, which would not be hashed as the character they are. */
function sliceEnd(text: string, start: number): number {
  const end = Math.min(start + sliceUnits, text.length)
  return end < text.length && isHighSurrogate(text.charCodeAt(end - 1)) ? end + 1 : end
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}
