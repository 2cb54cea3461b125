// Where the server listens: a Unix socket in a folder that only its owner may enter, or, where
// there are no such sockets, TCP on 127.0.0.1 with a password.

import { createHash, randomBytes } from 'node:crypto'
import { chmod, lstat, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StartupProblem } from '../../lib/startup-problem.ts'
import { handOver } from './account.ts'
import type { Home } from './choose-home.ts'
import { superuser } from './initialise-cluster.ts'

export type Address =
  | { kind: 'socket'; folder: string; port: number }
  | { kind: 'loopback'; port: number; password: string }

// The port is part of the socket's file name. It is always said, because clients would else take
// PGPORT's word.
const socketPort = 5432
const socketFile = `.s.PGSQL.${socketPort}`

// macOS allows 103 bytes for the path of a socket and Linux 107.
const socketPathBytesMax = 103

export async function socketAddress(home: Home): Promise<Address> {
  const near = join(home.folder, 'postgres-socket')
  const folder = fits(near) ? await privateFolder(near, home) : await shortFolder(home)
  // The lock on the data folder says that no server of ours runs. The socket's own lock file names
  // a process by number, and after a power cut that number may be anybody's.
  await rm(join(folder, socketFile), { force: true })
  await rm(join(folder, `${socketFile}.lock`), { force: true })
  return { kind: 'socket', folder, port: socketPort }
}

export async function loopbackAddress(passwordFile: string): Promise<Address> {
  const password = (await readFile(passwordFile, 'utf8')).trim()
  return { kind: 'loopback', port: await freePort(), password }
}

/** The file with the superuser's password, made on first use. */
export async function ensurePasswordFile(home: Home): Promise<string> {
  const file = join(home.folder, 'postgres-password')
  const password = randomBytes(24).toString('base64url')
  await writeFile(file, `${password}\n`, { flag: 'wx', mode: 0o600 }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    },
  )
  await handOver(home.account, file)
  return file
}

// Said here, because clients would else take the word of PGSSLMODE, for a server that has no certificate and needs none, and of
// PGOPTIONS, which is meant for another server.
const overruled = `sslmode=disable&options=${encodeURIComponent('-c search_path=public')}`

/** The URL of one database. */
export function databaseUrl(address: Address, database: string): string {
  const host = address.kind === 'socket' ? encodeURIComponent(address.folder) : '127.0.0.1'
  const secret = address.kind === 'loopback' ? `:${encodeURIComponent(address.password)}` : ''
  return `postgres://${superuser}${secret}@${host}:${address.port}/${database}?${overruled}`
}

function fits(folder: string): boolean {
  return Buffer.byteLength(join(folder, socketFile)) <= socketPathBytesMax
}

async function privateFolder(folder: string, home: Home): Promise<string> {
  await mkdir(folder, { recursive: true })
  await chmod(folder, 0o700)
  await handOver(home.account, folder)
  return folder
}

// In a folder that all users share, a stranger may have taken the name: then another one is made,
// which nobody can guess.
async function shortFolder(home: Home): Promise<string> {
  const uid = home.account.kind === 'other' ? home.account.uid : (process.getuid?.() ?? 0)
  const mark = createHash('sha256').update(home.folder).digest('hex').slice(0, 12)
  const wanted = join(tmpdir(), `hone-${uid}-${mark}`)
  if (!fits(wanted)) {
    throw new StartupProblem(
      `The paths of ${home.folder} and of ${tmpdir()} are both too long for a Unix socket: set HONE_DATA_DIR to a folder with a shorter path.`,
    )
  }
  await mkdir(wanted, { mode: 0o700 }).then(
    () => handOver(home.account, wanted),
    () => undefined,
  )
  const found = await lstat(wanted)
  if (found.isDirectory() && found.uid === uid && (found.mode & 0o777) === 0o700) return wanted
  const fresh = await mkdtemp(join(tmpdir(), 'hone-'))
  await handOver(home.account, fresh)
  return fresh
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
