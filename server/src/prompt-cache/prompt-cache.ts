// The prompt cache as inference uses it: a plan for each call. A cache is a saving and not a condition, so a database
// that cannot be asked costs the saving and never the call.
import type { Logger } from 'pino'
import type { CallRequest, Effort } from '../core/request.ts'
import type { Clock } from '../lib/clock.ts'
import type { Storage } from '../storage/open-storage.ts'
import {
  cachedPlan,
  type CacheMarker,
  type CachePlan,
  type PlannedEntry,
  uncachedPlan,
} from './cache-plan.ts'
import { EntryWriter, withoutRepeats } from './entry-writer.ts'
import { lookBack } from './look-back.ts'
import {
  type Breakpoint,
  type ModelCaching,
  placeBreakpoints,
  platformPlaces,
  type Ttl,
} from './place-breakpoints.ts'
import { prefixHashes } from './prefix-hash.ts'
import { hasImages, promptBlocks } from '../core/prompt-blocks.ts'
import { deleteExpired, type Entry, expiryOf, findEntries } from './prompt-cache-store.ts'
import type { Hit } from './split-usage.ts'
import { validateBreakpoints } from './validate-breakpoints.ts'

export type PlanInput = {
  request: CallRequest
  /** The immutable name of the model at its engine, which is whose cache it is (spec 1, caching rule 15). */
  model: string
  workspaceId: string
  caching: ModelCaching
  /** As served, after the model's ladder was applied; null when the model does not think. */
  effort: Effort | null
  startedAt: Date
}

export class PromptCache {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #log: Pick<Logger, 'warn'>
  readonly #writer: EntryWriter

  constructor(storage: Storage, clock: Clock, log: Pick<Logger, 'warn'>) {
    this.#storage = storage
    this.#clock = clock
    this.#log = log
    this.#writer = new EntryWriter(storage, clock)
  }

  /** Throws a Refusal for breakpoints that cannot be; asks the database only where something can be cached. */
  async plan(input: PlanInput): Promise<CachePlan> {
    const { caching } = input
    const { cache } = input.request
    const marker = markerOf(cache.marked, caching)
    if (!cache.marked && !platformPlaces(cache, caching)) return uncached(marker, caching)
    return this.#planCached(input, marker)
  }

  async #planCached(input: PlanInput, marker: CacheMarker): Promise<CachePlan> {
    const { request, caching, model, workspaceId, startedAt } = input
    const { cache } = request
    const blocks = promptBlocks(request)
    validateBreakpoints(blocks, cache)
    const breakpoints = placeBreakpoints(blocks, cache, caching)
    if (breakpoints.length === 0) return uncached(marker, caching)

    const lengths = lookBack(breakpoints)
    const hashes = await prefixHashes(
      {
        workspaceId,
        model,
        effort: input.effort,
        thinkingBudgetTokens: budgetOf(request),
        hasImages: hasImages(blocks),
      },
      blocks,
      lengths,
    )
    const found = await this.#find(input, hashes)
    // Whoever might have read at a tenth of the price must not pay a premium because the database was away.
    if (!found) return uncached(marker, caching)

    const usable = found.filter(
      ({ entry }) => entry.tokens === null || entry.tokens >= caching.min_tokens,
    )
    const longest = usable.toSorted((a, b) => b.blocks - a.blocks)[0]
    const hit: Hit | null = longest
      ? { blocks: longest.blocks, ttl: longest.entry.ttl, tokens: longest.entry.tokens }
      : null
    const refreshed = usable.map(({ blocks: length, entry }) => ({
      blocks: length,
      entry: { ...entry, expiresAt: expiryOf(entry.ttl, startedAt) },
    }))
    const written = newEntries(breakpoints, hit, usable).map(({ blocks: length, ttl }) => ({
      blocks: length,
      entry: {
        workspaceId,
        model,
        hash: hashes.get(length) as Buffer,
        ttl,
        tokens: null,
        expiresAt: expiryOf(ttl, startedAt),
      },
    }))
    return cachedPlan({
      marker,
      blocks,
      breakpoints,
      minTokens: caching.min_tokens,
      hit,
      entries: [...refreshed, ...written],
      write: (entries) => this.#write(entries),
    })
  }

  /** For a background task: removes what nobody can read any more, and says how much it was. */
  deleteExpired(limit = 1000): Promise<number> {
    return deleteExpired(this.#storage, this.#clock.now(), limit)
  }

  /** Waits for the entries on their way into the database. */
  drained(): Promise<void> {
    return this.#writer.drained()
  }

  async #find(
    { workspaceId, model, startedAt }: PlanInput,
    hashes: ReadonlyMap<number, Buffer>,
  ): Promise<PlannedEntry[] | null> {
    try {
      const query = { workspaceId, model, hashes: [...hashes.values()], at: startedAt }
      // Looked at first: what is stored meanwhile is in neither place later.
      const pending = this.#writer.pending(query)
      const stored = await findEntries(this.#storage, query)
      const entries = withoutRepeats([...stored, ...pending])
      const byHash = new Map(entries.map((entry) => [entry.hash.toString('hex'), entry]))
      return [...hashes].flatMap(([blocks, hash]) => {
        const entry = byHash.get(hash.toString('hex'))
        return entry ? [{ blocks, entry }] : []
      })
    } catch (err) {
      this.#log.warn(
        { err, model },
        'the prompt cache could not be read; the call is served without it',
      )
      return null
    }
  }

  async #write(entries: Entry[]): Promise<boolean> {
    try {
      await this.#writer.write(entries)
      return true
    } catch (err) {
      this.#log.warn({ err }, 'the prompt cache could not be written')
      return false
    }
  }
}

function budgetOf({ reasoning }: CallRequest): number | null {
  return 'budgetTokens' in reasoning ? (reasoning.budgetTokens ?? null) : null
}

function markerOf(marked: boolean, caching: ModelCaching): CacheMarker {
  if (!marked) return null
  return caching.type === 'explicit' ? 'honoured' : 'ignored'
}

/** Where writes are billed by breakpoints, a call without any has none to pay, whatever its server wrote unasked. */
function uncached(marker: CacheMarker, { type, bills_writes }: ModelCaching): CachePlan {
  return uncachedPlan(marker, type === 'explicit' || bills_writes ? 'as-input' : 'as-reported')
}

/**
 * What is not there yet. A breakpoint inside of what is read costs nothing to keep, so it lives as long as what is
 * read and not longer: an hour is had by paying for an hour.
 */
function newEntries(
  breakpoints: readonly Breakpoint[],
  hit: Hit | null,
  found: readonly PlannedEntry[],
): { blocks: number; ttl: Ttl }[] {
  return breakpoints
    .map(({ blockIndex, ttl }) => ({ blocks: blockIndex + 1, ttl }))
    .filter(({ blocks }) => !found.some((entry) => entry.blocks === blocks))
    .map(({ blocks, ttl }) => ({
      blocks,
      ttl: hit && blocks < hit.blocks && hit.ttl === '5m' ? '5m' : ttl,
    }))
}
