// Tools and tool choice of a messages-dialect body.
import type { Tool, ToolChoice } from '../../core/request.ts'
import { toolsMax } from '#contract/limits.ts'
import { isObject, type Json } from '../../lib/json-object.ts'
import { bad, field, optionalList, present, unsupported } from '../read-fields.ts'
import { marked, readCacheControl } from '../read-cache-control.ts'
import { readToolDescription, readToolName, readToolSchema } from '../read-tools.ts'

export function parseTools(body: Json): Tool[] {
  return (optionalList(body, 'tools', toolsMax) ?? []).map((tool, index) => {
    const at = `tools[${index}]`
    if (!isObject(tool)) throw bad('tools', `${at} must be an object.`)
    if (tool.type === 'function' || isObject(tool.function)) {
      throw unsupported(
        'tools',
        `${at} has the shape of the chat dialect; here use {"name", "description", "input_schema"}.`,
      )
    }
    if (present(tool, 'type') && tool.type !== 'custom') {
      throw bad(
        'tools',
        `${at}: tools of type ${JSON.stringify(tool.type).slice(0, 40)} are not supported.`,
      )
    }
    if (!present(tool, 'input_schema')) throw bad('tools', `${at}.input_schema is missing.`)
    return {
      name: readToolName(tool.name, `${at}.name`),
      description: readToolDescription(tool, at),
      parameters: readToolSchema(tool.input_schema, `${at}.input_schema`),
      eager: flag(tool, 'eager_input_streaming', 'tools', at),
      ...marked(readCacheControl(tool, 'tools')),
    }
  })
}

export function parseToolChoice(body: Json): { choice: ToolChoice; parallel: boolean } {
  const value = field(body, 'tool_choice')
  if (value === undefined) return { choice: { kind: 'auto' }, parallel: true }
  if (typeof value === 'string') {
    throw unsupported(
      'tool_choice',
      'tool_choice as a string belongs to the chat dialect; here use {"type": "auto"}.',
    )
  }
  if (!isObject(value)) throw bad('tool_choice', 'tool_choice must be an object.')
  const alone = flag(value, 'disable_parallel_tool_use', 'tool_choice', 'tool_choice')
  return { choice: choiceOf(value), parallel: !alone }
}

function flag(holder: Json, name: string, param: string, at: string): boolean {
  const value = field(holder, name) ?? false
  if (typeof value === 'boolean') return value
  throw bad(param, `${at}.${name} must be true or false.`)
}

function choiceOf(value: Json): ToolChoice {
  switch (value.type) {
    case 'auto':
      return { kind: 'auto' }
    case 'none':
      return { kind: 'none' }
    case 'any':
      return { kind: 'required' }
    case 'tool':
      if (typeof value.name === 'string') return { kind: 'named', name: value.name }
      throw bad('tool_choice', 'tool_choice.name is missing.')
    case 'function':
      throw unsupported(
        'tool_choice',
        'tool_choice of type function belongs to the chat dialect; here use {"type": "tool", "name"}.',
      )
    default:
      throw bad('tool_choice', 'tool_choice.type must be auto, any, tool or none.')
  }
}
