// Lines on their way to a descriptor: whole and in order, kept while nobody takes them, counted when there is no room.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openLineWriter } from '#server/lib/line-writer.ts'
import { until } from '#test/support/until.ts'

const folder = mkdtempSync(join(tmpdir(), 'hone-lines-'))
after(() => rmSync(folder, { recursive: true }))

function openPipe(name: string): { reader: number; writer: number } {
  const path = join(folder, name)
  execFileSync('mkfifo', [path])
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  return { reader, writer: openSync(path, 'w') }
}

/** What has come through so far; a pipe that is empty says so with an error. */
function readAll(reader: number): string {
  const bytes = Buffer.alloc(1024 * 1024)
  let text = ''
  for (;;) {
    try {
      const count = readSync(reader, bytes)
      if (count === 0) return text
      text += bytes.toString('utf8', 0, count)
    } catch {
      return text
    }
  }
}

test('lines of a file are all there when it is closed', async () => {
  const file = join(folder, 'file')
  const descriptor = openSync(file, 'w')
  const lines = openLineWriter(descriptor)
  const sent = Array.from({ length: 5000 }, (_, index) => `line ${index} ÄÖ\n`)
  for (const line of sent) lines.write(line)
  await lines.close()
  closeSync(descriptor)
  assert.equal(readFileSync(file, 'utf8'), sent.join(''))
})

test('a pipe that is full gets its lines later, in order, and learns how many were lost', async () => {
  const { reader, writer } = openPipe('full')
  const losses: number[] = []
  const lines = openLineWriter(writer, {
    waitingCharactersMax: 100_000,
    retryMs: 5,
    lost: (count) => losses.push(count),
  })
  const sent = Array.from({ length: 1000 }, (_, index) => `${index} ${'x'.repeat(500)}\n`)
  for (const line of sent) {
    lines.write(line)
    await new Promise(setImmediate)
  }
  let received = ''
  const lost = (): number => losses.reduce((sum, count) => sum + count, 0)
  await until(() => {
    received += readAll(reader)
    return received.split('\n').length - 1 + lost() === sent.length
  })
  await lines.close()
  assert.ok(lost() > 0)
  const numbers = received
    .trimEnd()
    .split('\n')
    .map((line) => {
      assert.match(line, /^\d+ x{500}$/)
      return Number.parseInt(line, 10)
    })
  assert.deepEqual(
    numbers,
    numbers.toSorted((a, b) => a - b),
  )
  closeSync(writer)
  closeSync(reader)
})

test('closing does not wait for a reader that takes nothing', async () => {
  const { reader, writer } = openPipe('stuck')
  const lines = openLineWriter(writer, { closeMsMax: 20 })
  lines.write('x'.repeat(1_000_000))
  await lines.close()
  closeSync(writer)
  assert.ok(readAll(reader).length < 1_000_000)
  closeSync(reader)
})
