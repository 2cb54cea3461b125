// Runs before every npm script, on whatever Node the system has: installs the dependencies when they are
// missing or older than the lock file, and says what it does because the first time is slow.
import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const stamp = join(root, 'node_modules', '.package-lock.json')
const lock = join(root, 'package-lock.json')

if (!existsSync(stamp) || statSync(stamp).mtimeMs < statSync(lock).mtimeMs) {
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
