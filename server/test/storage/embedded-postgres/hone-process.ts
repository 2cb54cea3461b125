// Starts a process that stands for Hone (hone-process-main.ts) and talks to it, so that tests can
// kill it, run it as another user and run two of them at once.

import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { EmbeddedPostgresOptions } from '#server/storage/embedded-postgres/start-embedded-postgres.ts'

export type Report =
  | { event: 'log'; sentence: string }
  | { event: 'started'; url: string; pid: number }
  | { event: 'problem'; name: string; message: string }
  | { event: 'rows'; rows: unknown[] }
  | { event: 'stopped' }
  | { event: 'interrupted' }
  | { event: 'exited'; sentence: string }

export type Order = { do: 'stop' } | { do: 'query'; sql: string }

type ReportOf<Event extends Report['event']> = Extract<Report, { event: Event }>

export interface HoneProcess {
  pid: number
  logged: string[]
  /** The next report of this kind, also one that came before anybody asked. */
  next<Event extends Report['event']>(event: Event): Promise<ReportOf<Event>>
  query(sql: string): Promise<unknown[]>
  /** Stops the database, then lets the process end. */
  stop(): Promise<void>
  signal(name: NodeJS.Signals): Promise<void>
  /** Sends a signal to its whole process group, as a terminal does. */
  signalGroup(name: NodeJS.Signals): void
}

export interface HoneProcessOptions extends Omit<EmbeddedPostgresOptions, 'log'> {
  /** With the settings of a real Hone, instead of not waiting for the disk. */
  durable?: boolean
  user?: { uid: number; gid: number }
  env?: NodeJS.ProcessEnv
}

const main = fileURLToPath(new URL('./hone-process-main.ts', import.meta.url))
const running = new Set<ChildProcess>()

export function honeProcess(wish: HoneProcessOptions): HoneProcess {
  const { user, env, durable, ...rest } = wish
  const options = durable ? rest : { ...rest, settings: { fsync: 'off', ...rest.settings } }
  const child = spawn(process.execPath, [main, JSON.stringify(options)], {
    // A group of its own, so that a signal to the group does not reach the test.
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
    ...user,
  })
  running.add(child)
  const ended = once(child, 'exit').then(() => void running.delete(child))
  child.stdin.on('error', () => undefined)

  const reports: Report[] = []
  const logged: string[] = []
  const arrivals = new EventEmitter()
  let silent = false
  const lines = createInterface({ input: child.stdout })
  lines.on('line', (line) => {
    const report = JSON.parse(line) as Report
    if (report.event === 'log') logged.push(report.sentence)
    else reports.push(report)
    arrivals.emit('arrival')
  })
  lines.on('close', () => {
    silent = true
    arrivals.emit('arrival')
  })

  async function next<Event extends Report['event']>(event: Event): Promise<ReportOf<Event>> {
    for (;;) {
      const index = reports.findIndex((report) => report.event === event)
      if (index >= 0) return reports.splice(index, 1)[0] as ReportOf<Event>
      if (silent) {
        throw new Error(`the process ended before "${event}": ${JSON.stringify(reports)}`)
      }
      await once(arrivals, 'arrival')
    }
  }
  const order = (what: Order) => child.stdin.write(`${JSON.stringify(what)}\n`)

  return {
    pid: child.pid ?? 0,
    logged,
    next,
    async query(sql) {
      order({ do: 'query', sql })
      return (await next('rows')).rows
    },
    async stop() {
      order({ do: 'stop' })
      await next('stopped')
      child.stdin.end()
      await ended
    },
    async signal(name) {
      child.kill(name)
      await ended
    },
    signalGroup(name) {
      process.kill(-(child.pid ?? 0), name)
    },
  }
}

/** Kills what a failed test left running; its watchdog then ends the database. */
export function killAll(): void {
  for (const child of running) child.kill('SIGKILL')
}
