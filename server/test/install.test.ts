// What runs before every npm script: it installs when the lock file is newer than what is installed, and leaves alone what
// belongs to somebody else.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(new URL('../../scripts/install.mjs', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'hone-install-test-'))
after(() => rmSync(scratch, { recursive: true }))

/** A project with a lock file of now, and an npm that only writes down what it was asked. */
function project(name: string): { folder: string; run: () => string | null } {
  const folder = join(scratch, name)
  mkdirSync(join(folder, 'scripts'), { recursive: true })
  cpSync(script, join(folder, 'scripts', 'install.mjs'))
  writeFileSync(join(folder, 'package-lock.json'), '{}')
  const npm = join(folder, 'npm.mjs')
  const asked = join(folder, 'asked')
  writeFileSync(
    npm,
    `import { writeFileSync } from 'node:fs'
     writeFileSync(${JSON.stringify(asked)}, process.argv.slice(2).join(' '))`,
  )
  return {
    folder,
    run() {
      rmSync(asked, { force: true })
      const { status, stderr } = spawnSync(
        process.execPath,
        [join(folder, 'scripts', 'install.mjs')],
        { env: { PATH: process.env.PATH, npm_execpath: npm }, encoding: 'utf8' },
      )
      assert.equal(status, 0, stderr)
      return existsSync(asked) ? readFileSync(asked, 'utf8') : null
    },
  }
}

test('what is missing or older than the lock file is installed, without scripts of packages', () => {
  const { folder, run } = project('plain')
  assert.match(run() ?? '', /^ci .*--ignore-scripts/)
  mkdirSync(join(folder, 'node_modules'))
  const stamp = join(folder, 'node_modules', '.package-lock.json')
  writeFileSync(stamp, '{}')
  assert.equal(run(), null)
  utimesSync(stamp, new Date(0), new Date(0))
  assert.match(run() ?? '', /^ci /)
})

test('an installation behind a link is used as it is, because npm would empty it', () => {
  const { folder, run } = project('linked')
  const theirs = join(scratch, 'theirs')
  mkdirSync(theirs)
  symlinkSync(theirs, join(folder, 'node_modules'))
  assert.equal(run(), null)
})
