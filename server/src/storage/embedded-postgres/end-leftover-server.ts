// Clears what an earlier Hone that was killed may have left: a server that still runs, or a
// postmaster.pid whose number now belongs to somebody else. Only the holder of the data folder's
// lock may call this, since to it every server of the cluster that runs is an orphan.

import { execFile } from 'node:child_process'
import { chown, readFile, readlink, realpath } from 'node:fs/promises'
import { rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { endServer } from './end-server.ts'

export async function endLeftoverServer(
  cluster: string,
  pgCtl: string,
  log: (sentence: string) => void,
): Promise<void> {
  const pidFile = join(cluster, 'postmaster.pid')
  const content = await readFile(pidFile, 'utf8').catch(() => null)
  if (content === null) return
  const [line = '', ...rest] = content.split('\n')
  // A single-user server writes its number with a minus.
  const pid = Math.abs(Number.parseInt(line, 10))
  // A power cut can leave the file empty, which the server would not dare to overrule.
  if (Number.isNaN(pid)) return rm(pidFile)

  if (await isServerOf(pid, cluster, pgCtl)) {
    log('Stopping the database server that an earlier run left behind.')
    await endServer({
      pid: pid,
      pgCtl,
      isGone: async () => !(await isServerOf(pid, cluster, pgCtl)),
    })
    return
  }
  if (process.platform !== 'win32') await disown(pidFile, rest)
}

// The new server would take any living process of that number for its predecessor, except its own
// parent, which is Hone. So the number is replaced by ours. Removing the file would be simpler, but
// the file also names the shared memory by which the server makes sure that no old backend is still
// at work on the files.
async function disown(pidFile: string, rest: string[]): Promise<void> {
  const { uid, gid } = await stat(pidFile)
  const own = `${pidFile}.hone`
  await writeFile(own, [String(process.pid), ...rest].join('\n'), { mode: 0o600 })
  if (process.getuid?.() === 0) await chown(own, uid, gid)
  await rename(own, pidFile)
}

/** A server lives in the folder of its cluster, so a number that went to another process does not deceive. */
async function isServerOf(pid: number, cluster: string, pgCtl: string): Promise<boolean> {
  switch (process.platform) {
    case 'linux': {
      const folder = await readlink(`/proc/${pid}/cwd`).catch(() => null)
      return folder !== null && folder === (await realpath(cluster))
    }
    case 'win32':
      return (await succeeds(pgCtl, ['status', '-D', cluster])) !== null
    default: {
      const command = await succeeds('ps', ['-o', 'command=', '-p', String(pid)])
      return command !== null && command.includes(cluster)
    }
  }
}

function succeeds(file: string, args: string[]): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(file, args, { windowsHide: true }, (error, stdout) => resolve(error ? null : stdout))
  })
}
