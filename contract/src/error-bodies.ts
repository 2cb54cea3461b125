// What a refusal looks like on each surface. The codes are in errors.ts.
import { z } from 'zod'

const message = z.string().describe('What happened and what to do, in one sentence')

/** `/api/*`. */
export const platformErrorBody = z.object({
  error: z.looseObject({
    code: z.string().describe('What clients branch on'),
    message,
    reason: z.string().optional().describe('Where a code has several causes, which one'),
  }),
})

/** `/v1/chat/completions`, `/v1/models`. */
export const chatErrorBody = z.object({
  error: z.object({
    message,
    type: z.string(),
    param: z.string().nullable(),
    code: z.string().describe('What clients branch on'),
  }),
})

/** `/v1/messages`. */
export const messagesErrorBody = z.object({
  type: z.literal('error'),
  error: z.looseObject({ type: z.string(), message, param: z.string().optional() }),
  request_id: z.string(),
})
