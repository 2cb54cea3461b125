// The neutral request as an OpenAI-compatible server takes it. Fields without a value are undefined, which is nothing once
// written out: so every body has the same shape, and is made quickly.
import { createHmac } from 'node:crypto'
import type { Block, ImageBlock, Message, TextBlock, ToolResultBlock } from '../../core/block.ts'
import { imageUrl } from '../../core/image-url.ts'
import type {
  CallRequest,
  OutputFormat,
  SchemaOutput,
  Tool,
  ToolChoice,
} from '../../core/request.ts'
import type { LeavableField, ThinkingField } from '../../core/server-ways.ts'
import type { Json } from '../../lib/json-object.ts'
import { withoutUndefined } from '../../lib/without-undefined.ts'
import type { EngineCall } from '../engine.ts'
import { schemaToWrite } from '../schema-to-write.ts'
import { argumentsIn } from '../tool-arguments.ts'
import { toolOutcome } from '../tool-outcome.ts'
import { continuesTurn } from '../upstream/continues-turn.ts'
import type { KnownServer } from '../upstream/known-server.ts'
import { bareId, type CallProofs } from './call-proofs.ts'
import { isUntold, thinkingWish } from './thinking-wish.ts'

/** What servers of this dialect do differently from one another. */
export type BodyProfile = {
  /** Secret from which each workspace's cache salt is made; null where the server knows no such field. */
  cacheSaltKey: Uint8Array | null
  /** Sends the thoughts of earlier turns as `reasoning_content`, for servers whose template shows them. */
  passesThinking: boolean
  /** The server counts a prompt at `/tokenize`, as vLLM does. */
  tokenizes: boolean
  /** Is told to go on with a last turn of the assistant, which it would else answer. */
  continues: boolean
  /** What it calls the most tokens an answer may have. */
  maxTokensField: 'max_tokens' | 'max_completion_tokens'
  /** It counts the tokens of whole answers only, so that every answer is asked for whole. */
  wholeOnly: boolean
  /** How it is told whether to think. */
  thinking: ThinkingField
  /** What it refuses, and is not sent. */
  leavesOut: readonly LeavableField<'chat'>[]
  /** What it signed. */
  proofs: CallProofs
}

type Asked = {
  stream?: boolean
  /** Who is asked, where that is known. */
  server?: KnownServer | null
}

/** Streamed unless asked otherwise, so that cancelling works and the first byte is early. */
export function buildBody(
  call: EngineCall,
  profile: BodyProfile,
  { stream = true, server = null }: Asked = {},
) {
  const { request } = call
  const { sampling, steering } = request
  const isLlamaCpp = server === 'llama.cpp'
  const { tools, toolChoice } = isLlamaCpp ? withOnlyNamed(request) : request
  const hasTools = tools.length > 0
  // Not told, llama.cpp goes on too, but repeats what it goes on with.
  const goesOn = (profile.continues || isLlamaCpp) && continuesTurn(request)
  const isOldName = profile.maxTokensField === 'max_tokens'
  const body: Body = {
    cache_salt: cacheSalt(call.workspaceId, profile.cacheSaltKey),
    model: call.engineModel,
    messages: wireConversation(request, profile),
    max_tokens: isOldName ? call.maxTokens : undefined,
    max_completion_tokens: isOldName ? undefined : call.maxTokens,
    stream,
    stream_options: stream ? { include_usage: true } : undefined,
    tools: hasTools ? tools.map(wireTool) : undefined,
    tool_choice: hasTools ? wireToolChoice(toolChoice) : undefined,
    parallel_tool_calls: hasTools ? request.parallelToolCalls : undefined,
    stop: request.stop.length > 0 ? request.stop : undefined,
    temperature: sampling.temperature,
    top_p: sampling.topP,
    top_k: sampling.topK,
    seed: sampling.seed,
    frequency_penalty: sampling.frequencyPenalty,
    presence_penalty: sampling.presencePenalty,
    logit_bias: steering?.logitBias,
    verbosity: steering?.verbosity,
    prediction: steering?.prediction,
    response_format: wireOutput(request.output),
    continue_final_message: goesOn ? true : undefined,
    add_generation_prompt: goesOn ? false : undefined,
    reasoning_effort: undefined,
  }
  const wish = thinkingWish(profile.thinking, call)
  if (wish) Object.assign(body, wish)
  if (isUntold(profile.thinking, profile.leavesOut, call)) call.adjusted?.push('reasoning_effort')
  for (const field of profile.leavesOut) body[field] = undefined
  return body
}

type Body = Json & {
  model: string
  messages: Json[]
  tools: Json[] | undefined
} & Record<LeavableField<'chat'>, unknown>

/** Keeps one workspace from timing another's cached prompts. */
function cacheSalt(workspaceId: string, key: Uint8Array | null): string | undefined {
  if (key === null) return undefined
  return createHmac('sha256', key).update(workspaceId).digest('base64url')
}

function wireConversation(request: CallRequest, profile: BodyProfile): Json[] {
  const text = request.system.map((block) => block.text).join('\n\n')
  const messages: Json[] = text === '' ? [] : [{ role: 'system', content: text }]
  for (const message of request.messages) {
    const [first, second] = message.blocks
    // Most turns are one text, and there are many of them.
    if (first?.type === 'text' && !second) {
      messages.push({ role: message.role, content: first.text })
    } else {
      messages.push(...wireMessages(message, profile))
    }
  }
  return messages.some(isToolMessage) ? resultsBehindCalls(messages) : messages
}

function isToolMessage({ role }: Json): boolean {
  return role === 'tool'
}

/** Servers take what a tool returned only right behind the turn that called it, whatever was said in between. */
function resultsBehindCalls(messages: readonly Json[]): Json[] {
  /** By the id of a call: what was returned to the turn that made it last. */
  const returned = new Map<unknown, Json[]>()
  const ordered: Json[][] = []
  for (const message of messages) {
    const results = isToolMessage(message) ? returned.get(message.tool_call_id) : undefined
    if (results) {
      results.push(message)
      continue
    }
    ordered.push([message])
    if (!Array.isArray(message.tool_calls)) continue
    const ofTurn: Json[] = []
    ordered.push(ofTurn)
    for (const { id } of message.tool_calls as Json[]) returned.set(id, ofTurn)
  }
  return ordered.flat()
}

function wireMessages(message: Message, { passesThinking, proofs }: BodyProfile): Json[] {
  const results = message.blocks.filter((block) => block.type === 'tool-result')
  const calls = message.blocks.filter((block) => block.type === 'tool-call')
  // A tool message holds text only, so what a tool showed is shown by the user turn that follows.
  const shown = results.flatMap((result) => result.content.filter((part) => part.type === 'image'))
  const content = [...shown, ...message.blocks.filter(isContent)]
  const words = wireContent(content)
  return [
    ...results.map((result) => ({
      role: 'tool',
      tool_call_id: bareId(result.toolCallId),
      content: resultText(result),
    })),
    // A turn without words is still a turn.
    ...(content.length > 0 || calls.length > 0 || results.length === 0
      ? [
          {
            role: message.role,
            content: words === '' && calls.length > 0 ? null : words,
            ...(passesThinking ? wireThoughts(message) : {}),
            ...(calls.length > 0
              ? {
                  tool_calls: calls.map((block) => ({
                    id: bareId(block.id),
                    type: 'function',
                    function: { name: block.name, arguments: wireArguments(block.arguments) },
                    ...proofs.fieldsOf(block.id),
                  })),
                }
              : {}),
          },
        ]
      : []),
  ]
}

/** Many servers parse the arguments for their template, and refuse or fall over a conversation where they cannot. */
function wireArguments(json: string): string {
  return argumentsIn(json) === null ? '{}' : json
}

function wireThoughts(message: Message): Json {
  const thoughts = message.blocks.flatMap((block) =>
    block.type === 'thinking' && block.text !== '' ? [block.text] : [],
  )
  return thoughts.length === 0 ? {} : { reasoning_content: thoughts.join('\n') }
}

function isContent(block: Block): block is TextBlock | ImageBlock {
  return block.type === 'text' || block.type === 'image'
}

function wireContent(blocks: (TextBlock | ImageBlock)[]): string | Json[] {
  if (blocks.every((block) => block.type === 'text')) {
    return joinTexts(blocks)
  }
  return blocks.map((block) =>
    block.type === 'text'
      ? { type: 'text', text: block.text }
      : {
          type: 'image_url',
          image_url: withoutUndefined({ url: imageUrl(block), detail: block.detail }),
        },
  )
}

/** Where one block ended, the next must not begin in the middle of its last line. */
function joinTexts(blocks: readonly TextBlock[]): string {
  return blocks.flatMap(({ text }) => (text === '' ? [] : [text])).join('\n')
}

function resultText({ content, isError }: ToolResultBlock): string {
  return toolOutcome(joinTexts(content.filter((part) => part.type === 'text')), isError)
}

function wireTool(tool: Tool): Json {
  return {
    type: 'function',
    function: {
      name: tool.name,
      description: tool.description,
      parameters: schemaToWrite(tool.parameters, tool.written),
    },
  }
}

/** llama.cpp takes a choice that names a tool for none; that some tool has to be called, it takes. */
function withOnlyNamed({
  tools,
  toolChoice,
}: CallRequest): Pick<CallRequest, 'tools' | 'toolChoice'> {
  if (toolChoice.kind !== 'named') return { tools, toolChoice }
  const { name } = toolChoice
  return { tools: tools.filter((tool) => tool.name === name), toolChoice: { kind: 'required' } }
}

function wireToolChoice(choice: ToolChoice): string | Json {
  return choice.kind === 'named'
    ? { type: 'function', function: { name: choice.name } }
    : choice.kind
}

function wireOutput(output: OutputFormat): Json | undefined {
  switch (output.kind) {
    case 'text':
      return undefined
    case 'json':
      return { type: 'json_object' }
    case 'json-schema':
      return { type: 'json_schema', json_schema: wireSchema(output) }
  }
}

/** Servers want a name, and callers need not have given one. */
function wireSchema(output: SchemaOutput): Json {
  const { name = 'answer', description, strict } = output
  const schema = schemaToWrite(output.schema, output.written)
  return withoutUndefined({ name, description, schema, strict })
}
