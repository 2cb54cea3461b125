// What redaction costs, in milliseconds of processor time a MiB, against one plain look at every character of the same
// text in the same run: on texts made to hurt each of its scanners, and on the rows of an ordinary import. All scanners
// run together; what the dearest of them takes alone is told from samples of where the time goes, beside what all
// share: reading the text and looking where something may begin.
import { Session } from 'node:inspector/promises'
import { importRowsMax } from '#contract/limits.ts'
import { redactJson } from '../server/src/samples/redact/redact-json.ts'
import { redactText } from '../server/src/samples/redact/redact-text.ts'
import { hostileTexts } from '../server/test/samples/redact/hostile-texts.ts'
import { corpus } from './samples/corpus.ts'

const mebibyte = 1024 * 1024
const rounds = 7
const sampledRounds = 4
const goalMs = 50

/** Of the texts those whose names hold what is wanted. */
export async function run(wanted = ''): Promise<void> {
  const profiler = new Session()
  profiler.connect()
  await profiler.post('Profiler.enable')
  await profiler.post('Profiler.setSamplingInterval', { interval: 100 })
  let above = 0
  let patternsAbove = 0
  for (const [name, make] of Object.entries(hostileTexts)) {
    if (!name.includes(wanted)) continue
    const text = make(mebibyte)
    const twice = make(2 * mebibyte)
    const size = text.length / mebibyte
    const plain = bestOf(() => countAt(text)) / size
    const redaction = bestOf(() => redactText(text)) / size
    const doubled = bestOf(() => redactText(twice)) / size
    const { pattern, own, shared } = await dearest(profiler, text)
    const alone = (own + shared) * redaction
    if (redaction > goalMs) above++
    if (alone > goalMs) patternsAbove++
    console.log(
      `${name.padEnd(34)} ${figures(redaction, plain)}, ` +
        `${(doubled / redaction).toFixed(2)} times as long for twice the text; ` +
        `${pattern} alone ${alone.toFixed(1)} ms, of which ${(shared * redaction).toFixed(1)} shared`,
    )
  }
  profiler.disconnect()
  console.log(`${above} of them above ${goalMs} ms for all patterns together`)
  console.log(`${patternsAbove} of them above ${goalMs} ms for the dearest pattern alone`)
  if ('ordinary rows'.includes(wanted)) measureRows()
}

/** By the file in which the work is done, or the file that asked for it. */
const patterns: [file: RegExp, pattern: string][] = [
  [/find-email/, 'email'],
  [/find-token/, 'token'],
  [/find-cloud-key/, 'cloud key'],
  [/find-jwt/, 'jwt'],
  [/find-private-key/, 'private key'],
  [/find-card/, 'card'],
  [/national-id\//, 'national id'],
  [/find-ip/, 'ip'],
  [/find-assigned-secret/, 'assigned secret'],
  [/find-url-password/, 'password in a URL'],
  [/find-marked-key/, 'marked key'],
  [/find-cookie/, 'cookie'],
  [/find-command-password/, 'command password'],
]

/** The pattern that takes the most, as shares of the time of all, and what it needs of what is done for all. */
async function dearest(
  profiler: Session,
  text: string,
): Promise<{ pattern: string; own: number; shared: number }> {
  await profiler.post('Profiler.start')
  for (let round = 0; round < sampledRounds; round++) redactText(text)
  const { profile } = await profiler.post('Profiler.stop')
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]))
  const hits = new Map<string, number>()
  const visit = (id: number, owner: string): void => {
    const { callFrame, hitCount = 0, children = [] } = nodes.get(id)!
    const pattern = patterns.find(([file]) => file.test(callFrame.url))?.[1] ?? owner
    hits.set(pattern, (hits.get(pattern) ?? 0) + hitCount)
    for (const child of children) visit(child, pattern)
  }
  visit(profile.nodes[0]!.id, 'shared')
  const all = [...hits.values()].reduce((sum, count) => sum + count, 0)
  const shared = (hits.get('shared') ?? 0) / all
  hits.delete('shared')
  const [pattern, count] = [...hits].sort((a, b) => b[1] - a[1])[0] ?? ['no pattern', 0]
  return { pattern, own: count / all, shared }
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
