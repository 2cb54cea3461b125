// Runs before start, demo, hone, test, bench and check, on whatever Node the system has: installs the dependencies when they are
// missing or older than the lock file, and says what it does because the first time is slow.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, 'node_modules')
const stamp = join(modules, '.package-lock.json')
const lock = join(root, 'package-lock.json')

/**
 * One at a time in a folder: an installation begins by removing what another has just put there. It holds the processes that install,
 * since npm writes on for a while when Ctrl-C has ended this one.
 */
const lockFile = join(
  tmpdir(),
  `hone-install-${createHash('sha256').update(root).digest('hex').slice(0, 16)}`,
)

/** Somebody else's installation is theirs to renew: npm would empty the folder behind the link. */
const isLinked = existsSync(modules) && lstatSync(modules).isSymbolicLink()

/** To run it takes less than to test it: with NODE_ENV=production npm leaves the rest out. */
const isForWork = !['prestart', 'predemo', 'prehone'].includes(
  process.env.npm_lifecycle_event ?? '',
)

function isInstalled() {
  return isLinked || (isCurrent() && hasTools())
}

function isCurrent() {
  return existsSync(stamp) && statSync(stamp).mtimeMs >= statSync(lock).mtimeMs
}

function hasTools() {
  return !isForWork || toolsOfWork().every((name) => existsSync(join(modules, name)))
}

function toolsOfWork() {
  const { devDependencies = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return Object.keys(devDependencies)
}

function takeLock() {
  try {
    writeFileSync(lockFile, String(process.pid), { flag: 'wx' })
    process.once('exit', () => rmSync(lockFile, { force: true }))
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    if (ownersAreGone()) rmSync(lockFile, { force: true })
    return false
  }
}

function ownersAreGone() {
  try {
    return readFileSync(lockFile, 'utf8').split(' ').every(isGone)
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
    return false
  }
}

function isGone(id) {
  try {
    process.kill(Number(id), 0)
    return false
  } catch (error) {
    return error.code === 'ESRCH'
  }
}

for (let waited = false; !isInstalled() && !takeLock(); waited = true) {
  if (!waited) console.error('Waiting for another installation in this folder to end ...')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
}

if (!isInstalled()) {
  console.error('Installing dependencies (first time: about a minute) ...')
  const npm = process.env.npm_execpath
  // Not the bundled Node, which npm is about to replace and Windows would not let it.
  const node = process.env.npm_node_execpath ?? process.execPath
  // What is only to be completed may be in use: `npm ci` would begin by removing it.
  const how = isCurrent() ? ['install', '--no-save'] : ['ci']
  const args = [...how, '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
  if (isForWork) args.push('--include=dev')
  const installing = npm
    ? spawn(node, [npm, ...args], { cwd: root, stdio: 'inherit' })
    : spawn('npm', args, { cwd: root, stdio: 'inherit', shell: true })
  appendFileSync(lockFile, ` ${installing.pid}`)
  const [status] = await once(installing, 'close').catch(() => [null])
  if (status !== 0) {
    console.error(
      'Could not install the dependencies; check the network and npm registry, then run this again.',
    )
    process.exit(1)
  }
}

const isWindows = process.platform === 'win32'
const bundled = join(modules, '.bin', isWindows ? 'node.cmd' : 'node')
if (!isLinked && !existsSync(bundled)) linkBundledNode()

/**
 * The packages of Node for all platforms have a program of the same name. Up to version 11.0, npm removes its link together with the
 * packages that do not fit this platform.
 */
function linkBundledNode() {
  const { optionalDependencies = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const program = join('bin', isWindows ? 'node.exe' : 'node')
  const name = Object.keys(optionalDependencies).find((one) =>
    existsSync(join(modules, one, program)),
  )
  if (name === undefined) return
  try {
    mkdirSync(dirname(bundled), { recursive: true })
    // It may lead to one that is gone.
    rmSync(bundled, { force: true })
    if (isWindows) {
      writeFileSync(bundled, `@"%~dp0\\..\\${name}\\${program}" %*\r\n`)
    } else {
      symlinkSync(join('..', name, program), bundled)
    }
  } catch (error) {
    // Another one that starts at the same time was first, or the folder is somebody else's; then the Node of the system may do.
    if (!['EEXIST', 'EPERM', 'EACCES', 'EROFS'].includes(error.code)) throw error
  }
}

/** It may be there and not run: npm does not tell systems with another C library (Alpine) apart. */
function runs(program) {
  return spawnSync(program, ['--version'], { stdio: 'ignore', shell: isWindows }).status === 0
}

const major = Number(process.versions.node.split('.')[0])
if (major < 24 && !runs(bundled)) {
  console.error(
    `Hone needs Node 24, and the copy that npm installs does not run on this system (${process.platform}-${process.arch}); ` +
      `install Node 24 or newer (this is ${process.version}) and run this again.`,
  )
  process.exit(1)
}
