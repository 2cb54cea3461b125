// The chat template of a model folder: found, parsed once, rendered with the variables templates expect.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Template } from '@huggingface/jinja'

export type TemplateToolCall = {
  id: string
  type: 'function'
  function: { name: string; arguments: unknown }
}

export type TemplateMessage = {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string
  reasoning_content?: string
  tool_calls?: TemplateToolCall[]
  tool_call_id?: string
  name?: string
}

export type TemplateTool = {
  type: 'function'
  function: { name: string; description: string; parameters: Record<string, unknown> }
}

export type TemplateVariables = {
  messages: TemplateMessage[]
  tools: TemplateTool[] | null
  add_generation_prompt: boolean
  enable_thinking: boolean
}

export type ChatTemplate = { render(variables: TemplateVariables): string }

export async function openChatTemplate(folder: string): Promise<ChatTemplate> {
  const configText = await readIfPresent(join(folder, 'tokenizer_config.json'))
  let config: Record<string, unknown> = {}
  try {
    config = configText === null ? {} : (JSON.parse(configText) as Record<string, unknown>)
  } catch (cause) {
    throw new Error('tokenizer_config.json of the model folder is not JSON.', { cause })
  }
  const source = (await readIfPresent(join(folder, 'chat_template.jinja'))) ?? inConfig(config)
  if (source === null) {
    throw new Error(
      'The model folder has no chat template: neither chat_template.jinja nor the field in tokenizer_config.json.',
    )
  }
  return chatTemplateOf(source, markNames(config))
}

/** `names` are further variables for the template, such as `eos_token`. */
export function chatTemplateOf(source: string, names: Record<string, string> = {}): ChatTemplate {
  let template: Template
  try {
    template = new Template(source)
  } catch (cause) {
    throw new Error('The chat template of the model folder cannot be parsed.', { cause })
  }
  return { render: (variables) => template.render({ ...names, ...variables }) }
}

/** The field is a template, or a list of named ones of which `default` is ours. */
function inConfig(config: Record<string, unknown>): string | null {
  const field = config.chat_template
  if (typeof field === 'string') return field
  if (!Array.isArray(field)) return null
  const named = field as { name?: string; template?: string }[]
  return named.find((entry) => entry.name === 'default')?.template ?? null
}

function markNames(config: Record<string, unknown>): Record<string, string> {
  const names: Record<string, string> = {}
  for (const key of ['bos_token', 'eos_token', 'pad_token', 'unk_token']) {
    const value = config[key]
    const content = typeof value === 'object' && value && 'content' in value ? value.content : value
    if (typeof content === 'string') names[key] = content
  }
  return names
}

async function readIfPresent(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
