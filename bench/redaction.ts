// What redaction costs, in milliseconds of processor time a MiB, against one plain look at every character of the same
// text in the same run: on texts made to hurt each of its scanners, and on the rows of an ordinary import.
import { importRowsMax } from '#contract/limits.ts'
import { redactJson } from '../server/src/loop/redact/redact-json.ts'
import { redactText } from '../server/src/loop/redact/redact-text.ts'
import { hostileTexts } from '../server/test/redact/hostile-texts.ts'
import { corpus } from './samples/corpus.ts'

const mebibyte = 1024 * 1024
const rounds = 5
const goalMs = 50

export async function run(): Promise<void> {
  const wanted = process.argv[3] ?? ''
  let above = 0
  for (const [name, make] of Object.entries(hostileTexts)) {
    if (!name.includes(wanted)) continue
    const text = make(mebibyte)
    const twice = make(2 * mebibyte)
    const size = text.length / mebibyte
    const plain = bestOf(() => countAt(text)) / size
    const redaction = bestOf(() => redactText(text)) / size
    const doubled = bestOf(() => redactText(twice)) / size
    if (redaction > goalMs) above++
    console.log(
      `${name.padEnd(34)} ${figures(redaction, plain)}, ` +
        `${(doubled / redaction).toFixed(2)} times as long for twice the text`,
    )
  }
  console.log(`${above} of them above ${goalMs} ms`)
  if ('ordinary rows'.includes(wanted)) measureRows()
}

/** In slices, as an import redacts them. */
function measureRows(): void {
  const made = corpus()
  const rows = Array.from({ length: importRowsMax }, (_, number) => {
    const { messages, answer } = made.conversation(number)
    const blocks = [...messages.flatMap((message) => message.blocks), ...(answer ?? [])]
    return blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  })
  const slices: string[][][] = []
  for (let at = 0; at < rows.length; at += 500) slices.push(rows.slice(at, at + 500))
  const texts = rows.flat()
  const size = texts.reduce((sum, text) => sum + text.length, 0) / mebibyte
  const plain = bestOf(() => texts.map(countAt)) / size
  const redaction = bestOf(() => slices.map((slice) => redactJson(slice))) / size
  console.log(`${`${rows.length} ordinary rows`.padEnd(34)} ${figures(redaction, plain)}`)
}

function figures(redaction: number, plain: number): string {
  const times = redaction / Math.max(plain, 0.1)
  return (
    `${redaction.toFixed(1).padStart(7)} ms a MiB, ` +
    `${times.toFixed(0).padStart(4)} times a plain look`
  )
}

function countAt(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) === 64) count++
  return count
}

function bestOf(work: () => unknown): number {
  let best = Infinity
  for (let round = 0; round < rounds; round++) {
    const start = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(start)
    best = Math.min(best, (user + system) / 1000)
  }
  return best
}
