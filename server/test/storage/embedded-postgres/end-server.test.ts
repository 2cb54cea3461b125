// A server that does not follow the polite signals is ended by force.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { endServer } from '#server/storage/embedded-postgres/end-server.ts'

const patience = { fastMs: 1000, immediateMs: 1000 }

for (const [deaf, expected] of [
  ['', 'SIGINT'],
  ['INT', 'SIGQUIT'],
  ['INT QUIT', 'SIGKILL'],
] as const) {
  test(`a process deaf to [${deaf}] ends by ${expected}`, async () => {
    const trap = deaf === '' ? '' : `trap '' ${deaf}; `
    const child = spawn('/bin/sh', ['-c', `${trap}echo ready; exec sleep 60`])
    const exit = once(child, 'exit')
    await once(child.stdout, 'data')
    const isGone = () => child.signalCode !== null || child.exitCode !== null
    await endServer({ pid: child.pid ?? 0, isGone, pgCtl: '' }, patience)
    assert.equal(((await exit) as [number | null, string])[1], expected)
  })
}
