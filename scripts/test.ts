// Runs the tests on one PostgreSQL, the files of a folder in one process. Arguments pick files by part of their path; `--faults` runs
// the files about crashes, faults and floods instead of the others. CI and people use the same command.
import { globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { run } from 'node:test'
import { startTestServer } from '../server/test/support/test-database.ts'
import { groupFiles, writeGroups } from './test/group-files.ts'
import { type Completed, TestReport } from './test/report.ts'

const root = dirname(import.meta.dirname)
const faults = process.argv.includes('--faults')
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const files = globSync('{server,contract,bench,scripts}/**/*.test.ts', { cwd: root })
  .filter((file) => file.endsWith('.faults.test.ts') === faults)
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .sort()
if (files.length === 0) {
  console.error(`No test file matches ${wanted.join(' ')}${faults ? ' --faults' : ''}.`)
  process.exit(1)
}

const cache = join(root, 'node_modules', '.cache', 'hone-tests', String(process.pid))
const database = await startTestServer()
process.env.HONE_TEST_DATABASE_URL = database.url
// Hundreds of files and dozens of starts load the same code: compiling it once halves the cost of a short one.
process.env.NODE_COMPILE_CACHE = join(dirname(cache), 'compiled')

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort())
const report = new TestReport(root, (line) => console.log(line))
const events = run({
  files: writeGroups(root, cache, groupFiles(files)),
  cwd: root,
  concurrency: 3,
  signal: stop.signal,
  execArgv: [
    '--test-timeout=600000',
    '--import=./server/test/support/seed-properties.ts',
    '--import=./server/test/support/end-hanging-file.ts',
  ],
})
for await (const { type, data } of events) {
  if (type === 'test:complete') report.add(data as Completed)
  else if (type === 'test:stderr') process.stderr.write((data as { message: string }).message)
}
report.end()
await database.stop()
process.exit(report.failed > 0 || stop.signal.aborted ? 1 : 0)
