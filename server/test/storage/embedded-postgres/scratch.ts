// What the tests of this folder share: passing folders, a waiting that polls, and looks at the
// system's processes.

import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { killAll } from './hone-process.ts'
import { until } from '#test/support/until.ts'

export const isRoot = process.getuid?.() === 0
export const nobody = { uid: 65534, gid: 65534 }

/** Why a test that needs Linux and root cannot run here, or false. */
export const needsRootOnLinux =
  process.platform === 'linux' && isRoot ? false : 'needs root on Linux'

/** A folder that is gone when the test file ends; whoever has a database in it has to have ended by then. */
export function scratchFolder(mode = 0o700): string {
  const folder = mkdtempSync(join(tmpdir(), 'hone-test-'))
  chmodSync(folder, mode)
  folders.push(folder)
  return folder
}

const folders: string[] = []

after(async () => {
  killAll()
  // A watchdog needs a moment to end the database of a process that a failed test left.
  await until(async () => folders.every((folder) => serversUnder(folder).length === 0))
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** The processes that have a folder below this one as their own, which every process of a server does. */
export function serversUnder(folder: string): number[] {
  if (process.platform !== 'linux') return []
  return processes().filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`).startsWith(`${folder}/`)
    } catch {
      return false
    }
  })
}

/** The watchdog over a server. */
export function watchdogOf(serverPid: number): number | undefined {
  return processes().find((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
      return command.includes('hone-watchdog') && command.includes(String(serverPid))
    } catch {
      return false
    }
  })
}

export function isAlive(pid: number): boolean {
  try {
    // A zombie is dead; only its parent has not looked yet.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** Whether the user nobody can read a file, which a checkout in root's own home would not allow. */
export function nobodyCanRead(file: string): boolean {
  return spawnSync('test', ['-r', file], nobody).status === 0
}

function processes(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger)
}
