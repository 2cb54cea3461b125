// Why a server ended, as its log and its answers tell it: the sentence of a failed start is made of that.
import assert from 'node:assert/strict'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { StartupProblem } from '#server/lib/startup-problem.ts'
import { folderProblem } from '#server/storage/embedded-postgres/folder-problem.ts'
import { openServerLog } from '#server/storage/embedded-postgres/server-log.ts'
import { StorageUnavailable } from '#server/storage/storage-unavailable.ts'
import { scratchFolder } from './scratch.ts'

test('the reason is what ended the server, and not what it told those who came meanwhile', async () => {
  const file = join(scratchFolder(), 'postgres.log')
  appendFileSync(file, '2026-11-18 00:56:42.840 UTC [1] FATAL:  of an earlier start\n')
  const log = await openServerLog(file)
  const say = (line: string): void =>
    appendFileSync(file, `2026-11-18 00:56:42.841 UTC [28625] ${line}\n`)
  say('LOG:  starting PostgreSQL')
  say('FATAL:  the database system is starting up')
  assert.equal(await log.reason(), 'FATAL:  the database system is starting up')
  say('FATAL:  could not write to file "pg_wal/xlogtemp.28625": No space left on device')
  for (const state of ['starting up', 'in recovery mode', 'shutting down']) {
    say(`FATAL:  the database system is ${state}`)
  }
  say('LOG:  database system is shut down')
  assert.match(await log.reason(), /^FATAL: +could not write to file .*No space left on device$/)
  await log.close()
})

test('a full disk is told as such, also where it is the running server that says so', () => {
  const said = 'could not write init file: No space left on device'
  for (const error of [
    new StartupProblem(`Cannot reach the database (${said}).`),
    new StorageUnavailable(new Error(said)),
    Object.assign(new Error('write'), { code: 'ENOSPC' }),
  ]) {
    assert.match(folderProblem('/data', error).message, /^The disk that holds \/data is full: /)
  }
  const other = new StartupProblem('Something else.')
  assert.equal(folderProblem('/data', other), other)
})
