// Refuses breakpoints that no model could act on. A request is judged by what it carries and not by its model, so
// that the same body is not right on one model and wrong on another.
import type { CacheMark } from '../core/block.ts'
import { Refusal } from '../core/refusal.ts'
import type { CachePreference } from '../core/request.ts'
import type { PromptBlock } from '../core/prompt-blocks.ts'

/** Spec 1, caching rule 7. */
export const breakpointsMax = 4

export function validateBreakpoints(blocks: readonly PromptBlock[], cache: CachePreference): void {
  const marked = blocks.filter(isMarked)
  for (const { canCarryMark, param } of marked) {
    if (canCarryMark) continue
    throw new Refusal('invalid_value', `cache_control marker on a block that cannot carry one.`, {
      param,
    })
  }
  const each = marked.flatMap((block) => Array<PromptBlock>(marksOn(block)).fill(block))
  const tooMany = each[breakpointsMax]
  if (tooMany) {
    throw new Refusal(
      'invalid_value',
      `A request can have at most ${breakpointsMax} cache_control breakpoints; this one has ${each.length}.`,
      { param: tooMany.param },
    )
  }
  // Even where the automatic one would fall on a marked block: it has to have a slot of its own.
  if (cache.automatic && each.length === breakpointsMax) {
    throw new Refusal(
      'invalid_value',
      `automatic caching needs a free breakpoint, and this request places all ${breakpointsMax} itself; remove one of them or the top-level cache_control.`,
      { param: 'cache_control' },
    )
  }
  refuseWrongOrder([
    ...marked.map(({ mark, param }) => ({ ttl: mark.ttl, param })),
    ...automaticOf(blocks, cache),
  ])
}

/** Spec 1, caching rule 10. The list is in prompt order. */
function refuseWrongOrder(breakpoints: { ttl: CacheMark['ttl']; param: string }[]): void {
  let shortSeen = false
  for (const { ttl, param } of breakpoints) {
    if (ttl === '5m') shortSeen = true
    else if (shortSeen) {
      throw new Refusal(
        'invalid_value',
        'cache_control breakpoints with ttl "1h" must come before those with ttl "5m".',
        { param },
      )
    }
  }
}

function automaticOf(
  blocks: readonly PromptBlock[],
  { automatic }: CachePreference,
): { ttl: CacheMark['ttl']; param: string }[] {
  const last = blocks.findLast(({ canCarryMark }) => canCarryMark)
  // A mark of the last block's own is kept in the automatic one's place (spec 1, caching rule 5).
  if (!automatic || !last || isMarked(last)) return []
  return [{ ttl: automatic.ttl, param: 'cache_control' }]
}

/** A tool result is one block, but whoever marks several of its parts has placed several breakpoints. */
function marksOn({ content }: PromptBlock): number {
  if (content.type !== 'tool-result') return 1
  return [content, ...content.content].filter(({ cache }) => cache?.from === 'cache_control').length
}

function isMarked(block: PromptBlock): block is PromptBlock & { mark: CacheMark } {
  return block.mark?.from === 'cache_control'
}
