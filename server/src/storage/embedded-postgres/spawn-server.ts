// Runs the server as a child in a session of its own: Ctrl-C in a terminal reaches every process of
// the terminal's session, and the database has to outlive the calls that Hone is still finishing.

import { spawn } from 'node:child_process'
import type { Account } from './account.ts'
import { invocation } from './account.ts'
import type { ServerLog } from './server-log.ts'

export interface ServerEnd {
  code: number | null
  signal: NodeJS.Signals | null
}

export interface ServerProcess {
  pid: number
  isGone(): boolean
  ended: Promise<ServerEnd>
}

export function spawnServer(
  account: Account,
  postgres: string,
  cluster: string,
  settings: Record<string, string>,
  log: ServerLog,
): ServerProcess {
  const args = ['-D', cluster]
  for (const [name, value] of Object.entries(settings)) args.push('-c', `${name}=${value}`)
  const call = invocation(account, postgres, args)
  const child = spawn(call.file, call.args, {
    ...call.options,
    detached: true,
    stdio: ['ignore', log.descriptor, log.descriptor],
  })
  // Hone ends when its own work is done, not when the database ends; the watchdog sees to the
  // database then.
  child.unref()

  let gone = child.pid === undefined
  const ended = new Promise<ServerEnd>((resolve) => {
    const end = (code: number | null, signal: NodeJS.Signals | null) => {
      gone = true
      resolve({ code, signal })
    }
    child.once('exit', end)
    child.once('error', () => {
      if (child.pid === undefined) end(null, null)
    })
  })
  return { pid: child.pid ?? 0, isGone: () => gone, ended }
}
