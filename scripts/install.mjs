// Runs before every npm script, on whatever Node the system has: installs the dependencies when they are
// missing or older than the lock file, and says what it does because the first time is slow.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, 'node_modules')
const stamp = join(modules, '.package-lock.json')
const lock = join(root, 'package-lock.json')

/** One at a time in a folder: an installation begins by removing what another has just put there. */
const turn = join(
  tmpdir(),
  `hone-install-${createHash('sha256').update(root).digest('hex').slice(0, 16)}`,
)

/** Somebody else's installation is theirs to renew: npm would empty the folder behind the link. */
const isLinked = existsSync(modules) && lstatSync(modules).isSymbolicLink()

function isInstalled() {
  if (isLinked) return true
  return existsSync(stamp) && statSync(stamp).mtimeMs >= statSync(lock).mtimeMs
}

function takeTurn() {
  try {
    writeFileSync(turn, String(process.pid), { flag: 'wx' })
    process.once('exit', () => rmSync(turn, { force: true }))
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    if (ownerIsGone()) rmSync(turn, { force: true })
    return false
  }
}

function ownerIsGone() {
  try {
    process.kill(Number(readFileSync(turn, 'utf8')), 0)
    return false
  } catch (error) {
    return error.code === 'ESRCH'
  }
}

for (let waited = false; !isInstalled() && !takeTurn(); waited = true) {
  if (!waited) console.error('Waiting for another installation in this folder to end ...')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
}

if (!isInstalled()) {
  console.error('Installing dependencies (first time: about a minute) ...')
  const npm = process.env.npm_execpath
  const args = ['ci', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
  const result = npm
    ? spawnSync(process.execPath, [npm, ...args], { cwd: root, stdio: 'inherit' })
    : spawnSync('npm', args, { cwd: root, stdio: 'inherit', shell: true })
  if (result.status !== 0) {
    console.error(
      'Could not install the dependencies; check the network and npm registry, then run this again.',
    )
    process.exit(1)
  }
}

const bundled = join(
  root,
  'node_modules',
  '.bin',
  process.platform === 'win32' ? 'node.cmd' : 'node',
)
const major = Number(process.versions.node.split('.')[0])
if (!existsSync(bundled) && major < 24) {
  console.error(
    `Hone runs on Node 24, which npm has no package of for ${process.platform}-${process.arch}; ` +
      `install Node 24 or newer (this is ${process.version}) and run this again.`,
  )
  process.exit(1)
}
