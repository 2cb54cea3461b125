// Fields of a body that neither dialect knows. They change nothing here; their names are told to the log, so that an
// operator can see what a client hopes for.
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
  'service_tier',
  'cache_control',
  'session_id',
  'prompt_cache',
]

/** What is foreign to one dialect is the other's own. */
const known = {
  chat: new Set([...inBoth, ...Object.keys(foreignToMessages)]),
  messages: new Set([...inBoth, ...Object.keys(foreignToChat)]),
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
    if (known[dialect].has(name) || body[name] === null) continue
    names ??= []
    if (names.push(name.slice(0, nameCharactersMax)) === namesMax) break
  }
  return names === null ? none : names.filter((name) => nameLike.test(name))
}
