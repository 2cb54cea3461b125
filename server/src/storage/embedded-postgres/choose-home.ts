// Decides where the cluster lives and under which account PostgreSQL runs. An ordinary user needs
// no decision; for root the ways are tried in this order, and a cluster that exists is never left
// behind for a new, empty one:
//
// | Way                                        | When                                  |
// |--------------------------------------------|---------------------------------------|
// | the place named by the pointer file        | an earlier start had to go elsewhere  |
// | in the data folder, as the cluster's owner | the owner is not root                 |
// | in the data folder, in a user namespace    | allowed: nothing is copied or changed |
// | in the data folder, as nobody              | nobody can reach it (most containers) |
// | in /var/lib/hone, as nobody                | only root can reach the data folder   |

import { chmod, chown, mkdir, mkdtemp, readFile, readdir } from 'node:fs/promises'
import { rename, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { StartupProblem } from '../../lib/startup-problem.ts'
import { canEnter, runAs } from './account.ts'
import type { Account } from './account.ts'
import type { System } from './system.ts'

export interface Home {
  /** Holds the cluster, its socket and, where they had to be copied, the binaries. */
  folder: string
  account: Account
}

export const clusterName = 'postgres'
const pointerName = 'postgres-location'

export async function chooseHome(
  dataDir: string,
  system: System,
  log: (sentence: string) => void,
): Promise<Home> {
  const elsewhere = await pointedTo(dataDir)
  if (process.getuid === undefined) return { folder: dataDir, account: { kind: 'self' } }
  if (process.getuid() !== 0) {
    await refuseForeignCluster(elsewhere ?? dataDir, process.getuid())
    return { folder: elsewhere ?? dataDir, account: { kind: 'self' } }
  }

  const folder = elsewhere ?? dataDir
  const owner = await stat(join(folder, clusterName)).catch(() => null)
  if (owner !== null && owner.uid !== 0) {
    const account: Account = { kind: 'other', uid: owner.uid, gid: owner.gid }
    if (await opened(folder, account)) return { folder, account }
    throw new StartupProblem(
      `The database in ${join(folder, clusterName)} belongs to the user with id ${owner.uid}, who cannot enter ${folder}: open the folders above it to that user, or start Hone as that user.`,
    )
  }
  if (elsewhere !== undefined) {
    const account = await nobody()
    if (account !== null && (await opened(elsewhere, account))) return { folder, account }
    throw new StartupProblem(
      `The file ${join(dataDir, pointerName)} says that the database is in ${elsewhere}, which cannot be reached: bring that folder back, or remove the file to begin with an empty database.`,
    )
  }

  const namespace: Account = { kind: 'namespace' }
  if (system.userNamespaces && (await canEnter(namespace, dataDir))) {
    return { folder: dataDir, account: namespace }
  }
  const account = await nobody()
  if (account !== null && (await opened(dataDir, account))) {
    if (owner !== null) await giveAll(join(dataDir, clusterName), account)
    return { folder: dataDir, account }
  }
  if (account !== null && owner === null) {
    const made = await makeElsewhere(dataDir, account, system.reachableFolder)
    if (made !== null) {
      log(
        `PostgreSQL cannot run as root and no other user may enter ${dataDir}, so the database is kept in ${made}.`,
      )
      return { folder: made, account }
    }
  }
  throw new StartupProblem(
    `PostgreSQL refuses to run as root and no other user can reach ${dataDir}: start Hone as an ordinary user, set HONE_DATA_DIR to a folder that the user nobody can enter, or set DATABASE_URL to a PostgreSQL server of your own.`,
  )
}

/** Whether a data folder has a cluster, or leads to one. */
export async function holdsDatabase(dataDir: string): Promise<boolean> {
  for (const name of [clusterName, pointerName]) {
    const problem = await stat(join(dataDir, name)).then(
      () => null,
      (error: NodeJS.ErrnoException) => error.code,
    )
    if (problem !== 'ENOENT' && problem !== 'ENOTDIR') return true
  }
  return false
}

// A pointer that is there and cannot be read must not pass for none: a new, empty database would
// take the place of the one it leads to.
async function pointedTo(dataDir: string): Promise<string | undefined> {
  try {
    return (await readFile(join(dataDir, pointerName), 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

async function refuseForeignCluster(folder: string, uid: number): Promise<void> {
  const cluster = join(folder, clusterName)
  const owner = await stat(cluster).catch((error: NodeJS.ErrnoException) => error)
  if (owner instanceof Error) {
    if (owner.code === 'ENOENT' || owner.code === 'ENOTDIR') return
    throw new StartupProblem(
      `The database in ${cluster} cannot be opened (${owner.code}): start Hone as the user who created it.`,
    )
  }
  if (owner.uid === uid) return
  throw new StartupProblem(
    `The database in ${cluster} belongs to the user with id ${owner.uid} and Hone runs as ${uid}: start Hone as that user, or set HONE_DATA_DIR to another folder.`,
  )
}

async function nobody(): Promise<Extract<Account, { kind: 'other' }> | null> {
  const self: Account = { kind: 'self' }
  const uid = await runAs(self, 'id', ['-u', 'nobody'])
  const gid = await runAs(self, 'id', ['-g', 'nobody'])
  if (!uid.ok || !gid.ok) return null
  return { kind: 'other', uid: Number(uid.output), gid: Number(gid.output) }
}

// A folder that is wholly private says nothing by its group, so the group may become the account's,
// with the right to pass through and no more. The folders above it are not Hone's to change.
async function opened(folder: string, account: Account): Promise<boolean> {
  if (await canEnter(account, folder)) return true
  const before = await stat(folder).catch(() => null)
  if (before === null || account.kind !== 'other' || (before.mode & 0o077) !== 0) return false
  await chown(folder, before.uid, account.gid)
  await chmod(folder, 0o710)
  if (await canEnter(account, folder)) return true
  await chown(folder, before.uid, before.gid)
  await chmod(folder, before.mode & 0o7777)
  return false
}

// The top comes last: as long as it is root's, an interrupted change of owner is taken up again by
// the next start.
async function giveAll(path: string, account: { uid: number; gid: number }): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const inner = join(path, entry.name)
    if (entry.isDirectory()) await giveAll(inner, account)
    else if (entry.isFile()) await chown(inner, account.uid, account.gid)
  }
  await chown(path, account.uid, account.gid)
}

// The name is new each time and only the pointer leads to it: whoever removes the data folder
// begins anew.
async function makeElsewhere(
  dataDir: string,
  account: { kind: 'other'; uid: number; gid: number },
  reachableFolder: string,
): Promise<string | null> {
  try {
    await mkdir(reachableFolder, { recursive: true, mode: 0o711 })
    // What root makes may be private whatever was asked for.
    if (!(await opened(reachableFolder, account))) return null
    const made = await mkdtemp(join(reachableFolder, `${basename(dataDir)}-`))
    if (!(await opened(made, account))) return null
    const pointer = join(dataDir, pointerName)
    await writeFile(`${pointer}.new`, `${made}\n`, { mode: 0o644 })
    await rename(`${pointer}.new`, pointer)
    return made
  } catch {
    return null
  }
}
