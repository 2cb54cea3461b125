// The two inference endpoints. Their bodies follow the public dialects and are read by the server's own
// parsers, field by field, so the records here describe them only as far as documentation needs.
import { z } from 'zod'
import type { ErrorCode } from './errors.ts'
import { shortTextCharactersMax } from './limits.ts'
import { route } from './route.ts'

const chatBody = z.looseObject({
  model: z.string(),
  messages: z.array(z.looseObject({ role: z.string() })),
  max_tokens: z.number().int().optional(),
  stream: z.boolean().optional(),
})

const messagesBody = z.looseObject({
  model: z.string(),
  max_tokens: z.number().int(),
  messages: z.array(z.looseObject({ role: z.string() })),
  stream: z.boolean().optional(),
})

const countBody = messagesBody.partial({ max_tokens: true })

const callHeaders = z.object({
  'x-session-id': z
    .string()
    .max(shortTextCharactersMax)
    .optional()
    .describe('Identifies the conversation for the prompt cache if the body does not'),
  'x-loop-pipeline': z
    .string()
    .optional()
    .describe('Tags of pipelines to record this call under, separated by commas'),
  'x-loop-capture': z.string().optional().describe('`off`: never record this call'),
})

const count = z.number().int()

const chatAnswer = z.looseObject({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: count,
  model: z.string(),
  choices: z.array(
    z.looseObject({
      index: count,
      message: z.looseObject({ role: z.literal('assistant'), content: z.string().nullable() }),
      finish_reason: z.string(),
    }),
  ),
  usage: z.looseObject({ prompt_tokens: count, completion_tokens: count, total_tokens: count }),
})

const messagesAnswer = z.looseObject({
  id: z.string(),
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: z.string(),
  content: z.array(z.looseObject({ type: z.string() })),
  stop_reason: z.string(),
  stop_sequence: z.string().nullable(),
  usage: z.looseObject({ input_tokens: count, output_tokens: count }),
})

const callErrors: ErrorCode[] = [
  'model_not_found',
  'unsupported_by_model',
  'context_length_exceeded',
  'rate_limit_exceeded',
  'insufficient_balance',
  'no_healthy_route',
  'upstream_failed',
]

export const inferenceRoutes = [
  route({
    name: 'createChatCompletion',
    tag: 'Inference',
    method: 'POST',
    path: '/v1/chat/completions',
    summary: 'Answer in the chat-completions dialect; server-sent events when `stream` is true',
    access: { kind: 'inference' },
    sdk: 'chat.completions.create',
    body: chatBody,
    headers: callHeaders,
    status: 200,
    events: true,
    response: chatAnswer,
    errors: callErrors,
  }),
  route({
    name: 'createMessage',
    tag: 'Inference',
    method: 'POST',
    path: '/v1/messages',
    summary: 'Answer in the messages dialect; server-sent events when `stream` is true',
    access: { kind: 'inference' },
    sdk: 'messages.create',
    body: messagesBody,
    headers: callHeaders,
    status: 200,
    events: true,
    response: messagesAnswer,
    errors: callErrors,
  }),
  route({
    name: 'countMessageTokens',
    tag: 'Inference',
    method: 'POST',
    path: '/v1/messages/count_tokens',
    summary: 'Count the tokens of a prompt in the messages dialect, free of charge',
    access: { kind: 'inference' },
    sdk: 'messages.countTokens',
    body: countBody,
    status: 200,
    response: z.object({ input_tokens: z.number().int() }),
    errors: [
      'model_not_found',
      'unsupported_by_model',
      'context_length_exceeded',
      'rate_limit_exceeded',
    ],
  }),
] as const
