// The conversation up to an answer, as the text in which a judge is shown it. What does not fit into the judge's window is left out, the
// oldest first and the middle of long turns, and a note stands in its place.
import type { CatalogModel } from '../../../catalog/catalog-file.ts'
import type { Block, Message, TextBlock } from '../../../core/block.ts'
import type { Conversation } from '../../../samples/sample/conversation.ts'
import { callText } from './answer-text.ts'

/** Half of the window is for the question, the rest for answers and verdict; most text has at least two bytes a token. */
const bytesPerToken = 2
const shareOfWindow = 0.5

/** Of a question that does not fit: how much of it a turn may be. */
const shares = { instructions: 0.25, lastTurn: 0.5, olderTurn: 0.125 }
/** For the note on what was left out. */
const noteBytes = 100

export function questionText(
  conversation: Pick<Conversation, 'tools' | 'system' | 'messages'>,
  judge: Pick<CatalogModel, 'context_window'>,
): string {
  const bytesMax = shownBytesMax(judge)
  const instructions = instructionsText(conversation)
  const turns = conversation.messages.map(turnText)
  const whole = joined([instructions, ...turns])
  if (Buffer.byteLength(whole) <= bytesMax) return whole
  const first = cutMiddle(instructions, bytesMax * shares.instructions)
  const last = cutMiddle(turns.at(-1) ?? '', bytesMax * shares.lastTurn)
  const older = newest(
    turns.slice(0, -1),
    bytesMax - Buffer.byteLength(joined([first, last])) - noteBytes,
    bytesMax * shares.olderTurn,
  )
  return joined([first, ...older, last])
}

export function shownBytesMax({ context_window }: Pick<CatalogModel, 'context_window'>): number {
  return Math.floor(context_window * shareOfWindow * bytesPerToken)
}

/** As many of the last turns as fit, and how many do not. */
function newest(turns: readonly string[], bytesMax: number, bytesPerTurn: number): string[] {
  const kept: string[] = []
  let left = bytesMax
  for (const turn of turns.toReversed()) {
    const cut = cutMiddle(turn, bytesPerTurn)
    left -= Buffer.byteLength(cut) + separator.length
    if (left < 0) break
    kept.unshift(cut)
  }
  const missing = turns.length - kept.length
  return missing === 0 ? kept : [`[… ${missing} earlier turns left out …]`, ...kept]
}

const separator = '\n\n'

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(separator)
}

function instructionsText({ system, tools }: Pick<Conversation, 'system' | 'tools'>): string {
  const text = system.map((block) => block.text).join('\n\n')
  const names = tools.map(({ name }) => name).join(', ')
  return joined([
    text === '' ? '' : `[system]\n${text}`,
    names === '' ? '' : `[tools that may be called]\n${names}`,
  ])
}

/** Thoughts are left out, as templates leave them out. */
function turnText({ role, blocks }: Message): string {
  const results = blocks.flatMap((block) =>
    block.type === 'tool-result'
      ? [`[tool ${block.isError ? 'error' : 'result'}]\n${contentText(block.content)}`]
      : [],
  )
  const others = contentText(blocks.filter((block) => block.type !== 'tool-result'))
  const turn = others === '' && results.length > 0 ? [] : [`[${role}]\n${others}`]
  return joined([...results, ...turn])
}

function contentText(blocks: readonly (Exclude<Block, { type: 'tool-result' }> | TextBlock)[]) {
  return blocks
    .flatMap((block) => {
      if (block.type === 'text') return [block.text]
      if (block.type === 'tool-call') return [`Calls the tool ${callText(block)}`]
      return block.type === 'image' ? ['[image]'] : []
    })
    .join('\n')
}

function cutMiddle(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= bytesMax) return text
  const half = Math.max(0, Math.floor((bytesMax - noteBytes) / 2))
  const from = characterAt(bytes, half)
  const to = characterAt(bytes, bytes.length - half)
  return `${bytes.toString('utf8', 0, from)}\n[… ${to - from} bytes left out …]\n${bytes.toString('utf8', to)}`
}

/** Where the character begins that the byte belongs to. */
function characterAt(bytes: Buffer, at: number): number {
  let start = at
  while (start > 0 && start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start--
  return start
}
