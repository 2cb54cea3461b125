// The field of a request that a model server does not take, where its refusal names one that Hone may have sent. Nothing of what
// the server wrote is passed on but that name.
import { leavableFields } from '../../core/server-ways.ts'

const fields = new Set<string>([
  ...leavableFields.chat,
  ...leavableFields.messages,
  'max_tokens',
  'max_completion_tokens',
  'messages',
  'tools',
  'thinking',
])
const names = [...fields].join('|')
/** At the start of a reason, in quotation marks, or behind a word for what it is. */
const named = new RegExp(
  `(?:^|['"\`]|\\b(?:arguments?|parameters?|fields?)(?: supplied)?:? )(${names})\\b`,
  'm',
)

/** `param` is what the server itself calls it, perhaps with a place within; `reasons` are in small letters. */
export function refusedField(param: unknown, reasons: readonly string[]): string | null {
  const head = typeof param === 'string' ? (/^\w+/.exec(param)?.[0] ?? '') : ''
  if (fields.has(head)) return head
  return named.exec(reasons.join('\n'))?.[1] ?? null
}
