// How much a call may generate. A value that does not fit is reduced and said, never refused (spec 1, reasoning rule 8).
export type TokenRoom = {
  contextWindow: number
  maxOutputTokens: number
  /** Null where nobody can count them before the call. */
  promptTokens: number | null
}

export function fitMaxTokens(
  asked: number | undefined,
  room: TokenRoom,
): { maxTokens: number; adjusted: boolean } {
  const left = room.contextWindow - (room.promptTokens ?? 0)
  const ceiling = Math.max(1, Math.min(room.maxOutputTokens, left))
  const maxTokens = Math.min(asked ?? ceiling, ceiling)
  return { maxTokens, adjusted: asked !== undefined && maxTokens < asked }
}
