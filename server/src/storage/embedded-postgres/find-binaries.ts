// Finds the PostgreSQL programs of this platform's npm package and makes them runnable: Hone
// installs packages without their install scripts, so that the links between the libraries are made
// here.

import { randomBytes } from 'node:crypto'
import { chmod, copyFile, mkdir, mkdtemp, readFile, readdir, rename, rm } from 'node:fs/promises'
import { readlink, stat, symlink } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StartupProblem } from '../../lib/startup-problem.ts'
import { runAs } from './account.ts'
import type { Home } from './choose-home.ts'
import { folderProblem } from './folder-problem.ts'
import type { System } from './system.ts'

export interface Binaries {
  initdb: string
  postgres: string
  pgCtl: string
  /** A server reads only the clusters of its own major version. */
  majorVersion: string
}

const copyPrefix = 'postgres-binaries-'

export async function findBinaries(home: Home, system: System): Promise<Binaries> {
  const packageFolder = system.packageFolder ?? locatePackage(system.packageName)
  await linkLibraries(packageFolder).catch(() => undefined)
  const inPlace = programs(join(packageFolder, 'native'))
  const first = await runAs(home.account, inPlace.postgres, ['--version'])
  if (first.ok) return { ...inPlace, majorVersion: majorVersionIn(first.output) }

  // The package may be read-only with links missing, or lie where the account may not go: then a
  // copy serves.
  const copied = programs(await copyPackage(packageFolder, home.folder))
  const second = await runAs(home.account, copied.postgres, ['--version'])
  if (second.ok) return { ...copied, majorVersion: majorVersionIn(second.output) }
  throw new StartupProblem(
    `The PostgreSQL that comes with Hone does not run on this system (${lastLine(second.output)}): set DATABASE_URL to a PostgreSQL server of your own.`,
  )
}

function majorVersionIn(output: string): string {
  return /\(PostgreSQL\) (\d+)/.exec(output)?.[1] ?? ''
}

function locatePackage(name: string): string {
  try {
    // The package exports only its dist/index.js.
    return dirname(dirname(fileURLToPath(import.meta.resolve(name))))
  } catch (error) {
    throw new StartupProblem(
      `The package ${name} with the PostgreSQL for this platform is not installed: install again with optional dependencies, or set DATABASE_URL to a PostgreSQL server of your own.`,
      { cause: error },
    )
  }
}

function programs(native: string): Omit<Binaries, 'majorVersion'> {
  const ending = process.platform === 'win32' ? '.exe' : ''
  const path = (name: string) => join(native, 'bin', `${name}${ending}`)
  return { initdb: path('initdb'), postgres: path('postgres'), pgCtl: path('pg_ctl') }
}

async function linkLibraries(packageFolder: string): Promise<void> {
  const list = await readFile(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8').catch(
    () => '[]',
  )
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const from = join(packageFolder, source)
    const link = join(packageFolder, target)
    if (await stat(link).catch(() => null)) continue
    await linkLibrary(from, link)
  }
}

// Several Hone processes may do this at once in one installation: each makes the link under a name
// of its own and moves it into place, so that none of them ever meets a link that is half made or
// missing again.
async function linkLibrary(from: string, link: string): Promise<void> {
  const to = relative(dirname(link), from)
  if ((await readlink(link).catch(() => null)) === to) return
  const own = `${link}.${randomBytes(6).toString('hex')}`
  if (process.platform === 'win32') await copyFile(from, own)
  else await symlink(to, own)
  await rename(own, link)
}

async function copyPackage(packageFolder: string, home: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8')) as {
    version: string
  }
  const copy = join(home, `${copyPrefix}${version}`)
  if (await stat(copy).catch(() => null)) return join(copy, 'native')
  try {
    for (const name of await readdir(home)) {
      if (name.startsWith(copyPrefix)) await rm(join(home, name), { recursive: true, force: true })
    }
    const unfinished = await mkdtemp(join(home, `${copyPrefix}new-`))
    await copyReadable(join(packageFolder, 'native'), join(unfinished, 'native'))
    await linkLibraries(unfinished)
    await chmod(unfinished, 0o755)
    await rename(unfinished, copy)
  } catch (error) {
    throw folderProblem(home, error)
  }
  return join(copy, 'native')
}

// Everyone may read the copy, whatever the modes of the original: it is the same public package for
// all.
async function copyReadable(from: string, to: string): Promise<void> {
  await mkdir(to)
  await chmod(to, 0o755)
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) await copyReadable(source, target)
    else if (entry.isFile() && !entry.name.endsWith('.a')) {
      await copyFile(source, target)
      await chmod(target, basename(from) === 'bin' ? 0o755 : 0o644)
    }
  }
}

function lastLine(output: string): string {
  return output.trim().split('\n').at(-1) ?? ''
}
