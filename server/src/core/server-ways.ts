// What model servers of one dialect do differently from one another, as a route of the catalog says it and an engine acts on it.

/**
 * Fields that a server may be spared: a request without them is still the same conversation with the same ceiling. By the names
 * that each dialect has for them.
 */
export const leavableFields = {
  chat: [
    'stream_options',
    'tool_choice',
    'parallel_tool_calls',
    'stop',
    'reasoning_effort',
    'temperature',
    'top_p',
    'top_k',
    'seed',
    'frequency_penalty',
    'presence_penalty',
    'logit_bias',
    'verbosity',
    'prediction',
    'response_format',
  ],
  messages: [
    'tool_choice',
    'stop_sequences',
    'temperature',
    'top_p',
    'top_k',
    'output_config',
    'eager_input_streaming',
  ],
} as const
export type LeavableField<Dialect extends keyof typeof leavableFields> =
  (typeof leavableFields)[Dialect][number]

/** The field in which a server of the chat dialect takes a wish to think; `none` where it takes none. */
export const thinkingFields = [
  'reasoning_effort',
  'reasoning_effort.none',
  'reasoning.effort',
  'thinking.type',
  'enable_thinking',
  'chat_template_kwargs.enable_thinking',
  'chat_template_kwargs.thinking',
  'none',
] as const
export type ThinkingField = (typeof thinkingFields)[number]

/** Where servers of the messages dialect take a key. */
export const keyHeaders = ['x-api-key', 'authorization'] as const
export type KeyHeader = (typeof keyHeaders)[number]
