// What one call does with the cache, decided before the engine is asked: which entries it keeps once the answer has
// begun, and how its prompt is billed at the end.
import type { PromptFacts } from '../core/stream-part.ts'
import { promptTokens, type Usage } from '../core/usage.ts'
import { blockWeight } from './block-weight.ts'
import type { Breakpoint } from './place-breakpoints.ts'
import type { PromptBlock } from '../core/prompt-blocks.ts'
import type { Entry } from './prompt-cache-store.ts'
import { shareOutTokens } from './share-out-tokens.ts'
import { type Hit, splitUsage } from './split-usage.ts'

/** Value of the header `X-Service-Cache-Marker`; null means that it is not sent (spec 1, caching rule 12). */
export type CacheMarker = 'honoured' | 'ignored' | null

export type CachePlan = {
  readonly marker: CacheMarker
  /** In force for this call, for engines that keep the state of a prefix or pass the marks on. */
  readonly breakpoints: readonly Breakpoint[]
  /** The first part of the answer is there: from now on the entries exist (spec 1, caching rule 14). */
  responseStarted(): void
  /** The usage to bill; asked as often as the engine says more, and the last answer counts. */
  split(usage: Usage, told?: PromptFacts): Usage
  /**
   * How much of the prompt is read from what Hone keeps, from 0 to 1: as billed, or else as expected. What a server reports of
   * its own cache makes no difference, because nobody hears that of a call that was hung up on.
   */
  readShare(): number
  /** The call failed or was aborted. Entries stay if the answer had begun, and never come to be if it had not. */
  abandoned(): void
}

/** A call for which nothing is read or written by the book. What a server wrote that nobody asked to may bill as input. */
export function uncachedPlan(marker: CacheMarker, writes: 'as-reported' | 'as-input'): CachePlan {
  return {
    marker,
    breakpoints: [],
    responseStarted() {},
    split: writes === 'as-reported' ? asReported : writesAsInput,
    readShare: () => 0,
    abandoned() {},
  }
}

function asReported(usage: Usage): Usage {
  return usage
}

/** An entry of this call, by the length of its prefix. */
export type PlannedEntry = { blocks: number; entry: Entry }

export type PlanFacts = {
  marker: CacheMarker
  blocks: readonly PromptBlock[]
  breakpoints: readonly Breakpoint[]
  minTokens: number
  hit: Hit | null
  /** Those to write, and those found, which are refreshed by writing them again. */
  entries: readonly PlannedEntry[]
  /** Writes in the background and says whether it worked; never throws. */
  write: (entries: Entry[]) => Promise<boolean>
}

export function cachedPlan(facts: PlanFacts): CachePlan {
  let state: 'waiting' | 'started' | 'abandoned' = 'waiting'
  let countedTokens = 0
  let stored: 'unknown' | 'yes' | 'no' = 'unknown'
  let weights: readonly number[] | null = null
  let billedShare: number | null = null
  const weightsOf = (): readonly number[] => (weights ??= facts.blocks.map(blockWeight))

  const keep = (entries: Entry[]): void => {
    if (entries.length === 0) return
    void facts.write(entries).then((worked) => {
      if (stored !== 'no') stored = worked ? 'yes' : 'no'
    })
  }

  return {
    marker: facts.marker,
    breakpoints: facts.breakpoints,
    responseStarted() {
      if (state !== 'waiting') return
      state = 'started'
      keep(facts.entries.map(({ entry }) => entry))
    },
    // What the engine reports of a cache of its own is billed as reported, also where that is nothing.
    split(usage, { cacheReport, tokensPerBlock } = {}) {
      const { breakpoints } = facts
      if (cacheReport === 'reads-and-writes') return withoutManagedWrites(usage, breakpoints)
      if (cacheReport === 'reads-and-total-writes') {
        return withoutManagedWrites(forAsLongAsAsked(usage, breakpoints), breakpoints)
      }
      const { usage: billed, tokensOf } = splitUsage(usage, {
        tokensPerBlock: countsOf(facts.blocks, usage, tokensPerBlock, weightsOf),
        hit: facts.hit,
        reportedRead: cacheReport === 'reads' ? usage.cacheReadTokens : null,
        // Nobody pays for a write that is known to have failed.
        breakpoints: stored === 'no' ? [] : breakpoints,
        minTokens: facts.minTokens,
      })
      const total = promptTokens(usage)
      if (cacheReport === undefined && total > 0) billedShare = billed.cacheReadTokens / total
      if (state === 'started' && stored !== 'no' && total !== countedTokens) {
        countedTokens = total
        keep(
          facts.entries
            .filter(({ entry }) => entry.tokens === null)
            .map(({ blocks, entry }) => ({ ...entry, tokens: tokensOf(blocks) })),
        )
      }
      return billed
    },
    readShare: () => billedShare ?? expectedShare(facts.hit, weightsOf),
    abandoned() {
      if (state === 'waiting') state = 'abandoned'
    },
  }
}

function expectedShare(hit: Hit | null, weightsOf: () => readonly number[]): number {
  if (!hit) return 0
  const weights = weightsOf()
  const sum = (some: readonly number[]): number => some.reduce((all, weight) => all + weight, 0)
  return sum(weights.slice(0, hit.blocks)) / sum(weights)
}

/** The total in shares: by what the engine counted of each block, else by their lengths. */
function countsOf(
  blocks: readonly PromptBlock[],
  usage: Usage,
  tokensPerBlock: readonly number[] | undefined,
  weightsOf: () => readonly number[],
): readonly number[] {
  const counted = tokensPerBlock?.length === blocks.length
  return shareOutTokens(promptTokens(usage), counted ? tokensPerBlock : weightsOf())
}

/** Where every breakpoint asked for an hour, an hour is what was written; where they differ, nobody can tell. */
function forAsLongAsAsked(usage: Usage, breakpoints: readonly Breakpoint[]): Usage {
  if (breakpoints.length === 0 || breakpoints.some(({ ttl }) => ttl !== '1h')) return usage
  const written = usage.cacheWrite5mTokens + usage.cacheWrite1hTokens
  return { ...usage, cacheWrite5mTokens: 0, cacheWrite1hTokens: written }
}

/** Spec 1, caching rule 4: a write that the platform asked for bills as input, whoever reports it. */
function withoutManagedWrites(usage: Usage, breakpoints: readonly Breakpoint[]): Usage {
  return breakpoints.some(({ premium }) => premium) ? usage : writesAsInput(usage)
}

function writesAsInput(usage: Usage): Usage {
  const written = usage.cacheWrite5mTokens + usage.cacheWrite1hTokens
  if (written === 0) return usage
  return {
    ...usage,
    inputTokens: usage.inputTokens + written,
    cacheWrite5mTokens: 0,
    cacheWrite1hTokens: 0,
  }
}
