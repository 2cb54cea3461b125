// Walks attempts: gathers facts, decides, acts and writes the move down.
import type { Transaction } from 'kysely'
import type { App } from '../../app.ts'
import { endLeases, renewLease } from '../../storage/leases.ts'
import { type By, leaseUntil, type Left, type WalkedRows } from '../../storage/row-walker.ts'
import type { Database } from '../../storage/schema.ts'
import * as due from './attempt-due-store.ts'
import * as store from './attempt-store.ts'
import type { AttemptRow } from './attempt.ts'
import { type EffectName, type FailingName, isEffectName } from './effect-names.ts'
import { effect, effects } from './effects.ts'
import { nextFailing, nextTry } from './failing.ts'
import { gatherFacts } from './facts.ts'
import { Moved, withoutFailing, type Written, writtenOf } from './moves.ts'
import { nextStep, stepBeforeFacts } from './next-step.ts'
import { onlyGathered, type Step } from './step.ts'

/** A portion of what a test asks takes seconds; after each, others that are due get its slot. */
const portions: readonly EffectName[] = ['answer', 'read']

export const walkedAttempts: WalkedRows<AttemptRow> = {
  noun: 'attempt',
  // Training itself takes turns at compute, and those that end do not wait for a slot.
  most: 8,
  mostWithEnding: 16,
  claim: ({ storage }, claim) => due.claimDue(storage.db, claim),
  read: ({ storage }, id) => store.readAttempt(storage.db, id),
  renew: ({ storage }, lease) => renewLease(storage.db, 'attempt', lease),
  release: ({ storage }, processId) => endLeases(storage.db, 'attempt', processId),
  step: takeStep,
}

async function takeStep(app: App, attempt: AttemptRow, by: By): Promise<Left | 'goes on'> {
  if (attempt.result !== 'running' && !attempt.decide_by) return 'asleep'
  const now = app.clock.now()
  let name: FailingName = 'gather-facts'
  let known = attempt
  try {
    let step = stepBeforeFacts(attempt, now)
    if (!step) {
      const facts = onlyGathered(await gatherFacts(app, attempt))
      known = onceGathered(attempt)
      step = nextStep(known, facts, now)
    }
    name = 'do' in step ? step.do : 'write-attempt'
    if ('do' in step) return await act(app, known, step.do, by)
    if ('wait' in step) return await sleep(app, { attempt, now, step, by })
    if ('gaveUp' in step) {
      const left = { attempt_id: attempt.id, effect: step.gaveUp }
      app.log.error(left, 'an attempt ends although this did not succeed for six hours')
    }
    if ('failed' in step) {
      const { code, message, detail } = step.failed
      const failed = { attempt_id: attempt.id, code, detail: detail ?? message }
      app.log.warn(failed, 'the training of an attempt failed')
    }
    return goesOn(await write(app, known, writtenOf(step, known, now)))
  } catch (error) {
    if (by.signal.aborted) return 'asleep'
    const failed = { err: error, attempt_id: attempt.id, effect: name }
    app.log.warn(failed, 'a step of an attempt failed')
    await pause(app, known, name)
    return 'asleep'
  }
}

async function act(
  app: App,
  attempt: AttemptRow,
  name: EffectName,
  by: By,
): Promise<Left | 'goes on'> {
  const done = (await effect(name, () => effects[name](app, attempt, by.signal))) ?? {}
  const state = withoutFailing(done.changes?.state ?? attempt.state)
  const isPortion = portions.includes(name)
  const leaves = isPortion && { wake_at: app.clock.now(), leased_until: null }
  const changes = { ...done.changes, ...leaves, state }
  const isWritten = await write(app, attempt, { ...done, changes })
  return isPortion ? 'due' : goesOn(isWritten)
}

async function sleep(
  app: App,
  {
    attempt,
    now,
    step,
    by,
  }: { attempt: AttemptRow; now: Date; step: Extract<Step, { wait: Date }>; by: By },
): Promise<Left | 'goes on'> {
  const { failing } = attempt.state
  // Facts were gathered and nothing is left to write, so neither fails any longer.
  if (failing && !isEffectName(failing.effect)) {
    const state = withoutFailing(attempt.state)
    return goesOn(await write(app, attempt, { changes: { state } }))
  }
  const leasedUntil = step.here ? leaseUntil(now) : null
  const sleep = { until: step.wait, leasedUntil, processId: by.processId }
  await due.sleepUntil(app.storage.db, attempt, sleep)
  return 'asleep'
}

async function pause(app: App, attempt: AttemptRow, name: FailingName): Promise<void> {
  const now = app.clock.now()
  const failing = nextFailing(attempt.state.failing, name, now)
  const wake_at = nextTry(failing, now)
  await write(app, attempt, { changes: { state: { ...attempt.state, failing }, wake_at } })
}

/** False where another has moved it meanwhile. */
function write(
  app: App,
  attempt: AttemptRow,
  { changes, together, why }: Written,
): Promise<boolean> {
  const move = why === undefined ? null : { why, at: app.clock.now() }
  const writeMove = async (tx: Transaction<Database>): Promise<boolean> => {
    // The pipeline is locked before its attempt, as it is when it is deleted.
    await together?.(tx)
    if (await store.changeAttempt(tx, attempt, changes, move)) return true
    throw new Moved()
  }
  return effect('write-attempt', () =>
    app.storage.db
      .transaction()
      .execute(writeMove)
      .catch((error: unknown) => {
        if (error instanceof Moved) return false
        throw error
      }),
  )
}

/** A failure to gather facts is over. */
function onceGathered(attempt: AttemptRow): AttemptRow {
  const isOver = attempt.state.failing?.effect === 'gather-facts'
  return isOver ? { ...attempt, state: withoutFailing(attempt.state) } : attempt
}

/** Where another process has moved it, that one goes on. */
function goesOn(isWritten: boolean): Left | 'goes on' {
  return isWritten ? 'goes on' : 'asleep'
}
