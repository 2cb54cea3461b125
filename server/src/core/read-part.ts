// Reads a part of a request by its schema, with one sentence about the first thing that is wrong.
import type { z } from 'zod'
import { inOurWords, issueSentence } from './issue-sentence.ts'
import { Refusal } from './refusal.ts'

export function readPart<T>(schema: z.ZodType<T>, value: unknown, where: string): T {
  const parsed = schema.safeParse(value, inOurWords)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new Refusal(
    'BAD_REQUEST',
    issue ? issueSentence(issue, where) : `The ${where} is not valid.`,
  )
}
