// Where the log goes may break: the disk is full, or whoever reads it stops. Calls are answered all the same, and Hone stops
// when it is told to.
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { serversUnder } from '#test/storage/embedded-postgres/scratch.ts'
import { freePort } from '#test/support/free-port.ts'
import { honeFolder, preparedFolder } from '#test/support/hone-process.ts'
import { until } from '#test/support/until.ts'

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const children: ChildProcess[] = []
after(() => children.forEach((child) => child.kill('SIGKILL')))

/** Hone with its log there; what it says beside the log is not looked at. */
async function honeLoggingTo(stdout: number) {
  const dataDir = await preparedFolder()
  const port = await freePort()
  const child = spawn(process.execPath, [main, 'serve'], {
    stdio: ['ignore', stdout, 'ignore'],
    env: { PATH: process.env.PATH, PORT: String(port), HONE_DATA_DIR: dataDir },
  })
  children.push(child)
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const answers = async (path: string): Promise<number> => {
    const signal = AbortSignal.timeout(60_000)
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { signal })
    await answer.arrayBuffer()
    return answer.status
  }
  const ready = (): Promise<boolean> =>
    answers('/readyz').then(
      (status) => status === 200,
      () => false,
    )
  await until(ready, 60_000)
  return { dataDir, child, ended, answers }
}

function openPipe(): { reader: number; writer: number } {
  const path = join(honeFolder(), 'log')
  execFileSync('mkfifo', [path])
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  return { reader, writer: openSync(path, 'w') }
}

test('a disk that is full for the log stops no call, and Hone ends in order', async () => {
  const full = openSync('/dev/full', 'w')
  const { dataDir, child, ended, answers } = await honeLoggingTo(full)
  closeSync(full)
  for (let call = 0; call < 20; call += 1) assert.equal(await answers('/readyz'), 200)
  child.kill('SIGTERM')
  assert.equal(await ended, 0)
  assert.deepEqual(serversUnder(dataDir), [])
})

test('a reader of the log that stops reading stops no call, and Hone ends in order', async () => {
  const { reader, writer } = openPipe()
  const { dataDir, child, ended, answers } = await honeLoggingTo(writer)
  // More than any pipe holds.
  for (let round = 0; round < 20; round += 1) {
    const all = await Promise.all(Array.from({ length: 50 }, () => answers('/healthz')))
    assert.ok(all.every((status) => status === 200))
  }
  child.kill('SIGTERM')
  assert.equal(await ended, 0)
  assert.deepEqual(serversUnder(dataDir), [])
  closeSync(writer)
  closeSync(reader)
})

test('a reader of the log that leaves stops no call, and Hone ends in order', async () => {
  const { reader, writer } = openPipe()
  const { child, ended, answers } = await honeLoggingTo(writer)
  closeSync(writer)
  closeSync(reader)
  for (let call = 0; call < 20; call += 1) assert.equal(await answers('/readyz'), 200)
  child.kill('SIGTERM')
  assert.equal(await ended, 0)
})
