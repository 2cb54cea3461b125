// Splits a prompt's tokens into what was read from the cache, what was written to it, and the rest. What each part
// is called on the wire:
//
//   core Usage           chat-completions `usage`                        messages `usage`
//   cacheReadTokens      prompt_tokens_details.cached_tokens             cache_read_input_tokens
//   cacheWrite5mTokens   prompt_tokens_details.cache_write_5m_tokens     cache_creation.ephemeral_5m_input_tokens
//   cacheWrite1hTokens   prompt_tokens_details.cache_write_1h_tokens     cache_creation.ephemeral_1h_input_tokens
//   both writes          –                                               cache_creation_input_tokens
//   inputTokens          –                                               input_tokens
//   all four             prompt_tokens                                   –
//   outputTokens         completion_tokens                               output_tokens
//
// A prompt is billed in this order; parts that do not occur are empty:
//
//   |  read up to the hit  |  written, to the last 1h  |  written, to the last 5m  |  plain input  |
import { promptTokens, type Usage } from '../core/usage.ts'
import type { Breakpoint, Ttl } from './place-breakpoints.ts'

/** The stored prefix that a request reads. */
export type Hit = {
  /** Its length in blocks. */
  blocks: number
  ttl: Ttl
  /** Null when the call that wrote it has not said yet. */
  tokens: number | null
}

export type CachedPrompt = {
  tokensPerBlock: readonly number[]
  hit: Hit | null
  /** What the engine says it read, where it keeps a cache of its own; it then decides, and not the hit. */
  reportedRead?: number | null
  breakpoints: readonly Breakpoint[]
  minTokens: number
}

export type SplitUsage = {
  usage: Usage
  /** Tokens of the prefix of that many blocks, as billed: what an entry is to remember. */
  tokensOf: (blocks: number) => number
}

export function splitUsage(usage: Usage, prompt: CachedPrompt): SplitUsage {
  const total = promptTokens(usage)
  const sums = runningSums(prompt.tokensPerBlock, total)
  const hit = readable(prompt, sums, total)
  const tokensOf = (blocks: number): number => {
    const counted = sums[Math.min(blocks, sums.length - 1)] ?? 0
    if (!hit) return counted
    if (blocks === hit.blocks) return hit.tokens
    return blocks < hit.blocks ? Math.min(counted, hit.tokens) : Math.max(counted, hit.tokens)
  }
  const read = prompt.reportedRead ?? hit?.tokens ?? 0
  // What an earlier call wrote is not written again, although the engine may have dropped it since.
  const there = Math.max(read, hit?.tokens ?? 0)
  const endOf = (ttl: Ttl): number => {
    const ends = prompt.breakpoints
      .filter((at) => at.ttl === ttl && at.premium && at.blockIndex + 1 > (hit?.blocks ?? 0))
      .map((at) => tokensOf(at.blockIndex + 1))
      // Spec 1, caching rule 16.
      .filter((tokens) => tokens >= prompt.minTokens)
    return Math.max(there, ...ends)
  }
  const end1h = endOf('1h')
  const end5m = Math.max(end1h, endOf('5m'))
  return {
    tokensOf,
    usage: {
      ...usage,
      inputTokens: total - end5m + (there - read),
      cacheReadTokens: read,
      cacheWrite1hTokens: end1h - there,
      cacheWrite5mTokens: end5m - end1h,
    },
  }
}

/** A hit with its count: the remembered one if there is one, so that a prefix is read as it was written. */
function readable(
  { hit, minTokens }: CachedPrompt,
  sums: readonly number[],
  total: number,
): { blocks: number; tokens: number } | null {
  if (!hit) return null
  const tokens = Math.min(hit.tokens ?? sums[hit.blocks] ?? 0, total)
  return tokens >= minTokens ? { blocks: hit.blocks, tokens } : null
}

/** `sums[n]` is what the first n blocks have, never more than the total that is billed. */
function runningSums(tokensPerBlock: readonly number[], total: number): number[] {
  let sum = 0
  const sums = [0]
  for (const tokens of tokensPerBlock) {
    sum += tokens
    sums.push(Math.min(sum, total))
  }
  return sums
}
