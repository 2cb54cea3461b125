// The processes that train and merge: how they are started, watched and ended.
import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'

/** A process that has not ended by itself after this long is ended. */
const graceMs = 1000

/** Points at which a test kills the server are none at which it kills what the server has started. */
function environment(): NodeJS.ProcessEnv {
  const { HONE_CRASH_AT: _, ...env } = process.env
  return env
}

export type Started = {
  child: ChildProcess
  /** Why it ended: the last line of what it said of its errors, or its code. */
  ended: Promise<string>
}

export function startProcess(program: string, args: string[]): Started {
  const child = fork(program, args, {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    execArgv: [],
    env: environment(),
  })
  let errors = ''
  child.stderr?.on('data', (text: Buffer) => (errors = (errors + text.toString()).slice(-2000)))
  const ended = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(error.message))
    child.on('close', (code, signal) =>
      resolve(errors.trim().split('\n').at(-1) || `it ended with ${signal ?? code}`),
    )
  })
  return { child, ended }
}

/** To give the job up, or to leave it to a later process. */
export type Ending = 'stop' | 'let-go'

/** Asks it to end; one deep in a long step is then ended from outside, which its folder survives. */
export async function endProcess({ child, ended }: Started, way: Ending): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  if (child.connected) child.send(way)
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs)
  await ended
  clearTimeout(timer)
}
