// Whether a server of this dialect is asked to think about a call, and how that is said to it. Servers differ in what they
// take, and refuse to think where a conversation does not allow it; then the call is answered without, and that is said.
import { type Effort, effortTokens } from '../../core/request.ts'
import type { EngineCall } from '../engine.ts'
import { isProven } from './proven-thought.ts'
import type { Turn } from './wire-turns.ts'

/**
 * How a route's server takes the wish: as a level that the model keeps to by itself, as a number of tokens (Claude before
 * 4.6), or not at all.
 */
export type ThinkingWay = 'adaptive' | 'budget' | 'none'

export type ThinkingWish =
  { kind: 'adaptive' } | { kind: 'budget'; tokens: number } | { kind: 'off' } | { kind: 'unsaid' }

/** `turns` with the thoughts that the server can take up again. */
export function thinkingWish(
  call: EngineCall,
  way: ThinkingWay,
  turns: readonly Turn[],
): ThinkingWish {
  if (way === 'none') return { kind: 'unsaid' }
  if (call.effort !== null && mayThink(call, way, turns)) {
    return way === 'adaptive'
      ? { kind: 'adaptive' }
      : { kind: 'budget', tokens: budgetOf(call, call.effort) }
  }
  // Left out, a model that can think would think at its own level; one that must takes no such word.
  if (!call.canThink || call.mustThink) return { kind: 'unsaid' }
  return { kind: 'off' }
}

/** Whether the caller gets less than was settled. */
export function isLess({ effort, request }: EngineCall, wish: ThinkingWish, way: ThinkingWay) {
  if (way === 'none') return request.reasoning.kind !== 'default'
  return effort !== null && wish.kind !== 'adaptive' && wish.kind !== 'budget'
}

function mayThink(call: EngineCall, way: ThinkingWay, turns: readonly Turn[]): boolean {
  if (way === 'budget') {
    return (
      !isForced(call) &&
      !isBegun(turns) &&
      call.maxTokens > budgetTokensMin &&
      startsWithThought(turns)
    )
  }
  // A server whose model always thinks knows best what that means here.
  return call.mustThink === true || (!isForced(call) && !isBegun(turns))
}

/** A model that has to call a tool cannot think before it. */
function isForced({ request }: EngineCall): boolean {
  const { kind } = request.toolChoice
  return kind === 'required' || kind === 'named'
}

/** An answer that is to be gone on with has been thought about. */
function isBegun(turns: readonly Turn[]): boolean {
  return turns.at(-1)?.role === 'assistant'
}

/**
 * Calls of tools and what they returned are one turn of the assistant. A server that is given a budget wants to see the
 * thought that such a turn began with, and else does not go on thinking in it.
 */
function startsWithThought(turns: readonly Turn[]): boolean {
  let first: Turn | null = null
  for (let at = turns.length - 1; at > 0 && returnsFromTools(turns[at]); at -= 2) {
    first = turns[at - 1] ?? null
  }
  return first === null || first.content.slice(0, 1).some(isProven)
}

function returnsFromTools(turn: Turn | undefined): boolean {
  return turn?.content.some(({ type }) => type === 'tool_result') ?? false
}

/** The least that servers take. */
const budgetTokensMin = 1024

/** What the caller named, else what the level is worth with a quarter of the answer's ceiling left to the answer. */
function budgetOf({ thinkingBudgetTokens: named, maxTokens }: EngineCall, effort: Effort): number {
  const most = named === null ? Math.floor((maxTokens * 3) / 4) : maxTokens - 1
  return Math.max(budgetTokensMin, Math.min(named ?? effortTokens[effort], most))
}
