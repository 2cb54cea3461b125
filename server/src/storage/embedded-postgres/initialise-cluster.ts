// Creates the cluster of a new data folder. It is made under a passing name and moved into place
// when it is complete, so that a start which is cut short leaves nothing that looks like a
// database.

import { mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StartupProblem } from '../../lib/startup-problem.ts'
import { syncFolder } from '../../lib/write-aside.ts'
import { handOver, runAs } from './account.ts'
import type { Home } from './choose-home.ts'
import { clusterName } from './choose-home.ts'
import type { Binaries } from './find-binaries.ts'
import { folderProblem, fullDiskProblem, tellsOfFullDisk } from './folder-problem.ts'

export const superuser = 'hone'
const unfinishedPrefix = `${clusterName}.new-`

export interface ClusterWish {
  home: Home
  binaries: Binaries
  /** A file with the superuser's password; without one, whoever can enter the socket's folder is trusted. */
  passwordFile: string | null
  /** Whether to wait until the files are on disk. */
  durable: boolean
  log: (sentence: string) => void
}

/** Makes the cluster unless it exists, and returns its folder. */
export async function initialiseCluster(wish: ClusterWish): Promise<string> {
  const { folder, account } = wish.home
  const cluster = join(folder, clusterName)
  try {
    await removeUnfinished(folder)
    if (await stat(cluster).catch(() => null)) return cluster
    wish.log('Preparing the database for its first start.')
    const unfinished = await mkdtemp(join(folder, unfinishedPrefix))
    await handOver(account, unfinished)
    const { ok, output } = await runAs(account, wish.binaries.initdb, initdbArgs(unfinished, wish))
    if (!ok) {
      await rm(unfinished, { recursive: true, force: true }).catch(() => undefined)
      throw initdbProblem(folder, wish.binaries, output)
    }
    await rename(unfinished, cluster)
    await syncFolder(folder)
    return cluster
  } catch (error) {
    throw folderProblem(folder, error)
  }
}

function initdbArgs(unfinished: string, { passwordFile, durable }: ClusterWish): string[] {
  return [
    `--pgdata=${unfinished}`,
    `--username=${superuser}`,
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--data-checksums',
    ...(durable ? [] : ['--no-sync']),
    ...(passwordFile === null
      ? ['--auth-local=trust', '--auth-host=reject']
      : ['--auth=scram-sha-256', `--pwfile=${passwordFile}`]),
  ]
}

// An initdb whose Hone was killed may still be writing into its folder; what cannot be removed now,
// the next start removes.
async function removeUnfinished(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(unfinishedPrefix)) continue
    await rm(join(folder, name), { recursive: true, force: true }).catch(() => undefined)
  }
}

function initdbProblem(folder: string, { initdb }: Binaries, output: string): StartupProblem {
  if (tellsOfFullDisk(output)) return fullDiskProblem(folder)
  if (/not found in the same directory/.test(output) && /["$`\\]/.test(initdb)) {
    return new StartupProblem(
      `PostgreSQL cannot create a database with its programs in ${dirname(initdb)}, because initdb has a shell read that path: install Hone in a folder whose path has no $, ", \` or \\, or set DATABASE_URL to a PostgreSQL server of your own.`,
    )
  }
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  const reason =
    lines.find((line) => /error|fatal/i.test(line)) ?? lines.at(-1) ?? 'no reason given'
  return new StartupProblem(
    `The database could not be created in ${folder} (${reason.trim()}): correct that and start Hone again, or set DATABASE_URL to a PostgreSQL server of your own.`,
  )
}
