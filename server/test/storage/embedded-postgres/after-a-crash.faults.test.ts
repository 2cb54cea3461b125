// Whatever is killed, committed rows stay and the next start works.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client } from 'pg'
import { honeProcess } from './hone-process.ts'
import { isAlive, scratchFolder, serversUnder, watchdogOf } from './scratch.ts'
import { until } from '#test/support/until.ts'

const dataDir = scratchFolder()
const postmasterPid = join(dataDir, 'postgres', 'postmaster.pid')
const insert = 'insert into kept default values'
const count = 'select count(*)::int as rows from kept'
let rows = 0

async function started() {
  const hone = honeProcess({ dataDir, durable: true })
  const { pid, url } = await hone.next('started')
  await hone.query('create table if not exists kept (id int generated always as identity)')
  assert.deepEqual(await hone.query(count), [{ rows }])
  await hone.query(insert)
  rows++
  return { hone, pid, url }
}

test('a killed Hone takes its database along', async () => {
  const { hone, pid } = await started()
  const watchdog = watchdogOf(pid)
  await hone.signal('SIGKILL')
  await until(() => !isAlive(pid) && serversUnder(dataDir).length === 0)
  await until(() => watchdog !== undefined && !isAlive(watchdog))
  const log = readFileSync(join(dataDir, 'postgres.log'), 'utf8')
  assert.match(log, /database system is shut down\n$/)
  await (await started()).hone.stop()
})

test('a process that merely ends without stop() takes its database along too', async () => {
  const { hone, pid } = await started()
  await hone.signal('SIGTERM')
  await until(() => !isAlive(pid))
})

test('a start right after the kill waits for the old server, in the middle of writes', async () => {
  const { hone, pid, url } = await started()
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  let writing = true
  const writer = (async () => {
    while (writing) {
      try {
        await client.query(insert)
        rows++
      } catch {
        writing = false
      }
    }
  })()
  const before = rows
  await until(() => rows > before + 20)
  await hone.signal('SIGKILL')
  const next = honeProcess({ dataDir, durable: true })
  await next.next('started')
  await writer
  assert.ok(!isAlive(pid))
  // The last insert may have been committed without the writer learning of it.
  const [{ rows: found } = { rows: 0 }] = (await next.query(count)) as { rows: number }[]
  assert.ok(found === rows || found === rows + 1, `${found} rows, ${rows} confirmed`)
  rows = found
  await next.stop()
})

test('a server without Hone and watchdog is ended by the next start', async () => {
  const { hone, pid } = await started()
  process.kill(watchdogOf(pid) ?? assert.fail('no watchdog'), 'SIGKILL')
  await hone.signal('SIGKILL')
  assert.ok(isAlive(pid))
  const next = await started()
  assert.ok(next.hone.logged.some((line) => line.includes('an earlier run left behind')))
  assert.ok(!isAlive(pid))
  await next.hone.stop()
})

test('the server killed together with Hone recovers from its log', async () => {
  const { hone, pid } = await started()
  process.kill(pid, 'SIGKILL')
  await hone.signal('SIGKILL')
  await (await started()).hone.stop()
})

test('a postmaster.pid whose number now belongs to somebody else does not block the start', async () => {
  const { hone, pid } = await started()
  process.kill(watchdogOf(pid) ?? assert.fail('no watchdog'), 'SIGKILL')
  const stranger = spawn('sleep', ['60'])
  // As after a power cut: the server did not take its file away.
  const stale = readFileSync(postmasterPid, 'utf8').replace(/^\d+/, String(stranger.pid))
  process.kill(pid, 'SIGKILL')
  await hone.signal('SIGKILL')
  await until(() => serversUnder(dataDir).length === 0)
  writeFileSync(postmasterPid, stale)
  writeFileSync(join(dataDir, 'postgres-socket', '.s.PGSQL.5432.lock'), stale)
  await (await started()).hone.stop()
  assert.ok(isAlive(stranger.pid ?? 0))
  stranger.kill()
})

test('an empty postmaster.pid does not block the start', async () => {
  writeFileSync(postmasterPid, '')
  await (await started()).hone.stop()
})

test('Hone learns that the server ended by itself, and can stop and start again', async () => {
  const { hone, pid } = await started()
  process.kill(pid, 'SIGKILL')
  assert.match((await hone.next('exited')).sentence, /ended by itself by SIGKILL/)
  await until(() => watchdogOf(pid) === undefined)
  await hone.stop()
  await (await started()).hone.stop()
})

test('Ctrl-C in the terminal does not reach the database before Hone is done', async () => {
  const { hone } = await started()
  hone.signalGroup('SIGINT')
  await hone.next('interrupted')
  assert.deepEqual(await hone.query(count), [{ rows }])
  await hone.stop()
})

test('stop() does not wait for clients that are still connected', async () => {
  const { hone, url } = await started()
  const client = new Client({ connectionString: url })
  const cut = new Promise((resolve) => client.on('error', resolve))
  await client.connect()
  await client.query('begin')
  await client.query(insert)
  await hone.stop()
  await cut
  await (await started()).hone.stop()
})
