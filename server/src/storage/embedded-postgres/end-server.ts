// Ends a server: a fast shutdown first, which writes a checkpoint; then an immediate one, after
// which the next start recovers from the log; then by force. None of the three loses what was
// committed.

import { execFile } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'

export interface EndingServer {
  pid: number
  isGone(): boolean | Promise<boolean>
  /** Only Windows needs it: it has no signals, and pg_ctl knows how the server takes them there. */
  pgCtl: string
}

export interface EndPatience {
  fastMs: number
  immediateMs: number
}

const patience: EndPatience = { fastMs: 30_000, immediateMs: 5_000 }
const pollMs = 20

export async function endServer(
  server: EndingServer,
  { fastMs, immediateMs }: EndPatience = patience,
): Promise<void> {
  await signal(server, 'INT')
  if (await isGoneWithin(server, fastMs)) return
  await signal(server, 'QUIT')
  if (await isGoneWithin(server, immediateMs)) return
  await signal(server, 'KILL')
  await isGoneWithin(server, immediateMs)
}

async function isGoneWithin(server: EndingServer, limitMs: number): Promise<boolean> {
  const end = performance.now() + limitMs
  while (!(await server.isGone())) {
    if (performance.now() > end) return false
    await delay(pollMs)
  }
  return true
}

async function signal(server: EndingServer, name: 'INT' | 'QUIT' | 'KILL'): Promise<void> {
  if (await server.isGone()) return
  if (process.platform === 'win32' && name !== 'KILL') {
    await new Promise((resolve) =>
      execFile(server.pgCtl, ['kill', name, String(server.pid)], { windowsHide: true }, resolve),
    )
    return
  }
  try {
    process.kill(server.pid, `SIG${name}`)
  } catch (error) {
    // It may have ended between the look and the signal.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
