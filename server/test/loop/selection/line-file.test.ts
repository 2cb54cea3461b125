// Lines that are written in pieces and of which some are copied, in files larger than any buffer.
import assert from 'node:assert/strict'
import { mkdtemp, open, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { copyLines, LineWriter } from '#server/loop/selection/line-file.ts'

test('the chosen lines are copied whole and in order', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'hone-lines-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const lines = Array.from(
    { length: 4000 },
    (_, line) => `${line} ${'é'.repeat((line * 37) % 800)}`,
  )
  lines[1500] = 'long '.repeat(600_000)
  const chosen = Uint8Array.from(lines, (_, line) => (line % 10 < 7 || line === 1500 ? 1 : 0))
  const file = await open(join(folder, 'all'), 'w+')
  const writer = new LineWriter(file)
  const lineBytes = new Uint32Array(lines.length)
  for (const [at, line] of lines.entries()) lineBytes[at] = await writer.add(line)
  await writer.flush()
  const some = { count: lines.length, lineBytes, chosen }
  // Another process may do the same.
  const copies = [1, 2].map(() => copyLines(file, join(folder, 'some'), some))
  await Promise.all(copies)
  await file.close()
  const copied = (await readFile(join(folder, 'some'), 'utf8')).split('\n')
  assert.deepEqual(copied, [...lines.filter((_, line) => chosen[line] === 1), ''])
  assert.deepEqual((await readdir(folder)).sort(), ['all', 'some'])
})
