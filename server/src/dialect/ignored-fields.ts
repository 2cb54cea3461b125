// Fields of a body that are ignored: those that neither dialect knows, and some that only other services act on. Their names
// are told to the log, so that an operator can see what a client hopes for.
import type { Json } from '../lib/json-object.ts'
import { foreignToChat } from './chat/fields.ts'
import { foreignToMessages } from './messages/fields.ts'

const inBoth = [
  'model',
  'messages',
  'stream',
  'max_tokens',
  'tools',
  'tool_choice',
  'temperature',
  'top_p',
  'top_k',
  'metadata',
  'cache_control',
  'session_id',
  'prompt_cache',
]

/** Fields of the chat dialect that are checked, and then ignored. */
const withoutEffect = new Set([
  'logprobs',
  'top_logprobs',
  'store',
  'service_tier',
  'web_search_options',
])
/** What clients send in them to ask for nothing. */
const nothing = new Set<unknown>([false, 0, 'auto', 'default'])

/** What is foreign to one dialect is the other's own. */
const known = {
  chat: new Set(
    [...inBoth, ...Object.keys(foreignToMessages)].filter((name) => !withoutEffect.has(name)),
  ),
  messages: new Set([...inBoth, 'service_tier', ...Object.keys(foreignToChat)]),
}

const namesMax = 10
const nameCharactersMax = 64
/** Words with underscores between them. What holds a longer run of letters and digits may be a key in the wrong place. */
const nameLike = /^(?!.*[A-Za-z0-9]{25})[A-Za-z_][A-Za-z0-9_]*$/

const none: readonly string[] = []

/** The first few, and of these only names that look like one: a body can hold anything, and none of it is logged. */
export function ignoredFields(body: Json, dialect: keyof typeof known): readonly string[] {
  let names: string[] | null = null
  for (const name in body) {
    const value = body[name]
    if (known[dialect].has(name) || value === null) continue
    if (withoutEffect.has(name) && nothing.has(value)) continue
    names ??= []
    if (names.push(name.slice(0, nameCharactersMax)) === namesMax) break
  }
  return names === null ? none : names.filter((name) => nameLike.test(name))
}
