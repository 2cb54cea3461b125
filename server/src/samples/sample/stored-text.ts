// How the text of a conversation lies in the database. Most conversations are one bare text to a turn: those lie there as they
// were said, each behind a mark that says whose turn it is, and a search looks at them where they lie. All others are
// JSON, with what a search looks at beside it.
import type { Block, TextBlock } from '../../core/block.ts'
import { type Conversation, isNamed } from './conversation.ts'
import type { SampleText } from './sample.ts'
import { foldForSearch, searchTextOf } from './search-text.ts'

/** Turns behind the answer's mark are those that came after it. JSON begins with none of these. */
const marks = {
  instructions: '\x01',
  system: '\x02',
  user: '\x03',
  assistant: '\x04',
  answer: '\x05',
} as const
const anyMark = /[\x01-\x05]/
const turnStart = /(?=[\x01-\x05])/
const marksAndNul = ['\0', ...Object.values(marks)]

export function storedText(conversation: Conversation): SampleText {
  const said = turnsOf(conversation)
  if (!said) return jsonText(conversation)
  const text = said.map(([mark, words]) => mark + words).join('')
  if (said.every(([, words]) => isPlain(words))) {
    return { conversation: text, searchText: null, bytes: text.length }
  }
  if (said.some(([, words]) => anyMark.test(words)) || !isFoldedAlike(text)) {
    return jsonText(conversation)
  }
  return { conversation: text, searchText: null, bytes: Buffer.byteLength(text) }
}

/**
 * Neither a mark nor NUL, which PostgreSQL's text cannot hold, nor anything that folding could change beyond ASCII. Asked one by
 * one, because each of these looks at many characters at once, and an expression for all of them at one after the other.
 */
function isPlain(words: string): boolean {
  return (
    Buffer.byteLength(words) === words.length && !marksAndNul.some((one) => words.includes(one))
  )
}

function jsonText(conversation: Conversation): SampleText {
  const text = JSON.stringify(conversation)
  const searchText = searchTextOf(conversation)
  return { conversation: text, searchText, bytes: Buffer.byteLength(text) }
}

/** The same conversation as JSON, for those who look at it without Hone. */
export function asJson(text: SampleText): SampleText {
  return isSaid(text.conversation) ? jsonText(readSaid(text.conversation)) : text
}

export function readStoredText(stored: string): Conversation {
  return isSaid(stored) ? readSaid(stored) : (JSON.parse(stored) as Conversation)
}

function isSaid(stored: string): boolean {
  return anyMark.test(stored.charAt(0))
}

/** Whether this could stand in a text that lies as it was said: a mark is nobody's word. */
export function mayBeSaid(sought: string): boolean {
  return !anyMark.test(sought)
}

type Mark = (typeof marks)[keyof typeof marks]
type Turn = readonly [mark: Mark, words: string]

/** Null for a conversation that is more than one bare text to a turn, or names who said one. */
function turnsOf(conversation: Conversation): Turn[] | null {
  const { tools, system, messages, answer, after = [] } = conversation
  if (tools.length > 0 || messages.length === 0 || (answer === null && after.length > 0))
    return null
  const turns: Turn[] = []
  const add = (mark: Mark, blocks: readonly Block[]): boolean => {
    const [block] = blocks
    if (blocks.length !== 1 || block?.type !== 'text' || block.developer) return false
    turns.push([mark, block.text])
    return true
  }
  const bare =
    !isNamed(conversation) &&
    (system.length === 0 || add(marks.instructions, system)) &&
    messages.every(({ role, blocks }) => add(marks[role], blocks)) &&
    (answer === null || add(marks.answer, answer)) &&
    after.every(({ role, blocks }) => add(marks[role], blocks))
  return bare ? turns : null
}

/** The database folds the 26 letters of ASCII and nothing else, so that neither its version nor its locale matters. */
function isFoldedAlike(text: string): boolean {
  return foldForSearch(text) === text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

function readSaid(stored: string): Conversation {
  const conversation: Conversation = { tools: [], system: [], messages: [], answer: null }
  let turns = conversation.messages
  for (const turn of stored.split(turnStart)) {
    const blocks: TextBlock[] = [{ type: 'text', text: turn.slice(1) }]
    const role = roleOf(turn.charAt(0))
    if (role === 'instructions') conversation.system = blocks
    else if (role !== 'answer') turns.push({ role, blocks })
    else {
      conversation.answer = blocks
      turns = []
    }
  }
  return turns === conversation.messages || turns.length === 0
    ? conversation
    : { ...conversation, after: turns }
}

function roleOf(mark: string): keyof typeof marks {
  for (const [role, own] of Object.entries(marks)) {
    if (own === mark) return role as keyof typeof marks
  }
  throw new Error('a stored turn begins with no mark')
}
