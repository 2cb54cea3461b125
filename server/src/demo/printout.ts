// What the reader sees: headings, lines, and what goes on at the moment. A terminal has that on one line that is written anew; any
// other output gets a line now and then.
const indent = '   '
const barCharacters = 24
const columns = 100
/** Lines are no longer than this. */
export const lineMax = columns - indent.length

export type Output = Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>

export type Going = {
  what: string
  /** From 0 to 1; null where it is not known. */
  share: number | null
  detail: string
}

export class Printout {
  readonly #output: Output
  #told: { what: string; quarter: number } | null = null
  #isBarShown = false

  constructor(output: Output) {
    this.#output = output
  }

  heading(text: string): void {
    this.#write(`\n${text}\n${'='.repeat(text.length)}`)
  }

  line(text = ''): void {
    this.#write(text === '' ? '' : indent + text)
  }

  /** As many lines as it takes; those after the first stand in as far as `hang`. */
  paragraph(text: string, hang = 0): void {
    for (const line of brokenInto(text, hang)) this.line(line)
  }

  going({ what, share, detail }: Going): void {
    if (this.#output.isTTY) {
      const bar = share === null ? ' '.repeat(barCharacters + 2) : barOf(share)
      const text = `${indent}${what.padEnd(16)} ${bar} ${detail}`
      this.#output.write(`\r\u001b[2K${text.slice(0, (this.#output.columns || columns) - 1)}`)
      this.#isBarShown = true
      return
    }
    const quarter = Math.floor(4 * (share ?? 0))
    if (this.#told?.what === what && this.#told.quarter >= quarter) return
    this.#told = { what, quarter }
    this.line(detail === '' ? what : `${what}: ${detail}`)
  }

  /** What was going on is over; its last state goes from a terminal. */
  over(): void {
    if (this.#isBarShown) this.#output.write('\r\u001b[2K')
    this.#isBarShown = false
    this.#told = null
  }

  #write(text: string): void {
    if (this.#isBarShown) this.over()
    this.#output.write(`${text}\n`)
  }
}

function barOf(share: number): string {
  const done = Math.round(Math.min(1, Math.max(0, share)) * barCharacters)
  return `[${'#'.repeat(done)}${'.'.repeat(barCharacters - done)}]`
}

function brokenInto(text: string, hang: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line === '') line = word
    else if (line.length + 1 + word.length <= lineMax) line += ` ${word}`
    else {
      lines.push(line)
      line = ' '.repeat(hang) + word
    }
  }
  return [...lines, line]
}

/** On one line, and no longer than that. */
export function clipped(text: string, width: number): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= width ? line : `${line.slice(0, width - 3)}...`
}

export function counted(count: number, what: string): string {
  return `${count.toLocaleString('en-US')} ${what}${count === 1 ? '' : 's'}`
}

export function lasted(seconds: number): string {
  if (seconds < 10) return `${Number(seconds.toFixed(1))} s`
  const whole = Math.round(seconds)
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`
}
