// Every answer names its request: the client's own id if it sent a well-formed one, else ours.
import { requestIdCharactersMax } from '#contract/limits.ts'
import { newId } from '../lib/id.ts'

const wellFormed = new RegExp(`^[A-Za-z0-9._:/+=@-]{1,${requestIdCharactersMax}}$`)

export function requestIdOf(header: string | string[] | undefined, now: Date): string {
  return typeof header === 'string' && wellFormed.test(header) ? header : newId(now)
}
