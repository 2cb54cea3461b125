// The whole loop as a newcomer sees it: the quick demo as a process of its own, through the public API alone.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

test('the quick demo puts a better model live, turns down one that learned nothing, and leaves nothing behind', async (t) => {
  const child = spawn(process.execPath, [main, 'demo', '--quick'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(() => child.kill('SIGTERM'))
  let printed = ''
  for (const output of [child.stdout, child.stderr]) {
    output.setEncoding('utf8').on('data', (text: string) => (printed += text))
  }
  const [code] = (await once(child, 'close')) as [number | null]
  assert.equal(code, 0, printed)

  assert.match(printed, /\n {3}Result: became_version, version 1\n/)
  assert.match(printed, /\n {3}Result: not_better, auto_rejected\n/)
  const [, before, apart, after] = /(\d+) of (\d+) +(\d+) of \2\n/.exec(printed)!.map(Number)
  assert.ok(before! <= 0.1 * apart! && after! >= 0.5 * apart!, `${before} -> ${after} of ${apart}`)
  assert.doesNotMatch(printed, /hone_\w{10}/, 'a key was printed')
  const [, url, folder] = /serves on (\S+) and keeps its data in ([^\s;]+);/.exec(printed)!
  assert.ok(!existsSync(folder!))
  await assert.rejects(fetch(`${url}/healthz`))
})
