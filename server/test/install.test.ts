// What runs before every npm script: it installs when the lock file is newer than what is installed, and leaves alone what
// belongs to somebody else.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(new URL('../../scripts/install.mjs', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'hone-install-test-'))
after(() => rmSync(scratch, { recursive: true }))

/** A project with a lock file of now, and an npm that only writes down what it was asked. */
function project(
  name: string,
  npmDoes = '',
): { folder: string; run: (before?: string) => string | null } {
  const folder = join(scratch, name)
  mkdirSync(join(folder, 'scripts'), { recursive: true })
  cpSync(script, join(folder, 'scripts', 'install.mjs'))
  writeFileSync(join(folder, 'package-lock.json'), '{}')
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({
      devDependencies: { linter: '1.0.0' },
      optionalDependencies: { 'node-of-another': '1.0.0', 'node-of-this': '1.0.0' },
    }),
  )
  const npm = join(folder, 'npm.mjs')
  const asked = join(folder, 'asked')
  writeFileSync(
    npm,
    `import { existsSync, rmSync, writeFileSync } from 'node:fs'
     ${npmDoes}
     writeFileSync(${JSON.stringify(asked)}, process.argv.slice(2).join(' '))`,
  )
  return {
    folder,
    run(before = 'pretest') {
      rmSync(asked, { force: true })
      const { status, stderr } = spawnSync(
        process.execPath,
        [join(folder, 'scripts', 'install.mjs')],
        {
          env: { PATH: process.env.PATH, npm_execpath: npm, npm_lifecycle_event: before },
          encoding: 'utf8',
        },
      )
      assert.equal(status, 0, stderr)
      return existsSync(asked) ? readFileSync(asked, 'utf8') : null
    },
  }
}

test('what is missing or older than the lock file is installed, without scripts of packages', () => {
  const { folder, run } = project('plain')
  assert.match(run() ?? '', /^ci .*--ignore-scripts/)
  const stamp = installed(folder, ['linter'])
  assert.equal(run(), null)
  utimesSync(stamp, new Date(0), new Date(0))
  assert.match(run() ?? '', /^ci /)
})

/** As npm leaves it. */
function installed(folder: string, packages: string[]): string {
  const modules = join(folder, 'node_modules')
  for (const name of packages) mkdirSync(join(modules, name), { recursive: true })
  mkdirSync(modules, { recursive: true })
  const stamp = join(modules, '.package-lock.json')
  writeFileSync(stamp, '{}')
  return stamp
}

test('what was installed to run Hone is not enough to test it', () => {
  const { folder, run } = project('to run')
  installed(folder, [])
  assert.equal(run('prestart'), null)
  assert.equal(run('prehone'), null)
  // What is there may be in use, and is only added to.
  assert.match(run('pretest') ?? '', /^install --no-save .*--ignore-scripts.* --include=dev/)
})

test(
  'the Node of this platform is linked where npm has lost the link',
  { skip: process.platform === 'win32' },
  () => {
    const { folder, run } = project('unlinked')
    installed(folder, ['linter', 'node-of-this/bin'])
    const program = join(folder, 'node_modules', 'node-of-this', 'bin', 'node')
    writeFileSync(program, '#!/bin/sh\necho the bundled one\n', { mode: 0o755 })
    run()
    const link = join(folder, 'node_modules', '.bin', 'node')
    assert.equal(realpathSync(link), realpathSync(program))
    assert.equal(spawnSync(link, { encoding: 'utf8' }).stdout, 'the bundled one\n')
    rmSync(link)
    symlinkSync('../gone/bin/node', link)
    run()
    assert.equal(realpathSync(link), realpathSync(program))
  },
)

test('an installation behind a link is used as it is, because npm would empty it', () => {
  const { folder, run } = project('linked')
  const theirs = join(scratch, 'theirs')
  mkdirSync(theirs)
  symlinkSync(theirs, join(folder, 'node_modules'))
  assert.equal(run(), null)
})

test('a start waits for the npm that goes on when Ctrl-C has ended an earlier one', async () => {
  const writing = join(scratch, 'writing')
  const { folder, run } = project(
    'interrupted',
    `const writing = ${JSON.stringify(writing)}
     if (existsSync(writing)) process.exit(1)
     writeFileSync(writing, '')
     await new Promise((resolve) => setTimeout(resolve, 1500))
     rmSync(writing)`,
  )
  const first = spawn(process.execPath, [join(folder, 'scripts', 'install.mjs')], {
    env: { PATH: process.env.PATH, npm_execpath: join(folder, 'npm.mjs') },
    stdio: 'ignore',
  })
  while (!existsSync(writing)) await delay(20)
  first.kill('SIGINT')
  await once(first, 'exit')
  assert.ok(existsSync(writing))
  assert.match(run() ?? '', /^ci /)
})
