// What redaction costs on texts made to hurt each of its scanners, in milliseconds of processor time a MiB, against one plain look at
// every character of the same text in the same run.
import { redactText } from '../server/src/loop/redact/redact-text.ts'
import { hostileTexts } from '../server/test/redact/hostile-texts.ts'

const mebibyte = 1024 * 1024
const rounds = 3

export async function run(): Promise<void> {
  const wanted = process.argv[3] ?? ''
  for (const [name, make] of Object.entries(hostileTexts)) {
    if (!name.includes(wanted)) continue
    const text = make(mebibyte)
    const size = text.length / mebibyte
    const plain = bestOf(() => countAt(text)) / size
    const redaction = bestOf(() => redactText(text)) / size
    const doubled = bestOf(() => redactText(make(2 * mebibyte))) / size
    console.log(
      `${name.padEnd(34)} ${redaction.toFixed(1).padStart(7)} ms a MiB, ` +
        `${(redaction / Math.max(plain, 0.1)).toFixed(0).padStart(4)} times a plain look, ` +
        `${(doubled / redaction).toFixed(2)} times as long for twice the text`,
    )
  }
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
