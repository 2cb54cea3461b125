// What an attempt does next: its cases in the order in which it lives. Pure.
import { reviewDays } from '#contract/limits.ts'
import { grouped } from '../../lib/grouped.ts'
import { isStorageAwaited, nextStorageTry } from '../test/storage-wait.ts'
import {
  type AttemptRow,
  type AttemptState,
  type Closing,
  hasEnoughRows,
  type InPhase,
} from './attempt.ts'
import { trainingSecondsMax } from './cost-limit.ts'
import { type EffectName, type FailingName, isEffectName, stallCodes } from './effect-names.ts'
import { ending } from './ending.ts'
import { isStalled } from './failing.ts'
import type { Facts, Step } from './step.ts'
import { testStep } from './test-step.ts'

const secondMs = 1000
const hourMs = 3_600_000
/** Spec 2, limits: the wait for funds. */
const fundsWaitMs = 24 * hourMs
const askAgainMs = 60 * secondMs

/** What needs no facts, so that an attempt is stopped and ends although they cannot be had. */
export function stepBeforeFacts(attempt: AttemptRow, now: Date): Step | null {
  const { state, decide_by } = attempt
  if (decide_by !== null) return awaitDecision(decide_by, now)
  const { closing } = state
  const stalled = stalledAt(state, now)
  // Until the name has moved, a member may still stop it.
  if (attempt.cancelled_at !== null && (!closing || closing.result === 'became_version')) {
    const why = attempt.cancelled_by === null ? 'Its pipeline was deleted.' : 'A member stopped it.'
    return { close: ending('stopped', why, { charge: true }) }
  }
  if (closing) return stalled && leaveUntidy(closing, stalled)
  return stalled === 'gather-facts' && endsByStall(attempt) ? { close: stall(stalled) } : null
}

/** Spec 2, moves of an attempt. */
function awaitDecision(decideBy: Date, now: Date): Step {
  if (now < decideBy) return { wait: decideBy, why: 'A member may decide on it.' }
  const why = `No member decided on it within ${reviewDays} days.`
  return { end: ending('stopped', why, { detail: why, decision: 'expired' }) }
}

function stalledAt({ failing }: AttemptState, now: Date): FailingName | null {
  return failing && isStalled(failing, now) ? failing.effect : null
}

/** What has trained is paid for, so its test is tried until a member stops it. */
function endsByStall({ adapter }: AttemptRow): boolean {
  return adapter === null
}

function stall(name: FailingName): Closing {
  const error_code = `STEP_STALLED:${stallCodes[name]}`
  const why = 'One of its steps did not succeed for six hours.'
  return ending('not_tested', why, { error_code, marks_back: true })
}

/** Funds would stay reserved for ever, and a version would not know what it learned. */
const neverLeft: FailingName[] = ['charge-training', 'charge-test', 'mark-learned']

/** It ends all the same. What goes live is only tried again, because a name that has not moved must not look as if it had. */
function leaveUntidy(closing: Closing, stalled: FailingName): Step | null {
  if (neverLeft.includes(stalled)) return null
  if (isEffectName(stalled)) {
    return {
      close: { ...closing, skipped: [...(closing.skipped ?? []), stalled] },
      gaveUp: stalled,
    }
  }
  if (stalled === 'gather-facts') return { end: closing, gaveUp: stalled }
  if (closing.result === 'became_version') return null
  // The marks are the largest part of that write. The next attempt learns these samples also as used ones.
  return { end: { ...closing, marks_back: false }, gaveUp: stalled }
}

export function nextStep(attempt: AttemptRow, facts: Facts, now: Date): Step {
  const { state } = attempt
  const first = stepBeforeFacts(attempt, now)
  if (first) return first
  if (state.closing) return tidy(state.closing, facts)
  if (!facts.loopOn && !hasBegun(state, facts)) {
    const why = 'The platform switched the improvement loop off.'
    const error_code = 'ENV_GATED:SWITCHED_OFF'
    return { close: ending('not_tested', why, { error_code, marks_back: true }) }
  }
  const stalled = stalledAt(state, now)
  if (stalled && endsByStall(attempt)) return { close: stall(stalled) }
  switch (state.phase) {
    case 'preparing':
      return prepare(attempt, state, facts)
    case 'waiting_for_funds':
      return awaitFunds(state, now)
    case 'waiting_for_gpu':
      return awaitMachine(facts, now)
    case 'training':
      return train(attempt, facts, now)
    case 'waiting_for_storage':
      if (state.during === 'preparing') return awaitSamples(attempt, state, now)
      return testStep(attempt, facts, now)
    case 'starting_machine':
    case 'waiting_for_room':
    case 'answering':
    case 'scoring':
    case 'deciding':
    case 'promoting':
      return testStep(attempt, facts, now)
    case 'ended':
      throw new Error(`the attempt ${attempt.id} has ended`)
  }
}

function prepare(attempt: AttemptRow, state: InPhase<'preparing'>, facts: Facts): Step {
  const { unreadable } = state
  if (attempt.train_rows === null) {
    if (!unreadable) return { do: 'write-rows' }
    const move = { phase: 'waiting_for_storage', unreadable, during: 'preparing' } as const
    return { move, why: 'Samples in your own storage cannot be read.' }
  }
  const { unlearned } = state
  if (!hasEnoughRows(attempt, unlearned)) return { close: tooFew(attempt, unlearned) }
  if (!state.funds) {
    const { unaffordable: detail } = facts
    if (detail === null) return { do: 'reserve-training' }
    const more = { error_code: 'TEST_NOT_AFFORDABLE', detail, marks_back: true }
    return { close: ending('not_tested', 'Its test cannot be paid for.', more) }
  }
  if (state.funds.missing === '0') return machineNext
  const why = 'The wallet does not cover the whole training.'
  const { asked_at: since } = state.funds
  const { funds } = state
  return { move: { phase: 'waiting_for_funds', pays: 'training', since, funds }, why }
}

/** Until the hour is over all of them are selected, or none; then those that can be read. */
function awaitSamples(
  attempt: AttemptRow,
  { unreadable, unlearned }: InPhase<'waiting_for_storage'>,
  now: Date,
): Step {
  if (attempt.train_rows !== null) {
    const move = { phase: 'preparing', ...(unlearned !== undefined && { unlearned }) } as const
    return { move, why: 'Its samples were read from your storage.' }
  }
  // Decided by the last try, so that it is tried once more when the hour is over.
  if (!isStorageAwaited(unreadable, new Date(unreadable.tried_at))) return { close: storageLost }
  const again = nextStorageTry(unreadable)
  if (now < again) return { wait: again, why: 'Your storage is tried once a minute.' }
  return { do: 'write-rows' }
}

const storageLost = ending('not_tested', 'Your storage could not be read for an hour.', {
  detail:
    'Samples in your own storage could not be read for an hour. Check that it is connected, answers and takes its access key.',
  marks_back: true,
})

const machineNext: Step = {
  move: { phase: 'waiting_for_gpu' },
  why: 'Its samples are ready and its training is paid for in advance.',
}

function awaitFunds({ pays, since, funds }: InPhase<'waiting_for_funds'>, now: Date): Step {
  const isTest = pays === 'test'
  if (funds.missing === '0') {
    const move = { phase: 'starting_machine', funds } as const
    return isTest ? { move, why: 'The wallet covers its test.' } : machineNext
  }
  if (now.getTime() - Date.parse(since) >= fundsWaitMs) {
    if (isTest) {
      const detail = 'The funds for its test were missing for 24 hours.'
      return { close: ending('stopped', detail, { detail, pause: true, charge: true }) }
    }
    const why = 'The funds for the whole training were missing for 24 hours.'
    const error_code = 'INSUFFICIENT_FUNDS:NOT_STARTED'
    return { close: ending('stopped', why, { error_code, pause: true }) }
  }
  const again = new Date(Date.parse(funds.asked_at) + askAgainMs)
  if (now < again) return { wait: again, why: 'The wallet is asked once a minute.' }
  return { do: isTest ? 'reserve-test' : 'reserve-training' }
}

const rowsLost: Step = {
  move: { phase: 'preparing' },
  why: 'What it had is on a computer that is gone, so its samples are read again.',
  changes: { train_rows: null },
}

function behindOthers(now: Date): Step {
  return { wait: new Date(now.getTime() + secondMs), why: 'Others train before it.', here: true }
}

function awaitMachine({ training, rowsThere, ahead }: Facts, now: Date): Step {
  if (training.state === 'unknown' && !rowsThere) return rowsLost
  if (ahead > 0) return behindOthers(now)
  const why = 'The machine is free for it.'
  return { move: { phase: 'training', since: now.toISOString() }, why }
}

function train(attempt: AttemptRow, facts: Facts, now: Date): Step {
  const { training } = facts
  if (training.state === 'unknown' && !facts.rowsThere) return rowsLost
  if (training.state === 'unknown' || training.state === 'idle') {
    const { failing } = attempt.state
    if (!failing || failing.holds) return { do: 'start-training' }
    return facts.ahead > 0 ? behindOthers(now) : { hold: failing }
  }
  if (training.state === 'running') {
    if (training.progress.seconds >= trainingSecondsMax) {
      const why = 'It trained for four hours, which is the most that it may.'
      return { close: ending('stopped', why, { detail: why, charge: true }) }
    }
    return { wait: new Date(now.getTime() + secondMs), why: 'It is being trained.', here: true }
  }
  const { outcome } = training
  switch (outcome.state) {
    case 'succeeded':
      if (attempt.adapter === null) return { do: 'keep-adapter' }
      if (!facts.curveKept) return { do: 'keep-curve' }
      if (facts.trainingFunds === 'open') return { do: 'charge-training' }
      return { move: { phase: 'starting_machine' }, why: 'It has trained, and is tested next.' }
    case 'failed': {
      const moved = outcome.code !== 'ADAPTER_DID_NOT_MOVE'
      const error_code = moved ? `TRAINING_FAILED:${outcome.code}` : outcome.code
      const more = { error_code, detail: outcome.message, charge: true }
      return { close: ending('failed', 'The training failed.', more), failed: outcome }
    }
    case 'stopped':
      return { close: ending('stopped', 'Its training was stopped.', { charge: true }) }
  }
}

function tidy(closing: Closing, facts: Facts): Step {
  const { training } = facts
  const left: [EffectName, boolean][] = [
    ['stop-training', training.state === 'running' || training.state === 'idle'],
    ['keep-curve', training.state === 'ended' && !facts.curveKept],
    ['charge-training', facts.trainingFunds === 'open'],
    ['charge-test', facts.testFunds === 'open'],
    ['forget-training', training.state === 'ended'],
    ['remove-rows', facts.rowsThere],
    ['take-marks-back', closing.marks_back],
    ['mark-learned', closing.result === 'became_version' && !closing.marks_learned],
    ['end-serving', facts.serving !== 'none'],
  ]
  const next = left.find(([name, isLeft]) => isLeft && !closing.skipped?.includes(name))
  return next ? { do: next[0] } : { end: closing }
}

function tooFew({ train_rows, holdout_rows }: AttemptRow, unlearned?: number): Closing {
  const trained =
    unlearned === undefined ? `${grouped(train_rows ?? 0)}` : `${grouped(unlearned)} new`
  const detail =
    `Only ${trained} samples could be trained on and ` + `${grouped(holdout_rows ?? 0)} held back.`
  const more = { error_code: 'NOT_ENOUGH_SAMPLES', detail }
  return ending('not_tested', 'There were not enough samples.', more)
}

/** What trains goes on while the loop is off, and so does what is tested. */
function hasBegun(state: AttemptState, facts: Facts): boolean {
  switch (state.phase) {
    case 'preparing':
    case 'waiting_for_gpu':
    case 'training': {
      const { training } = facts
      if (training.state === 'unknown') return false
      return training.state === 'ended' || training.progress.seconds > 0
    }
    case 'waiting_for_funds':
      return state.pays === 'test'
    case 'waiting_for_storage':
      return state.during !== 'preparing'
    default:
      return true
  }
}
