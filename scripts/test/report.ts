// What a run of the tests prints: a line for each file as it ends, each failure in full, and the counts.
import { relative } from 'node:path'
import { inspect } from 'node:util'

/** Of the events of node:test, the one that comes as soon as a test or a suite has ended. */
export type Completed = {
  name: string
  nesting: number
  file?: string
  line?: number
  skip?: string | boolean
  details: { passed?: boolean; duration_ms: number; type?: string; error?: Error }
}

export class TestReport {
  passed = 0
  skipped = 0
  readonly #root: string
  readonly #print: (line: string) => void
  readonly #failures: string[] = []

  constructor(root: string, print: (line: string) => void) {
    this.#root = root
    this.#print = print
  }

  get failed(): number {
    return this.#failures.length
  }

  /** A suite at the top is a file, and a test at the top is the process of a group of files. */
  add(event: Completed): void {
    const { details, nesting, name } = event
    const ok = details.passed === true
    const isTest = details.type === 'test' && nesting > 0
    if (event.skip !== undefined && event.skip !== false) {
      if (isTest) this.skipped++
    } else if (ok) {
      if (isTest) this.passed++
    } else if (!isOfSubtests(details.error)) {
      this.#fail(event)
    }
    if (details.type === 'suite' && nesting === 0) {
      this.#print(`${ok ? '✔' : '✖'} ${name} (${(details.duration_ms / 1000).toFixed(1)} s)`)
    }
  }

  /** The last line is also what CI systems read. */
  end(): void {
    if (this.failed > 0) this.#print(`\nFailed:\n${this.#failures.join('\n')}`)
    this.#print(`\n${this.passed} passed, ${this.failed} failed, ${this.skipped} skipped`)
  }

  #fail({ name, file = '', line, details }: Completed): void {
    const where = `${relative(this.#root, file)}:${line ?? 0} ${name}`
    this.#failures.push(`✖ ${where}`)
    const { error } = details
    this.#print(`✖ ${where}\n${inspect(error?.cause ?? error, { depth: 6 })}\n`)
  }
}

/** A suite fails with its tests, which say why. */
function isOfSubtests(error: Error | undefined): boolean {
  return (error as { failureType?: string } | undefined)?.failureType === 'subtestsFailed'
}
