// The account under which the PostgreSQL programs run, and how a program is run under it.
// PostgreSQL refuses to be root, so that a root Hone has to step down; which way is chosen in
// choose-home.ts.

import { execFile } from 'node:child_process'
import { chown } from 'node:fs/promises'
import { parse } from 'node:path'

export type Account =
  /** As Hone itself. */
  | { kind: 'self' }
  /** As root, in a user namespace where root is called nobody: the files stay root's. */
  | { kind: 'namespace' }
  /** As another user of the system, which only root can do. */
  | { kind: 'other'; uid: number; gid: number }

export interface Invocation {
  file: string
  args: string[]
  options: {
    cwd: string
    env: NodeJS.ProcessEnv
    windowsHide: true
    uid?: number
    gid?: number
  }
}

export interface Outcome {
  ok: boolean
  /** What the program printed, both streams. */
  output: string
}

const unshare = ['-U', '--map-user=65534', '--map-group=65534', '--']

export function invocation(account: Account, file: string, args: string[]): Invocation {
  // The folder Hone was started in may be closed to the account, and initdb wants to know where it
  // is.
  const options = { cwd: parse(process.cwd()).root, env: environment(), windowsHide: true } as const
  switch (account.kind) {
    case 'self':
      return { file, args, options }
    case 'namespace':
      return { file: 'unshare', args: [...unshare, file, ...args], options }
    case 'other':
      // The last ids of all, which macOS has for nobody, are negative to whoever starts a process.
      return { file, args, options: { ...options, uid: account.uid | 0, gid: account.gid | 0 } }
  }
}

/** Runs a program to its end; a program that cannot be run at all is an outcome too. */
export function runAs(account: Account, file: string, args: string[]): Promise<Outcome> {
  const call = invocation(account, file, args)
  return new Promise((resolve) => {
    execFile(call.file, call.args, call.options, (error, stdout, stderr) => {
      const output = `${stdout}${stderr}`.trim()
      resolve({ ok: error === null, output: output || (error?.message ?? '') })
    })
  })
}

/** Whether the account exists for us (namespaces may be forbidden) and can reach into a folder. */
export async function canEnter(account: Account, folder: string): Promise<boolean> {
  const { ok } = await runAs(account, '/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder])
  return ok
}

/** Makes the account the owner of something that Hone has just created for it. */
export async function handOver(account: Account, path: string): Promise<void> {
  if (account.kind === 'other') await chown(path, account.uid, account.gid)
}

// A PGDATA, PGPORT or LC_ALL that was meant for some other database must not reach this one, nor
// Hone's secrets.
function environment(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'LD_LIBRARY_PATH', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'COMSPEC']
  const env: NodeJS.ProcessEnv = { LC_ALL: 'C' }
  for (const name of kept) if (process.env[name] !== undefined) env[name] = process.env[name]
  return env
}
