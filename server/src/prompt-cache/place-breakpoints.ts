// Which breakpoints are in force for a request on a model: the caller's own, or those the platform places.
//
//   model                    the caller placed                  in force
//   explicit                 cache_control                      those; nothing of the platform's
//   explicit                 none                               platform-managed, unless switched off; no premium
//   automatic, bills writes  prompt_cache_breakpoint            those
//   automatic, bills writes  none                               the whole prompt and where others may part from it,
//                                                               unless only explicit ones are wanted
//   automatic, none          anything                           nothing: the engine reports what it cached, if it did
import { type CacheMark, isBreakpoint } from '../core/block.ts'
import type { CachePreference } from '../core/request.ts'
import { blockWeight } from './block-weight.ts'
import type { PromptBlock } from '../core/prompt-blocks.ts'
import { breakpointsMax } from './validate-breakpoints.ts'

export type Ttl = CacheMark['ttl']

/** What the catalog says about a model's caching. */
export type ModelCaching = {
  type: 'explicit' | 'automatic' | 'none'
  min_tokens: number
  /** Automatic models only: every prompt of `min_tokens` or more is billed as a write (spec 1, caching rule 3). */
  bills_writes: boolean
}

export type Breakpoint = {
  blockIndex: number
  ttl: Ttl
  /** False where what is written bills at the plain input price. */
  premium: boolean
}

/** Tells, before any block is looked at, whether a request without marks could get a breakpoint. */
export function platformPlaces(cache: CachePreference, caching: ModelCaching): boolean {
  switch (caching.type) {
    case 'explicit':
      return cache.managed
    case 'automatic':
      return caching.bills_writes
    case 'none':
      return false
  }
}

/** In prompt order, at most one on a block. */
export function placeBreakpoints(
  blocks: readonly PromptBlock[],
  cache: CachePreference,
  caching: ModelCaching,
): Breakpoint[] {
  switch (caching.type) {
    case 'explicit': {
      const own = [...marksOf(blocks, isCacheControl), ...automatic(blocks, cache)]
      if (own.length > 0 || cache.marked) return own
      return cache.managed ? managed(blocks, caching.min_tokens) : []
    }
    case 'automatic':
      return caching.bills_writes ? writesByDefault(blocks, cache, caching.min_tokens) : []
    case 'none':
      return []
  }
}

function marksOf(
  blocks: readonly PromptBlock[],
  isKind: (mark: CacheMark) => boolean,
): Breakpoint[] {
  return blocks.flatMap(({ mark }, blockIndex) =>
    mark && isKind(mark) ? [{ blockIndex, ttl: mark.ttl, premium: true }] : [],
  )
}

function isCacheControl({ from }: CacheMark): boolean {
  return from === 'cache_control'
}

/** Spec 1, caching rule 5. */
function automatic(blocks: readonly PromptBlock[], cache: CachePreference): Breakpoint[] {
  const blockIndex = blocks.findLastIndex(({ canCarryMark }) => canCarryMark)
  if (!cache.automatic || blockIndex < 0) return []
  if (blocks[blockIndex]?.mark?.from === 'cache_control') return []
  return [{ blockIndex, ttl: cache.automatic.ttl, premium: true }]
}

/** Spec 1, caching rule 4. */
function managed(blocks: readonly PromptBlock[], minTokens: number): Breakpoint[] {
  // Without a system prompt, its end is where the tools end.
  const places = [blocks.findLastIndex(({ param }) => param !== 'messages')]
  if (blocks.some(({ opens }) => opens === 'assistant')) {
    places.push(
      blocks.findLastIndex(({ param, canCarryMark }) => param === 'messages' && canCarryMark),
    )
  }
  return longEnough(places, blocks, minTokens).map((blockIndex) => ({
    blockIndex,
    ttl: '5m',
    premium: false,
  }))
}

/** Spec 1, caching rule 3. */
function writesByDefault(
  blocks: readonly PromptBlock[],
  cache: CachePreference,
  minTokens: number,
): Breakpoint[] {
  const own = marksOf(blocks, isBreakpoint)
  // These models take any number of marks, and the last ones matter; each of them is looked up.
  if (own.length > 0) {
    return own.slice(-breakpointsMax).map((breakpoint) => ({ ...breakpoint, ttl: '5m' }))
  }
  if (cache.explicitOnly) return []
  return longEnough(defaultEnds(blocks), blocks, minTokens).map((blockIndex) => ({
    blockIndex,
    ttl: '5m',
    premium: true,
  }))
}

/**
 * Where calls that begin alike are likely to part: behind the system prompt, before the last message and before its
 * last block. The whole prompt is billed as one write however many of its prefixes are kept.
 */
function defaultEnds(blocks: readonly PromptBlock[]): number[] {
  const last = blocks.length - 1
  const ends = [
    blocks.findLastIndex(({ param }) => param !== 'messages'),
    blocks.findLastIndex(({ opens }) => opens !== null) - 1,
    last - 1,
    last,
  ]
  return [...new Set(ends)].filter((end) => end >= 0).sort((a, b) => a - b)
}

/**
 * Without the ends of prefixes that have fewer bytes than the minimum has tokens. Such a prompt costs no trip to the database.
 * Where the caller asked for a breakpoint it is not applied, because there the engine's count decides.
 */
function longEnough(
  ends: readonly number[],
  blocks: readonly PromptBlock[],
  minTokens: number,
): number[] {
  let weight = 0
  for (const [index, block] of blocks.entries()) {
    weight += blockWeight(block)
    if (weight >= minTokens) return ends.filter((end) => end >= index)
  }
  return []
}
