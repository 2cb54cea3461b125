// A conversation as turns of the messages dialect, in the way its servers take it: user and assistant by turns and the
// user first, no text without a word in it, and no turn without anything.
import { hash } from 'node:crypto'
import { shortTextCharactersMax } from '#contract/limits.ts'
import type { Block, CacheMark, ImageBlock, Message } from '../../core/block.ts'
import type { Json } from '../../lib/json-object.ts'
import { argumentsIn } from '../tool-arguments.ts'
import { isProven, type ProvenThoughts } from './proven-thought.ts'

export type Turn = { role: 'user' | 'assistant'; content: Json[] }

/** For a user who said nothing: the turn cannot be left out, and the dialect has none without a word. */
const silence = { type: 'text', text: '(no content)' }

/** No turns where nobody says anything. Thoughts that are not `proven` are words, and so are all without it. */
export function wireTurns(messages: readonly Message[], proven: ProvenThoughts | null): Turn[] {
  const turns = mergeTurns(messages, proven)
  if (turns.every(({ content }) => content.length === 0)) return []
  if (turns[0]?.role === 'assistant') turns.unshift({ role: 'user', content: [] })
  const last = turns.at(-1)
  if (last?.role === 'assistant') trimEnd(last)
  return turns.map((turn) => (turn.content.length > 0 ? resultsFirst(turn) : silentTurn()))
}

/** What tools returned stands before anything else that was said since they were called. */
function resultsFirst({ role, content }: Turn): Turn {
  const results = content.filter(isResult)
  if (content.slice(0, results.length).every(isResult)) return { role, content }
  const others = content.filter((block) => !isResult(block))
  return { role, content: withMarksOf(content, [...results, ...others]) }
}

function isResult({ type }: Json): boolean {
  return type === 'tool_result'
}

/** Where blocks change places, their marks stay in order: those that last longer come first (spec 1, caching rule 10). */
function withMarksOf(before: readonly Json[], blocks: readonly Json[]): Json[] {
  const marks = before.flatMap((block) => block.cache_control ?? [])
  let next = 0
  return blocks.map((block) =>
    block.cache_control === undefined ? block : { ...block, cache_control: marks[next++] },
  )
}

export function silentTurn(): Turn {
  return { role: 'user', content: [silence] }
}

/** A tool's answer and the words after it are one user turn; a user who said nothing still parts two turns. */
function mergeTurns(messages: readonly Message[], proven: ProvenThoughts | null): Turn[] {
  const turns: Turn[] = []
  for (const message of messages) {
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    const last = turns.at(-1)
    const before = last?.role === role ? last : null
    const content = thoughtsInPlace(wireBlocks(message.blocks, proven), before)
    if (content.length === 0 && message.role !== 'user') continue
    if (before) before.content.push(...content)
    else turns.push({ role, content })
  }
  return turns
}

/** A turn with signed thoughts begins with one and does not end with one; out of their place they are words. */
function thoughtsInPlace(content: Json[], before: Turn | null): Json[] {
  if (!content.some(isProven)) return content
  const first = before?.content[0] ?? content[0]
  if (!first || !isProven(first)) return content.flatMap(inWords)
  const end = content.findLastIndex((block) => !isProven(block)) + 1
  return [...content.slice(0, end), ...content.slice(end).flatMap(inWords)]
}

function inWords(block: Json): Json[] {
  if (!isProven(block)) return [block]
  const { thinking } = block
  return typeof thinking === 'string' && thinking.trim() !== '' ? [saidToItself(thinking)] : []
}

function saidToItself(thought: string): Json {
  return { type: 'text', text: `<thinking>${thought}</thinking>` }
}

/** An answer that the server is to go on with may not end in white space. */
function trimEnd({ content }: Turn): void {
  const last = content.at(-1)
  if (typeof last?.text === 'string') last.text = last.text.trimEnd()
}

/** Without the texts that hold no word. Where one of them was marked, the prefix ends with what stands before it. */
export function wireBlocks(blocks: readonly Block[], proven: ProvenThoughts | null): Json[] {
  const wire: Json[] = []
  for (const block of blocks) {
    const thought = proven && block.type === 'thinking' ? proven.wire(block) : null
    const last = wire.at(-1)
    if (thought) wire.push(thought)
    else if (!isBlank(block)) wire.push(wireBlock(block))
    else if (last && !isProven(last) && 'cache' in block)
      Object.assign(last, { ...mark(block.cache), ...last })
  }
  return wire
}

function isBlank(block: Block): boolean {
  return 'text' in block && block.text.trim() === ''
}

function wireBlock(block: Block): Json {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text, ...mark(block.cache) }
    case 'image':
      return { type: 'image', source: wireSource(block), ...mark(block.cache) }
    case 'thinking':
      // Not signed by this server, so the thought goes as what the assistant said to itself.
      return saidToItself(block.text)
    case 'tool-call':
      return {
        type: 'tool_use',
        id: wireId(block.id),
        name: block.name,
        input: argumentsIn(block.arguments) ?? {},
        ...mark(block.cache),
      }
    case 'tool-result': {
      const content = wireBlocks(block.content, null)
      return {
        type: 'tool_result',
        tool_use_id: wireId(block.toolCallId),
        // A tool may return nothing, but not fail with nothing.
        content:
          block.isError && content.length === 0 ? [{ type: 'text', text: 'Error' }] : content,
        ...(block.isError ? { is_error: true } : {}),
        ...mark(block.cache),
      }
    }
  }
}

const oddInIds = /[^A-Za-z0-9_-]/gu

/**
 * Ids of calls that other servers made up may hold what this dialect does not take; each keeps an id of its own. A very long one
 * is known by its fingerprint: spelling out what is odd in megabytes of it would keep everybody waiting.
 */
function wireId(id: string): string {
  if (id === '') return '_'
  if (id.search(oddInIds) === -1) return id
  if (id.length > shortTextCharactersMax) return hash('sha256', id, 'base64url')
  return id.replaceAll(oddInIds, (odd) => `_${odd.codePointAt(0)?.toString(16)}`)
}

function wireSource({ source }: ImageBlock): Json {
  return source.kind === 'url'
    ? { type: 'url', url: source.url }
    : { type: 'base64', media_type: source.mediaType, data: source.base64 }
}

export function mark(cache: CacheMark | undefined): Json {
  return cache?.from === 'cache_control'
    ? { cache_control: { type: 'ephemeral', ttl: cache.ttl } }
    : {}
}
