// Runs the tests: one PostgreSQL for all files, each file in its own process with databases of its own. Arguments
// pick files by part of their path; CI and people use the same command.
import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { startTestServer } from '../server/test/support/test-database.ts'

const root = dirname(import.meta.dirname)
const wanted = process.argv.slice(2)
const files = globSync('{server,contract,bench}/**/*.test.ts', { cwd: root })
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .sort()
if (files.length === 0) {
  console.error(`No test file matches ${wanted.join(' ')}.`)
  process.exit(1)
}

const database = await startTestServer()
const reporter = process.env.CI || process.stdout.isTTY ? 'spec' : 'dot'
const child = spawn(
  process.execPath,
  [
    '--test',
    '--import=./server/test/support/seed-properties.ts',
    '--import=./server/test/support/end-hanging-file.ts',
    `--test-reporter=${reporter}`,
    '--test-concurrency=3',
    '--test-timeout=300000',
    ...files,
  ],
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      HONE_TEST_DATABASE_URL: database.url,
      // Hundreds of files and dozens of starts load the same code: compiling it once halves the cost of a short one.
      NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'hone-tests'),
    },
  },
)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
child.on('exit', (code) => {
  void database.stop().then(() => process.exit(code ?? 1))
})
