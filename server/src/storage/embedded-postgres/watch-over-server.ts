// A shell that ends the server when Hone dies without doing so. It holds one end of a pipe whose
// other end only Hone has; the kernel closes that end whatever Hone dies of, and then the shell
// asks the server for a fast shutdown.

import { spawn } from 'node:child_process'
import { join } from 'node:path'

export interface Watchdog {
  /** Sends the shell away, once the server has ended or Hone has ended it. */
  dismiss(): Promise<void>
}

// A word on the pipe means dismissal, its end without a word the death of Hone. Before each signal
// postmaster.pid has to name the process, so that a number which went to another process is never
// signalled. After fifty rounds (ten seconds) the shutdown becomes an immediate one; after thirty
// seconds the shell gives up, and the next start takes over.
const script = `
trap '' HUP INT TERM
read -r word && exit 0
round=0
while kill -0 "$1" 2>/dev/null && [ "$round" -lt 150 ]; do
  name=INT
  [ "$round" -ge 50 ] && name=QUIT
  number=
  read -r number 2>/dev/null <"$2"
  [ "$number" = "$1" ] && kill -s "$name" "$1" 2>/dev/null
  round=$((round + 1))
  sleep 0.2 || sleep 1
done
`

/** Windows has no such shell: there a server that is left behind goes on until the next start ends it. */
export function watchOverServer(pid: number, cluster: string): Watchdog {
  if (process.platform === 'win32') return { dismiss: async () => undefined }
  const shell = spawn(
    '/bin/sh',
    ['-c', script, 'hone-watchdog', String(pid), join(cluster, 'postmaster.pid')],
    {
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    },
  )
  let dismissed = false
  const ended = new Promise<void>((resolve) => {
    shell.once('exit', () => resolve())
    // Without a shell the server is merely not watched over.
    shell.once('error', () => resolve())
  })
  shell.stdin.on('error', () => undefined)
  shell.unref()
  ;(shell.stdin as unknown as { unref(): void }).unref()
  return {
    dismiss() {
      if (!dismissed) {
        dismissed = true
        shell.ref()
        shell.stdin.end('dismissed\n')
      }
      return ended
    },
  }
}
