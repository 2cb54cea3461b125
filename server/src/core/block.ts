// What a message is made of, in no dialect. Which block may stand in which role is the dialects' to check.

/**
 * Where a cached prefix ends. `cache_control` (spec 1, caching rules 6 and 8) is acted on by models with explicit
 * caching; `prompt_cache_breakpoint` by those of the OpenAI type that bill writes.
 */
export type CacheMark = {
  ttl: '5m' | '1h'
  from: 'cache_control' | 'prompt_cache_breakpoint'
  /** Clients that serve both kinds of models mark a part in both ways; each kind acts on its own. */
  alsoBreakpoint?: true
}

export function isBreakpoint({ from, alsoBreakpoint }: CacheMark): boolean {
  return from === 'prompt_cache_breakpoint' || alsoBreakpoint === true
}

export type TextBlock = {
  type: 'text'
  text: string
  cache?: CacheMark
  /** Said in the role developer. Every engine takes it as system; only who reads the conversation again sees it. */
  developer?: true
}

export const imageMediaTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

export type ImageBlock = {
  type: 'image'
  /** How closely the model is to look, where the caller said so and the engine knows of it. */
  detail?: 'auto' | 'low' | 'high'
  source: { kind: 'bytes'; mediaType: string; base64: string } | { kind: 'url'; url: string }
  cache?: CacheMark
}

/** A thought the model had earlier, passed back by the client. */
export type ThinkingBlock = {
  type: 'thinking'
  text: string
  signature: string
  /** What the engine that thought it wants to see of it again; absent where it asked for nothing. */
  proof?: string
}

export type ToolCallBlock = {
  type: 'tool-call'
  id: string
  name: string
  /** JSON text, exactly as the model wrote it. */
  arguments: string
  cache?: CacheMark
}

export type ToolResultBlock = {
  type: 'tool-result'
  toolCallId: string
  content: (TextBlock | ImageBlock)[]
  isError: boolean
  cache?: CacheMark
}

export type Block = TextBlock | ImageBlock | ThinkingBlock | ToolCallBlock | ToolResultBlock

export type Message = {
  role: 'system' | 'user' | 'assistant'
  /** Who of several users or assistants it was. No engine takes it; only those who read the conversation again see it. */
  name?: string
  blocks: Block[]
}
