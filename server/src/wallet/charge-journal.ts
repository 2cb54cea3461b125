// Charges of answers that went out, in files of the data folder until the ledger has them: what a killed process leaves there, the
// next one charges. Written once a turn of the event loop and never waited for: the system keeps what a dead process wrote.
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  futimesSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { crashPoint } from '../lib/crash-point.ts'
import { StartupProblem } from '../lib/startup-problem.ts'
import type { Charge } from './charge.ts'

/** A file of this size is left for the other, once everything in that one is in the ledger. */
const turnBytes = 256 * 1024

const lookMs = 100

export type Page = { fd: number; readonly path: string; bytes: number; pending: number }

export type JournalReport = {
  /** Charges cannot be written down just now, so answers wait for the ledger instead. */
  failed(error: unknown): void
}

type Entry = { charge: Charge; onPage: (page: Page) => void }

export class ChargeJournal {
  readonly #pages: Page[]
  readonly #report: JournalReport
  readonly #flushed: () => void
  #current: Page
  #entries: Entry[] = []
  #works = true
  #closed = false
  #lookedMs = 0

  /** `flushed` is called whenever charges were written down. */
  constructor(folder: string, processId: string, report: JournalReport, flushed: () => void) {
    this.#report = report
    this.#flushed = flushed
    this.#pages = [0, 1].map((number) => {
      const path = join(folder, nameOf(processId, number))
      return { fd: create(path), path, bytes: 0, pending: 0 }
    })
    this.#current = this.#pages[0] as Page
  }

  /** Says on which page the charge is once it is written down, which may never be. */
  append(charge: Charge, onPage: (page: Page) => void): void {
    if (this.#closed) return
    if (this.#entries.push({ charge, onPage }) === 1) setImmediate(() => this.#flush())
  }

  /** The ledger has a charge that was on this page. */
  settled(page: Page): void {
    page.pending -= 1
  }

  /** Shows whoever starts in the same folder that these pages are a living process's. Called by a timer. */
  touch(): void {
    const now = Date.now() / 1000
    try {
      for (const page of this.#pages) {
        putBack(page)
        futimesSync(page.fd, now, now)
      }
    } catch {
      // A folder that takes nothing is told of once there is a charge to write.
    }
  }

  /** Pages with charges that the ledger may not have are left for the next start. */
  close(): void {
    this.#flush()
    this.#closed = true
    for (const page of this.#pages) {
      if (page.pending > 0) this.#leave(page)
      closeSync(page.fd)
      if (page.pending === 0) rmSync(page.path, { force: true })
    }
  }

  #leave(page: Page): void {
    try {
      putBack(page)
    } catch (error) {
      this.#report.failed(error)
    }
  }

  #flush(): void {
    const entries = this.#entries
    if (entries.length === 0) return
    this.#entries = []
    // What is behind a line that was cut off begins a line of its own.
    let lines = this.#works ? '' : '\n'
    for (const { charge } of entries) lines += lineOf(charge)
    try {
      const page = this.#pageToWrite()
      this.#lookAfter(page)
      const written = writeAll(page.fd, lines)
      crashPoint('written-down')
      page.bytes += written
      page.pending += entries.length
      for (const { onPage } of entries) onPage(page)
      this.#works = true
    } catch (error) {
      if (this.#works) this.#report.failed(error)
      this.#works = false
      return
    }
    this.#flushed()
  }

  /** Now and then: it is rare that somebody removes a page, and there are many writes. */
  #lookAfter(page: Page): void {
    const nowMs = performance.now()
    if (nowMs - this.#lookedMs < lookMs) return
    this.#lookedMs = nowMs
    putBack(page)
  }

  #pageToWrite(): Page {
    const other = this.#pages.find((page) => page !== this.#current)
    if (this.#current.bytes < turnBytes || !other || other.pending > 0) return this.#current
    ftruncateSync(other.fd)
    other.bytes = 0
    this.#current = other
    return other
  }
}

function create(path: string): number {
  return openSync(path, 'ax+', 0o600)
}

/** Who starts in the same folder takes a living process for a dead one where the clock was put forward, and removes its pages. */
function putBack(page: Page): void {
  const { nlink, size } = fstatSync(page.fd)
  if (nlink > 0) return
  const charges = Buffer.alloc(size)
  readSync(page.fd, charges, 0, size, 0)
  const fd = create(page.path)
  try {
    writeAll(fd, charges)
  } catch (error) {
    closeSync(fd)
    rmSync(page.path, { force: true })
    throw error
  }
  closeSync(page.fd)
  page.fd = fd
}

function writeAll(fd: number, lines: string | Buffer): number {
  const written = typeof lines === 'string' ? writeSync(fd, lines) : writeSync(fd, lines)
  if (written < Buffer.byteLength(lines)) throw new Error('the disk took a part of the charges')
  return written
}

const journalName = /^charges-[\w-]+\.journal$/

function nameOf(processId: string, number: number): string {
  return `charges-${processId}-${number}.journal`
}

export type LeftPage = { path: string; charges: Charge[]; untouchedMs: number }

/** What other processes, dead or alive, have written down in this folder. */
export async function readLeftPages(folder: string): Promise<LeftPage[]> {
  const names = (await readdir(folder)).filter((name) => journalName.test(name))
  const pages = await Promise.all(names.map((name) => readPage(join(folder, name))))
  return pages.filter((page) => page !== null)
}

async function readPage(path: string): Promise<LeftPage | null> {
  try {
    const [text, { mtimeMs }] = [await readFile(path, 'utf8'), await stat(path)]
    return { path, charges: readLines(text), untouchedMs: Date.now() - mtimeMs }
  } catch (error) {
    // A process that ends in order has removed its own meanwhile.
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return null
    throw new StartupProblem(
      `The file ${path} may hold charges that are not in the ledger and cannot be read (${message}); let the account that runs Hone read it, or move it away.`,
      { cause: error },
    )
  }
}

export async function removePage({ path }: LeftPage): Promise<void> {
  await rm(path, { force: true })
}

function lineOf(charge: Charge): string {
  return `${JSON.stringify({ ...charge, amount: charge.amount.toString() })}\n`
}

/** A line that was cut off in the middle of its writing is no charge yet. */
function readLines(text: string): Charge[] {
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .flatMap((line) => {
      const charge = readLine(line)
      return charge ? [charge] : []
    })
}

function readLine(line: string): Charge | null {
  try {
    const read = JSON.parse(line) as Charge & { amount: string }
    return { ...read, amount: BigInt(read.amount) }
  } catch {
    return null
  }
}
