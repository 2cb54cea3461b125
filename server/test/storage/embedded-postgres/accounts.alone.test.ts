// PostgreSQL refuses to be root: every way in which a root Hone steps down, and the ordinary user
// beside it.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { findBinaries } from '#server/storage/embedded-postgres/find-binaries.ts'
import { thisSystem } from '#server/storage/embedded-postgres/system.ts'
import type { HoneProcessOptions } from './hone-process.ts'
import { honeProcess } from './hone-process.ts'
import { needsRootOnLinux, nobody, nobodyCanRead, scratchFolder, serversUnder } from './scratch.ts'

// What is copied here is for other users to read, also where whoever runs the tests keeps files private.
process.umask(0o022)

const thisFile = fileURLToPath(import.meta.url)
const namespaces =
  spawnSync('unshare', ['-U', '--map-user=65534', '--map-group=65534', 'true']).status === 0
const skip = needsRootOnLinux
const skipNamespace = skip || (namespaces ? false : 'user namespaces are forbidden here')
const readable = nobodyCanRead(thisFile) && nobodyCanRead(process.execPath)
const skipOrdinary = skip || (readable ? false : 'nobody cannot read this checkout')

/** Starts, writes or reads one row, stops; returns the user id of the server's processes and what was logged. */
async function visit(options: HoneProcessOptions) {
  const hone = honeProcess(options)
  const { pid, url } = await hone.next('started')
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const uid = Number(/^Uid:\s+(\d+)/m.exec(status)?.[1])
  await hone.query('create table if not exists visit (id int generated always as identity)')
  await hone.query('insert into visit default values')
  const [row] = (await hone.query('select count(*)::int as visits from visit')) as {
    visits: number
  }[]
  await hone.stop()
  return { uid, visits: row?.visits, logged: hone.logged, url }
}

/** A data folder below a folder that only root may enter. */
function closedToOthers(): string {
  const dataDir = join(scratchFolder(0o700), 'data')
  mkdirSync(dataDir, { mode: 0o700 })
  return dataDir
}

test(
  'an ordinary user needs nothing, and root later runs the database as that user',
  { skip: skipOrdinary },
  async () => {
    const dataDir = scratchFolder()
    chownSync(dataDir, nobody.uid, nobody.gid)
    assert.deepEqual(
      (({ uid, visits }) => ({ uid, visits }))(await visit({ dataDir, user: nobody })),
      { uid: nobody.uid, visits: 1 },
    )
    const asRoot = await visit({ dataDir })
    assert.deepEqual([asRoot.uid, asRoot.visits], [nobody.uid, 2])
    // The files of a visit by root must not shut the user out.
    for (const name of ['hone.lock', 'postgres.log']) {
      assert.equal(statSync(join(dataDir, name)).uid, nobody.uid)
    }
    const again = await visit({ dataDir, user: nobody })
    assert.deepEqual([again.uid, again.visits], [nobody.uid, 3])
  },
)

test(
  "root works in a folder that only root may enter, and the files stay root's",
  { skip: skipNamespace },
  async () => {
    const dataDir = closedToOthers()
    const first = await visit({ dataDir })
    assert.deepEqual([first.uid, first.visits], [0, 1])
    assert.equal(statSync(join(dataDir, 'postgres', 'PG_VERSION')).uid, 0)
    assert.equal(statSync(dataDir).mode & 0o777, 0o700)
    assert.ok(!readdirSync(dataDir).some((name) => name.includes('binaries')))

    // Should namespaces be forbidden one day, it is not left behind for an empty cluster elsewhere.
    const system = { userNamespaces: false, reachableFolder: join(scratchFolder(0o755), 'hone') }
    const { message } = await honeProcess({ dataDir, system }).next('problem')
    assert.match(message, /no other user can reach/)
    assert.equal((await visit({ dataDir })).visits, 2)
  },
)

test(
  "a cluster made in a namespace goes on as nobody's where namespaces are forbidden",
  { skip: skipNamespace },
  async () => {
    const dataDir = join(scratchFolder(0o755), 'data')
    const system = { userNamespaces: false }
    assert.equal((await visit({ dataDir })).uid, 0)
    const forbidden = await visit({ dataDir, system })
    assert.deepEqual([forbidden.uid, forbidden.visits], [nobody.uid, 2])
    const allowedAgain = await visit({ dataDir })
    assert.deepEqual([allowedAgain.uid, allowedAgain.visits], [nobody.uid, 3])
  },
)

test(
  'without namespaces root runs the database as nobody, in place where nobody can get',
  { skip },
  async () => {
    // The package lies where nobody cannot get, so that the binaries have to be copied too.
    const hidden = join(scratchFolder(0o700), 'package')
    cpSync(packageFolder(), hidden, { recursive: true, verbatimSymlinks: true })
    const dataDir = join(scratchFolder(0o755), 'data')
    const system = { userNamespaces: false, packageFolder: hidden }
    const first = await visit({ dataDir, system })
    assert.deepEqual([first.uid, first.visits], [nobody.uid, 1])
    // Private to root until now; nobody may pass through, and not look around.
    assert.equal(statSync(dataDir).mode & 0o777, 0o710)
    assert.equal(statSync(join(dataDir, 'postgres')).uid, nobody.uid)
    assert.ok(readdirSync(dataDir).some((name) => name.startsWith('postgres-binaries-18')))
    assert.equal((await visit({ dataDir, system })).visits, 2)
  },
)

test(
  'where nobody cannot get, the cluster is kept elsewhere and a pointer leads to it',
  { skip },
  async () => {
    const dataDir = closedToOthers()
    const system = { userNamespaces: false, reachableFolder: join(scratchFolder(0o755), 'hone') }
    const first = await visit({ dataDir, system })
    assert.deepEqual([first.uid, first.visits], [nobody.uid, 1])
    const elsewhere = readFileSync(join(dataDir, 'postgres-location'), 'utf8').trim()
    assert.ok(elsewhere.startsWith(`${system.reachableFolder}/data-`))
    assert.ok(first.logged.some((line) => line.includes(`the database is kept in ${elsewhere}`)))
    assert.ok(!existsSync(join(dataDir, 'postgres')))
    assert.equal(statSync(dataDir).mode & 0o777, 0o700)

    const allowedAgain = await visit({ dataDir })
    assert.deepEqual([allowedAgain.uid, allowedAgain.visits], [nobody.uid, 2])

    const copy = closedToOthers()
    cpSync(dataDir, copy, { recursive: true })
    const hone = honeProcess({ dataDir })
    await hone.next('started')
    const other = honeProcess({ dataDir: copy })
    assert.match((await other.next('problem')).message, new RegExp(`${elsewhere} is in use by`))
    await hone.stop()

    rmSync(elsewhere, { recursive: true })
    const lost = honeProcess({ dataDir })
    assert.match(
      (await lost.next('problem')).message,
      /says that the database is in .* which cannot be reached/,
    )
  },
)

test('and so it is where all that root makes is private', { skip }, async () => {
  const dataDir = closedToOthers()
  const system = { userNamespaces: false, reachableFolder: join(scratchFolder(0o755), 'hone') }
  const before = process.umask(0o077)
  try {
    assert.equal((await visit({ dataDir, system })).uid, nobody.uid)
  } finally {
    process.umask(before)
  }
  assert.equal((await visit({ dataDir })).visits, 2)
})

test(
  'an ordinary user works from a package that is read-only and not linked',
  { skip: skipOrdinary },
  async () => {
    const sealed = join(scratchFolder(0o755), 'package')
    cpSync(packageFolder(), sealed, { recursive: true, verbatimSymlinks: true })
    unlink(sealed)
    const dataDir = scratchFolder()
    chownSync(dataDir, nobody.uid, nobody.gid)
    const first = await visit({ dataDir, user: nobody, system: { packageFolder: sealed } })
    assert.equal(first.visits, 1)
    assert.ok(!existsSync(join(sealed, 'native/lib/libicuuc.so.60')))

    // With write access the links are made where they belong, also by several at once.
    const home = { folder: scratchFolder(), account: { kind: 'self' } } as const
    const system = { ...thisSystem(), packageFolder: sealed }
    await Promise.all([1, 2, 3, 4].map(() => findBinaries(home, system)))
    const lib = readdirSync(join(sealed, 'native/lib'))
    assert.ok(lib.includes('libicuuc.so.60'))
    assert.ok(!lib.some((name) => /\.[0-9a-f]{12}$/.test(name)), 'no passing name is left')
    assert.deepEqual(readdirSync(home.folder), [])
  },
)

test('root refuses when nobody can reach any place', { skip }, async () => {
  const dataDir = closedToOthers()
  const system = { userNamespaces: false, reachableFolder: join(scratchFolder(0o700), 'hone') }
  const { message } = await honeProcess({ dataDir, system }).next('problem')
  assert.match(
    message,
    /^PostgreSQL refuses to run as root and no other user can reach .*DATABASE_URL/,
  )
  assert.deepEqual(serversUnder(dataDir), [])
})

test(
  "an ordinary user is told that a database is somebody else's",
  { skip: skipOrdinary },
  async () => {
    const dataDir = scratchFolder()
    mkdirSync(join(dataDir, 'postgres'))
    chownSync(dataDir, nobody.uid, nobody.gid)
    const { message } = await honeProcess({ dataDir, user: nobody }).next('problem')
    assert.match(message, /belongs to the user with id 0 and Hone runs as 65534/)
    chmodSync(dataDir, 0o500)
    const sealed = await honeProcess({ dataDir, user: nobody }).next('problem')
    assert.match(sealed.message, /^Hone cannot write to its data folder .* \(EACCES\)/)
  },
)

function packageFolder(): string {
  const entry = import.meta.resolve(`@embedded-postgres/linux-${process.arch}`)
  return fileURLToPath(new URL('..', entry))
}

function unlink(folder: string): void {
  const list = readFileSync(join(folder, 'native/pg-symlinks.json'), 'utf8')
  for (const { target } of JSON.parse(list) as { target: string }[]) {
    rmSync(join(folder, target), { force: true })
  }
}
