// Reads a part of a request by its schema, with one sentence about the first thing that is wrong.
import type { z } from 'zod'
import { Refusal } from './refusal.ts'

export function readPart<T>(schema: z.ZodType<T>, value: unknown, where: string): T {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const name = issue?.path.join('.')
  if (issue?.code === 'unrecognized_keys') {
    const keys = issue.keys.map((key) => [...issue.path, key].join('.'))
    throw new Refusal('BAD_REQUEST', `Unknown field in the ${where}: ${keys.join(', ')}.`)
  }
  throw new Refusal(
    'BAD_REQUEST',
    `${name ? `${where} field ${name}` : `The ${where}`}: ${issue?.message}.`,
  )
}
