// How a server is told whether to think, and how much: each field here is the one that some servers know, and the others do not.
import type { LeavableField, ThinkingField } from '../../core/server-ways.ts'
import type { EngineCall } from '../engine.ts'

type Wish = Pick<EngineCall, 'effort' | 'canThink'>

/** Null where there is nothing to say, as of a model that cannot think. Where only yes or no can be said, every level is a yes. */
export function thinkingWish(field: ThinkingField, { effort, canThink }: Wish): object | null {
  if (effort === null && !canThink) return null
  const thinks = effort !== null
  // Left out, a model that can think would think at its own level.
  const level = effort ?? 'none'
  switch (field) {
    case 'reasoning_effort':
      return { reasoning_effort: level }
    case 'reasoning_effort.none':
      return thinks ? null : { reasoning_effort: 'none' }
    case 'reasoning.effort':
      return { reasoning: { effort: level } }
    case 'thinking.type':
      return { thinking: { type: thinks ? 'enabled' : 'disabled' } }
    case 'enable_thinking':
      return { enable_thinking: thinks }
    case 'chat_template_kwargs.enable_thinking':
      return { chat_template_kwargs: { enable_thinking: thinks } }
    case 'chat_template_kwargs.thinking':
      return { chat_template_kwargs: { thinking: thinks } }
    case 'none':
      return null
  }
}

/** Whether a caller has a wish that the server cannot be told. */
export function isUntold(
  field: ThinkingField,
  leavesOut: readonly LeavableField<'chat'>[],
  { request, canThink }: Pick<EngineCall, 'request' | 'canThink'>,
): boolean {
  // A wish to a model that cannot think was dropped before.
  if (!canThink || request.reasoning.kind === 'default') return false
  return field === 'none' || (field === 'reasoning_effort' && leavesOut.includes(field))
}
