// Tools, tool choice and output format of a chat body.
import type { OutputFormat, SchemaOutput, Tool, ToolChoice } from '../../core/request.ts'
import { isObject, type Json } from '../../lib/json-object.ts'
import { withoutUndefined } from '../../lib/without-undefined.ts'
import { schemaNameCharactersMax, toolsMax } from '#contract/limits.ts'
import { bad, field, optionalList, optionalObject, unsupported } from '../read-fields.ts'
import { marked, readCacheControl } from '../read-cache-control.ts'
import { readToolDescription, readToolName, readToolSchema } from '../read-tools.ts'

export function parseTools(body: Json): Tool[] {
  return (optionalList(body, 'tools', toolsMax) ?? []).map((tool, index) => {
    const at = `tools[${index}]`
    if (!isObject(tool)) throw bad('tools', `${at} must be an object.`)
    if (tool.type === undefined && (tool.input_schema !== undefined || tool.name !== undefined)) {
      throw unsupported(
        'tools',
        `${at} has the shape of the messages dialect; here use {"type": "function", "function": {"name", "parameters"}}.`,
      )
    }
    if (tool.type !== 'function' || !isObject(tool.function)) {
      throw bad('tools', `${at} must have type function and a function object.`)
    }
    return {
      name: readToolName(tool.function.name, `${at}.function.name`),
      description: readToolDescription(tool.function, `${at}.function`),
      parameters: readToolSchema(tool.function.parameters, `${at}.function.parameters`),
      eager: true,
      ...marked(readCacheControl(tool, 'tools')),
    }
  })
}

const foreignChoices: unknown[] = ['auto', 'any', 'tool', 'none']

/** A choice may also narrow the tools that can be called. */
export function parseToolChoice(
  body: Json,
  tools: readonly Tool[],
): { choice: ToolChoice; tools: Tool[] } {
  const value = field(body, 'tool_choice')
  const all = [...tools]
  if (value === undefined || value === 'auto') return { choice: { kind: 'auto' }, tools: all }
  if (value === 'none') return { choice: { kind: 'none' }, tools: all }
  if (value === 'required' || value === 'any') return { choice: { kind: 'required' }, tools: all }
  if (isObject(value)) {
    if (
      value.type === 'function' &&
      isObject(value.function) &&
      typeof value.function.name === 'string'
    ) {
      return { choice: { kind: 'named', name: value.function.name }, tools: all }
    }
    if (value.type === 'allowed_tools') return allowedTools(value, all)
    if (foreignChoices.includes(value.type)) {
      throw unsupported(
        'tool_choice',
        'tool_choice has the shape of the messages dialect; here use "auto", "none", "required" or {"type": "function", "function": {"name"}}.',
      )
    }
  }
  throw bad('tool_choice', 'tool_choice must be auto, none, required or a function by name.')
}

function allowedTools(value: Json, tools: Tool[]): { choice: ToolChoice; tools: Tool[] } {
  const allowed = isObject(value.allowed_tools) ? value.allowed_tools : value
  const list = Array.isArray(allowed.tools) ? (allowed.tools as unknown[]) : []
  const names = new Set(
    list.map((item) =>
      isObject(item) && isObject(item.function) ? item.function.name : undefined,
    ),
  )
  if (allowed.mode !== 'auto' && allowed.mode !== 'required') {
    throw bad('tool_choice', 'tool_choice.allowed_tools.mode must be auto or required.')
  }
  const kept = tools.filter((tool) => names.has(tool.name))
  if (kept.length !== names.size) {
    throw bad('tool_choice', 'tool_choice.allowed_tools names a tool that is not among the tools.')
  }
  return { choice: { kind: allowed.mode }, tools: kept }
}

export function parseOutput(body: Json): OutputFormat {
  const format = optionalObject(body, 'response_format')
  if (format === undefined || format.type === 'text') return { kind: 'text' }
  if (format.type === 'json_object') {
    // As some servers take it, and clients of theirs send it to all.
    const schema = field(format, 'schema')
    const says = isObject(schema) && Object.keys(schema).length > 0
    return says ? { kind: 'json-schema', schema } : { kind: 'json' }
  }
  if (format.type === 'json_schema') {
    const wrapper = field(format, 'json_schema') ?? {}
    if (!isObject(wrapper)) {
      throw bad('response_format', 'response_format.json_schema must be an object.')
    }
    const schema = field(wrapper, 'schema')
    if (schema === undefined) return { kind: 'json' }
    if (isObject(schema)) return { kind: 'json-schema', schema, ...parseSchemaLabels(wrapper) }
    throw bad('response_format', 'response_format.json_schema.schema must be an object.')
  }
  throw bad('response_format', 'response_format.type must be text, json_object or json_schema.')
}

const schemaName = new RegExp(`^[A-Za-z0-9_.-]{1,${schemaNameCharactersMax}}$`)

/** What stands beside the schema and goes on to model servers that know the same fields. */
function parseSchemaLabels(wrapper: Json): Pick<SchemaOutput, 'name' | 'description' | 'strict'> {
  const [name, description, strict] = ['name', 'description', 'strict'].map((key) =>
    field(wrapper, key),
  )
  if (name !== undefined && !(typeof name === 'string' && schemaName.test(name))) {
    throw bad(
      'response_format',
      `response_format.json_schema.name must be 1 to ${schemaNameCharactersMax} letters, digits, underscores, dots or dashes.`,
    )
  }
  if (description !== undefined && typeof description !== 'string') {
    throw bad('response_format', 'response_format.json_schema.description must be a string.')
  }
  if (strict !== undefined && typeof strict !== 'boolean') {
    throw bad('response_format', 'response_format.json_schema.strict must be true or false.')
  }
  return withoutUndefined({ name, description, strict })
}
