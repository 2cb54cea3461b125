// One Hone per data folder, however close together they start and however the first one ends.

import assert from 'node:assert/strict'
import { cpSync, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { lockFolder } from '#server/storage/embedded-postgres/lock-folder.ts'
import { honeProcess } from './hone-process.ts'
import { isAlive, scratchFolder } from './scratch.ts'
import { until } from '#test/support/until.ts'

const dataDir = scratchFolder()

test('a second Hone on the folder is told so, with the number of the first, which goes on', async () => {
  const first = honeProcess({ dataDir })
  const { pid } = await first.next('started')
  const second = honeProcess({ dataDir })
  const { name, message } = await second.next('problem')
  assert.equal(name, 'StartupProblem')
  assert.equal(
    message,
    `The data folder ${dataDir} is in use by another Hone process (pid ${first.pid}): stop that one first, or set HONE_DATA_DIR to another folder.`,
  )
  assert.ok(isAlive(pid))
  assert.deepEqual(await first.query('select 1 as one'), [{ one: 1 }])
  await first.stop()
})

test('of several that start at once on a new folder, exactly one wins', async () => {
  const dataDir = join(scratchFolder(), 'data')
  const all = [1, 2, 3, 4].map(() => honeProcess({ dataDir }))
  const outcomes = await Promise.all(
    all.map((hone) =>
      Promise.any([
        hone.next('started').then(() => 'started'),
        hone.next('problem').then(({ message }) => message),
      ]),
    ),
  )
  assert.equal(outcomes.filter((outcome) => outcome === 'started').length, 1)
  assert.equal(outcomes.filter((outcome) => outcome.includes('is in use by')).length, 3)
  await all[outcomes.indexOf('started')]?.stop()
})

test('the lock goes with a killed process and not before', async () => {
  const first = honeProcess({ dataDir })
  await first.next('started')
  await assert.rejects(lockFolder(dataDir), /is in use by another Hone process/)
  await first.signal('SIGKILL')
  const lock = await lockFolder(dataDir)
  await assert.rejects(lockFolder(dataDir), new RegExp(`pid ${process.pid}`))
  // The refusal above must not have cost this process its lock.
  const outsider = honeProcess({ dataDir })
  assert.match((await outsider.next('problem')).message, new RegExp(`pid ${process.pid}`))
  await lock.release()
  await lock.release()
  assert.ok(!existsSync(join(dataDir, 'hone.pid')))
  await (await lockFolder(dataDir)).release()
})

test('only its owner may write its files, whatever others are left to do with new ones', async (t) => {
  const folder = scratchFolder()
  const before = process.umask(0)
  t.after(() => process.umask(before))
  const lock = await lockFolder(folder)
  for (const name of ['hone.pid', 'hone.lock']) {
    assert.equal(statSync(join(folder, name)).mode & 0o777, 0o644, name)
  }
  await lock.release()
})

test('a start that was cut short leaves nothing that counts as a database', async () => {
  const dataDir = scratchFolder()
  const cut = honeProcess({ dataDir })
  await until(() => cut.logged.length > 0)
  await cut.signal('SIGKILL')
  assert.ok(!existsSync(join(dataDir, 'postgres')))
  const next = honeProcess({ dataDir })
  await next.next('started')
  await next.stop()
  // A stopped database can be copied as files, and the copy is a database of its own.
  const copy = join(scratchFolder(), 'copy')
  cpSync(dataDir, copy, { recursive: true })
  const [here, there] = [honeProcess({ dataDir }), honeProcess({ dataDir: copy })]
  await Promise.all([here.next('started'), there.next('started')])
  await Promise.all([here.stop(), there.stop()])
})
