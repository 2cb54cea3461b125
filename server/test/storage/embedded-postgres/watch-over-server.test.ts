// The shell that ends a server whose Hone has died signals it only while postmaster.pid names it: its number may be another's by then.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

const watching = new URL(
  '../../../src/storage/embedded-postgres/watch-over-server.ts',
  import.meta.url,
)
const rounds = 5

test('a process that postmaster.pid does not name is left alone, and one that it names is ended', async () => {
  const cluster = await mkdtemp(join(tmpdir(), 'hone-watched-'))
  const server = spawn('sleep', ['600'])
  const ended = once(server, 'exit')
  const note = (number: number) => writeFile(join(cluster, 'postmaster.pid'), `${number}\n`)
  try {
    await note(process.pid)
    const main = `import { watchOverServer } from ${JSON.stringify(watching.href)}
      watchOverServer(${server.pid}, ${JSON.stringify(cluster)})
      console.log('watched')
      setInterval(() => {}, 1000)`
    const hone = spawn(process.execPath, ['--input-type=module', '-e', main])
    await once(hone.stdout, 'data')
    hone.kill('SIGKILL')
    await sleep(rounds * 200)
    assert.deepEqual([server.exitCode, server.signalCode], [null, null])
    await note(server.pid ?? 0)
    assert.deepEqual(await ended, [null, 'SIGINT'])
  } finally {
    server.kill('SIGKILL')
    await rm(cluster, { recursive: true })
  }
})
