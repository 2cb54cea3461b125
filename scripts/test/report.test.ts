// What a run of the tests says of its files, and which of them share a process.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupFiles } from './group-files.ts'
import { type Completed, TestReport } from './report.ts'

const ms = 1500
function ended(name: string, nesting: number, details: Partial<Completed['details']>): Completed {
  return {
    name,
    nesting,
    file: '/root/a.test.ts',
    line: 7,
    details: { type: 'test', duration_ms: ms, passed: true, ...details },
  }
}

test('a line for each file, each failure once and in full, and the counts at the end', () => {
  const lines: string[] = []
  const report = new TestReport('/root', (line) => lines.push(line))
  const inTests = Object.assign(new Error('1 subtest failed'), { failureType: 'subtestsFailed' })
  const hook = Object.assign(new Error('no port'), { failureType: 'hookFailed' })
  report.add(ended('adds up', 1, {}))
  report.add({ ...ended('needs Windows', 1, {}), skip: 'not here' })
  report.add(ended('divides', 2, { passed: false, error: new Error('0 is not 1') }))
  report.add(ended('by zero', 1, { type: 'suite', passed: false, error: inTests }))
  report.add(ended('a.test.ts', 0, { type: 'suite', passed: false, error: inTests }))
  report.add(ended('b.test.ts', 0, { type: 'suite', passed: false, error: hook }))
  report.add(ended('/cache/group-1.mjs', 0, { passed: false, error: inTests }))
  report.end()
  const text = lines.join('\n')
  assert.match(text, /✖ a\.test\.ts \(1\.5 s\)/)
  assert.match(text, /✖ a\.test\.ts:7 divides\n.*0 is not 1/)
  assert.match(text, /✖ a\.test\.ts:7 b\.test\.ts\n.*no port/)
  assert.match(text, /Failed:\n✖ a\.test\.ts:7 divides\n✖ a\.test\.ts:7 b\.test\.ts\n/)
  assert.ok(text.endsWith('\n1 passed, 2 failed, 1 skipped'))
})

test('a process that breaks off is a failure of its own', () => {
  const lines: string[] = []
  const report = new TestReport('/root', (line) => lines.push(line))
  report.add(ended('/cache/group-2.mjs', 0, { passed: false, error: new Error('exit code 1') }))
  assert.equal(report.failed, 1)
  assert.match(lines.join('\n'), /group-2\.mjs\n.*exit code 1/)
})

test('files of a folder share a process, in equal parts, but for those that change theirs', () => {
  const many = Array.from({ length: 20 }, (_, i) => `x/${i}.test.ts`)
  const groups = groupFiles(['y/a.test.ts', 'y/b.alone.test.ts', 'y/c.faults.test.ts', ...many])
  assert.deepEqual(
    groups.map((files) => files.length),
    [10, 10, 1, 1, 1],
  )
  assert.deepEqual(
    groups.flat().sort(),
    ['y/a.test.ts', 'y/b.alone.test.ts', 'y/c.faults.test.ts', ...many].sort(),
  )
})
