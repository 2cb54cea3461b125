// What is done next about a deployment, as tables.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  afterPrepare,
  type DeploymentFacts,
  type DeploymentStep,
  nextDeploymentStep,
  type Walked,
} from '#server/deployment/next-step.ts'
import { gone, noGpu, notCertified } from '#test/support/scripted-machines.ts'

const now = new Date('2026-03-01T12:00:00Z')
const minutesAgo = (minutes: number): Date => new Date(now.getTime() - minutes * 60_000)
const inMinutes = (minutes: number): Date => minutesAgo(-minutes)

const free: DeploymentFacts = { price: 0n, outside: false, funds: 'none' }
const dear: DeploymentFacts = { price: 60n, outside: true, funds: 'none' }
const reserved: DeploymentFacts = { ...dear, funds: 'open' }

const row: Walked = {
  status: 'starting',
  checked_at: null,
  paid_id: null,
  paid_price: null,
  paid_minutes: null,
  paid_from: null,
  wake_at: now,
}
const paid = { paid_id: 'a', paid_price: '60', paid_minutes: 60, paid_from: null }
const since = (minutes: number): Partial<Walked> => ({
  ...paid,
  paid_from: minutesAgo(minutes),
})

const away = 'Its model or its machine is not in the catalog at the moment.'

test('each status, with and without a price for its time', () => {
  const cases: [what: string, changes: Partial<Walked>, DeploymentFacts, DeploymentStep][] = [
    ['starts at once where time is free', {}, free, { do: 'prepare' }],
    ['reserves first where it is not', {}, dear, { do: 'reserve' }],
    ['and starts then', paid, reserved, { do: 'prepare' }],
    ['after a crash before the reservation', paid, dear, { do: 'reserve' }],
    ['what served before is charged first', since(5), reserved, { do: 'settle' }],
    ['serves until somebody changes it', { status: 'serving' }, free, { sleep: null }],
    ['that went live is paid for', { status: 'serving' }, dear, { do: 'reserve' }],
    [
      'is asked after half a minute',
      { status: 'serving', checked_at: minutesAgo(0.5), ...since(5) },
      reserved,
      { do: 'check' },
    ],
    [
      'and not before',
      { status: 'serving', checked_at: now, ...since(5) },
      reserved,
      { sleep: inMinutes(0.5) },
    ],
    [
      'its hour ends sooner',
      { status: 'serving', checked_at: now, ...since(59.9) },
      reserved,
      { sleep: inMinutes(0.1) },
    ],
    ['its hour is over', { status: 'serving', ...since(60) }, reserved, { do: 'renew' }],
    [
      'and was charged when a process died',
      { status: 'serving', ...since(60) },
      { ...dear, funds: 'ended' },
      { do: 'renew' },
    ],
    ['stopped', { status: 'stopped' }, free, { do: 'stop' }],
    ['stopped and done with', { status: 'stopped', wake_at: null }, free, { sleep: null }],
    ['tried again later', { wake_at: inMinutes(1) }, free, { sleep: inMinutes(1) }],
    [
      'but what it owes is charged at once',
      { wake_at: inMinutes(1), ...since(5) },
      reserved,
      { do: 'settle' },
    ],
    ['stopped while it served', { status: 'stopped', ...since(5) }, reserved, { do: 'settle' }],
    ['stopped before it served', { status: 'stopped', ...paid }, reserved, { do: 'settle' }],
    ['deleted', { status: 'deleted', ...since(5) }, reserved, { do: 'settle' }],
    ['failed', { status: 'failed' }, free, { do: 'stop' }],
    ['paused for funds', { status: 'paused_for_funds' }, dear, { do: 'reserve' }],
    [
      'paused by the platform',
      { status: 'paused_by_platform' },
      { ...free, price: null },
      { sleep: inMinutes(1 / 6) },
    ],
    [
      'and back',
      { status: 'paused_by_platform' },
      free,
      { change: { status: 'starting', detail: null, ended_at: now, tries: 0 } },
    ],
    [
      'whose machine is gone',
      { status: 'serving' },
      { ...free, price: null },
      { change: { status: 'paused_by_platform', detail: away, ended_at: now } },
    ],
  ]
  for (const [what, changes, facts, step] of cases) {
    assert.deepEqual(nextDeploymentStep({ ...row, ...changes }, facts, now), step, what)
  }
})

test('what a machine answers decides whether it serves, is tried again or has failed', () => {
  const starting = { status: 'starting' as const, tries: 0, ended_at: minutesAgo(1), ...paid }
  const serving = {
    ...starting,
    status: 'serving' as const,
    ended_at: null,
    paid_from: minutesAgo(5),
  }
  type Told = [status?: string, wake?: Date | null, tries?: number]
  const cases: [string, Parameters<typeof afterPrepare>, Told][] = [
    ['it answers', [starting, { state: 'ready' }, now], ['serving', now, 0]],
    ['it loads', [starting, { state: 'starting' }, now], ['starting', inMinutes(1 / 12)]],
    [
      'it knows nothing yet',
      [starting, { state: 'unknown' }, now],
      ['starting', inMinutes(1 / 12)],
    ],
    [
      'it is never ready',
      [{ ...starting, ended_at: minutesAgo(20) }, { state: 'starting' }, now],
      ['failed', now],
    ],
    ['no GPU', [starting, noGpu, now], ['starting', inMinutes(30), 1]],
    ['no GPU again', [{ ...starting, tries: 3 }, noGpu, now], ['starting', inMinutes(240), 4]],
    ['no GPU for a day', [{ ...starting, tries: 4 }, noGpu, now], ['failed', now]],
    ['not certified', [starting, notCertified, now], ['failed', now]],
    ['broken', [starting, gone, now], ['starting', inMinutes(1 / 6), 1]],
    ['broken for good', [{ ...starting, tries: 3 }, gone, now], ['failed', now]],
    ['it dies while it serves', [serving, gone, now], ['starting', inMinutes(1 / 6), 1]],
    ['it still serves', [serving, { state: 'ready' }, now], ['serving', now, 0]],
  ]
  for (const [what, given, told] of cases) {
    const { status, wake_at, tries } = afterPrepare(...given)
    assert.deepEqual([status, wake_at, ...(tries === undefined ? [] : [tries])], told, what)
  }
  // Time is paid for from the first answer on.
  assert.deepEqual(afterPrepare(starting, { state: 'ready' }, now).paid_from, now)
  assert.equal(afterPrepare(serving, { state: 'ready' }, now).paid_from, undefined)
  assert.equal(afterPrepare(serving, gone, now).ended_at, now)
})
