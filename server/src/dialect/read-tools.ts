// What holds for tools in either dialect: names that engines accept, no name twice, choices that name a tool there is.
import type { Block } from '../core/block.ts'
import type { CallRequest, Tool, ToolChoice } from '../core/request.ts'
import { toolNameCharactersMax } from '#contract/limits.ts'
import { isObject, type Json } from '../lib/json-object.ts'
import { bad, field } from './read-fields.ts'

const toolName = new RegExp(`^[A-Za-z0-9_.:-]{1,${toolNameCharactersMax}}$`)

export function readToolName(value: unknown, at: string): string {
  if (typeof value === 'string' && toolName.test(value)) return value
  throw bad(
    'tools',
    `${at} must be 1 to ${toolNameCharactersMax} letters, digits, underscores, dots, colons or dashes.`,
  )
}

export function readToolDescription(tool: Json, at: string): string {
  const value = field(tool, 'description') ?? ''
  if (typeof value === 'string') return value
  throw bad('tools', `${at}.description must be a string.`)
}

/** A tool without parameters takes an empty object. */
export function readToolSchema(value: unknown, at: string): Json {
  if (value === undefined || value === null) return { type: 'object', properties: {} }
  if (isObject(value)) return value
  throw bad('tools', `${at} must be a JSON schema object.`)
}

export function checkTools(tools: readonly Tool[], choice: ToolChoice): void {
  const names = new Set(tools.map((tool) => tool.name))
  if (names.size !== tools.length) throw bad('tools', 'tools names a tool twice.')
  if (choice.kind === 'named' && !names.has(choice.name)) {
    throw bad('tool_choice', 'tool_choice names a tool that is not among the tools.')
  }
  if (choice.kind === 'required' && tools.length === 0) {
    throw bad('tool_choice', 'tool_choice asks for a tool call, but there are no tools.')
  }
}

/** Whether any `cache_control` stands anywhere in the request (spec 1, caching rule 12). */
export function isMarked(request: Pick<CallRequest, 'tools' | 'system' | 'messages'>): boolean {
  return (
    request.tools.some(hasMark) ||
    request.system.some(hasMark) ||
    request.messages.some((message) => message.blocks.some(hasMark))
  )
}

function hasMark(holder: Block | Tool): boolean {
  if ('cache' in holder && holder.cache?.from === 'cache_control') return true
  // What stands inside a tool result marks the whole of it.
  return 'type' in holder && holder.type === 'tool-result' && holder.content.some(hasMark)
}
