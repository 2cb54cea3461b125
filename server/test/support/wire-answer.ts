// A scripted answer as the records of either upstream dialect, or whole, exactly as a healthy server would send it.

export type Wire = 'openai' | 'anthropic'

export type WireCall = { id: string; name: string; pieces: string[] }

export type WireAnswer = {
  thinking?: string[]
  /** The field in which an OpenAI-style server carries its thinking. */
  thinkingField?: 'reasoning' | 'reasoning_content'
  text?: string[]
  calls?: WireCall[]
  /** In the words of the OpenAI dialect. */
  finish?: string
  stopString?: string
  usage?: unknown
}

type Json = Record<string, unknown>

export const wireUsage: Record<Wire, Json> = {
  openai: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
  anthropic: { input_tokens: 7, output_tokens: 3 },
}

export function wireRecords(wire: Wire, answer: WireAnswer): string[] {
  return wire === 'openai' ? openAiRecords(answer) : anthropicRecords(answer)
}

/** The body of an answer that was not asked for as a stream. */
export function wireWhole(wire: Wire, answer: WireAnswer): string {
  const usage = 'usage' in answer ? answer.usage : wireUsage[wire]
  const shown = usage === undefined ? {} : { usage }
  const message = wire === 'openai' ? openAiMessage(answer) : anthropicMessage(answer)
  return JSON.stringify({ id: 'up-1', ...message, ...shown })
}

export function chunk(delta: Json, finish: string | null = null, rest: Json = {}): string {
  const choices = [{ index: 0, delta, finish_reason: finish }]
  return `data: ${JSON.stringify({ id: 'up-1', object: 'chat.completion.chunk', choices, ...rest })}\n\n`
}

export function event(type: string, data: Json = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
}

function openAiRecords(answer: WireAnswer): string[] {
  const field = answer.thinkingField ?? 'reasoning_content'
  const usage = 'usage' in answer ? answer.usage : wireUsage.openai
  const choice = { index: 0, delta: {}, ...openAiEnd(answer) }
  return [
    chunk({ role: 'assistant', content: '' }),
    ...(answer.thinking ?? []).map((text) => chunk({ [field]: text })),
    ...(answer.text ?? []).map((text) => chunk({ content: text })),
    ...(answer.calls ?? []).flatMap((call, index) => openAiCall(call, index)),
    `data: ${JSON.stringify({ choices: [choice] })}\n\n`,
    `data: ${JSON.stringify({ choices: [], ...(usage === undefined ? {} : { usage }) })}\n\n`,
    'data: [DONE]\n\n',
  ]
}

function openAiEnd(answer: WireAnswer): Json {
  return {
    finish_reason: answer.finish ?? (answer.calls ? 'tool_calls' : 'stop'),
    ...(answer.stopString === undefined ? {} : { stop_reason: answer.stopString }),
  }
}

function openAiMessage(answer: WireAnswer): Json {
  const calls = answer.calls?.map(({ id, name, pieces }) => ({
    id,
    type: 'function',
    function: { name, arguments: pieces.join('') },
  }))
  const message = {
    role: 'assistant',
    content: answer.text?.join('') ?? null,
    ...(answer.thinking
      ? { [answer.thinkingField ?? 'reasoning_content']: answer.thinking.join('') }
      : {}),
    ...(calls ? { tool_calls: calls } : {}),
  }
  const choices = [{ index: 0, message, ...openAiEnd(answer) }]
  return { object: 'chat.completion', choices }
}

function openAiCall({ id, name, pieces }: WireCall, index: number): string[] {
  const start = { index, id, type: 'function', function: { name, arguments: '' } }
  return [
    chunk({ tool_calls: [start] }),
    ...pieces.map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ]
}

const stopReasons: Record<string, string> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
}

function anthropicEnd(answer: WireAnswer): Json {
  const finish = answer.finish ?? (answer.calls ? 'tool_calls' : 'stop')
  return answer.stopString === undefined
    ? { stop_reason: stopReasons[finish] ?? finish, stop_sequence: null }
    : { stop_reason: 'stop_sequence', stop_sequence: answer.stopString }
}

function anthropicMessage(answer: WireAnswer): Json {
  const content = [
    ...(answer.thinking ? [{ type: 'thinking', thinking: answer.thinking.join('') }] : []),
    ...(answer.text ? [{ type: 'text', text: answer.text.join('') }] : []),
    ...(answer.calls ?? []).map(({ id, name, pieces }) => ({
      type: 'tool_use',
      id,
      name,
      input: JSON.parse(pieces.join('') || '{}') as unknown,
    })),
  ]
  return { type: 'message', role: 'assistant', content, ...anthropicEnd(answer) }
}

function anthropicRecords(answer: WireAnswer): string[] {
  const usage = 'usage' in answer ? answer.usage : wireUsage.anthropic
  const stop = anthropicEnd(answer)
  const shown = usage === undefined ? {} : { usage }
  let index = 0
  const block = (start: Json, deltas: Json[]): string[] => {
    const at = index++
    return [
      event('content_block_start', { index: at, content_block: start }),
      ...deltas.map((delta) => event('content_block_delta', { index: at, delta })),
      event('content_block_stop', { index: at }),
    ]
  }
  return [
    event('message_start', {
      message: { id: 'msg_up', type: 'message', role: 'assistant', content: [], ...shown },
    }),
    ...(answer.thinking
      ? block({ type: 'thinking', thinking: '', signature: '' }, [
          ...answer.thinking.map((thinking) => ({ type: 'thinking_delta', thinking })),
          { type: 'signature_delta', signature: 'signature-of-the-upstream' },
        ])
      : []),
    ...(answer.text
      ? block(
          { type: 'text', text: '' },
          answer.text.map((text) => ({ type: 'text_delta', text })),
        )
      : []),
    ...(answer.calls ?? []).flatMap(({ id, name, pieces }) =>
      block(
        { type: 'tool_use', id, name, input: {} },
        pieces.map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
      ),
    ),
    event('ping'),
    event('message_delta', { delta: stop, ...shown }),
    event('message_stop'),
  ]
}
