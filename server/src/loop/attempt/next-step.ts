// What an attempt does next: its cases in the order in which it lives. Pure.
import type { TrainingStatus } from '../../compute/compute.ts'
import { grouped } from '../../lib/grouped.ts'
import { type AttemptRow, type AttemptState, type Closing, hasEnoughRows } from './attempt.ts'
import { trainingSecondsMax } from './cost-limit.ts'

export type EffectName =
  | 'write-rows'
  | 'reserve-training'
  | 'start-training'
  | 'keep-adapter'
  | 'stop-training'
  | 'keep-curve'
  | 'charge-training'
  | 'forget-training'
  | 'remove-rows'

export type Facts = {
  /** Whether the platform has the loop switched on. */
  loopOn: boolean
  training: TrainingStatus
  /** Of the funds for the training. */
  reservation: 'none' | 'open' | 'ended'
  /** Whether the file of its rows is on this computer. */
  rowsThere: boolean
  /** Whether the loss over its steps is in the database. */
  curveKept: boolean
}

export type Step =
  | { do: EffectName }
  | { move: AttemptState; why: string; changes?: Pick<AttemptRow, 'train_rows'> }
  /** How it ends is decided; what it leaves behind is tidied first. */
  | { close: Closing }
  /** All is tidied. */
  | { end: Closing }
  /** `here`: in the process that works on it, unless that dies. */
  | { wait: Date; why: string; here?: true }

const secondMs = 1000
const hourMs = 3_600_000
/** Spec 2, limits: the wait for funds. */
const fundsWaitMs = 24 * hourMs
const askAgainMs = 60 * secondMs
/** Spec 2, attempt errors: a step that has not succeeded for six hours. */
const stalledMs = 6 * hourMs

export function nextStep(attempt: AttemptRow, facts: Facts, now: Date): Step {
  const { state } = attempt
  if (state.closing) return tidy(state.closing, facts)
  if (attempt.cancelled_at) {
    const why = attempt.cancelled_by === null ? 'Its pipeline was deleted.' : 'A member stopped it.'
    return { close: ending('stopped', why, { charge: true }) }
  }
  if (!facts.loopOn && !hasBegun(state, facts)) {
    const why = 'The platform switched the improvement loop off.'
    return {
      close: ending('not_tested', why, { code: 'ENV_GATED:SWITCHED_OFF', marksBack: true }),
    }
  }
  if (state.failing && now.getTime() - Date.parse(state.failing.since) >= stalledMs) {
    const name = state.failing.effect.toUpperCase().replaceAll('-', '_')
    const why = 'One of its steps did not succeed for six hours.'
    return { close: ending('not_tested', why, { code: `STEP_STALLED:${name}`, marksBack: true }) }
  }
  switch (state.phase) {
    case 'preparing':
      return prepare(attempt, state)
    case 'waiting_for_funds':
      return awaitFunds(state, now)
    case 'waiting_for_gpu':
    case 'training':
      return train(attempt, facts, now)
    case 'ended':
      throw new Error(`the attempt ${attempt.id} has ended`)
  }
}

type In<Phase extends AttemptState['phase']> = Extract<AttemptState, { phase: Phase }>

function prepare(attempt: AttemptRow, state: In<'preparing'>): Step {
  if (attempt.train_rows === null) return { do: 'write-rows' }
  if (!hasEnoughRows(attempt)) return { close: tooFew(attempt) }
  if (!state.funds) return { do: 'reserve-training' }
  if (state.funds.missing === '0') return machineNext
  const why = 'The wallet does not cover the whole training.'
  const { asked_at: since } = state.funds
  return { move: { phase: 'waiting_for_funds', since, funds: state.funds }, why }
}

const machineNext: Step = {
  move: { phase: 'waiting_for_gpu' },
  why: 'Its samples are ready and its training is paid for in advance.',
}

function awaitFunds({ since, funds }: In<'waiting_for_funds'>, now: Date): Step {
  if (funds.missing === '0') return machineNext
  if (now.getTime() - Date.parse(since) >= fundsWaitMs) {
    const why = 'The funds for the whole training were missing for 24 hours.'
    const code = 'INSUFFICIENT_FUNDS:NOT_STARTED'
    return { close: ending('stopped', why, { code, pause: true }) }
  }
  const again = new Date(Date.parse(funds.asked_at) + askAgainMs)
  if (now < again) return { wait: again, why: 'The wallet is asked once a minute.' }
  return { do: 'reserve-training' }
}

function train(attempt: AttemptRow, { training, rowsThere }: Facts, now: Date): Step {
  const { state } = attempt
  if (training.state === 'unknown') {
    if (rowsThere) return { do: 'start-training' }
    const why = 'What it had is on a computer that is gone, so its samples are read again.'
    return { move: { phase: 'preparing' }, why, changes: { train_rows: null } }
  }
  if (training.state === 'running') {
    if (state.phase === 'waiting_for_gpu' && training.progress.phase !== 'waiting') {
      const why = 'The machine is free for it.'
      return { move: { phase: 'training', since: now.toISOString() }, why }
    }
    if (training.progress.seconds >= trainingSecondsMax) {
      const why = 'It trained for four hours, which is the most that it may.'
      return { close: ending('stopped', why, { charge: true }) }
    }
    return { wait: new Date(now.getTime() + secondMs), why: 'It is being trained.', here: true }
  }
  if (state.phase === 'waiting_for_gpu') {
    const why = 'The machine is free for it.'
    return { move: { phase: 'training', since: now.toISOString() }, why }
  }
  const { outcome } = training
  switch (outcome.state) {
    case 'succeeded':
      if (attempt.adapter === null) return { do: 'keep-adapter' }
      return { close: ending('not_tested', notTested, { detail: notTested, charge: true }) }
    case 'failed': {
      const moved = outcome.code !== 'ADAPTER_DID_NOT_MOVE'
      const code = moved ? `TRAINING_FAILED:${outcome.code}` : outcome.code
      const why = 'The training failed.'
      return { close: ending('failed', why, { code, detail: outcome.message, charge: true }) }
    }
    case 'stopped':
      return { close: ending('stopped', 'Its training was stopped.', { charge: true }) }
  }
}

const notTested = 'It has trained. Testing trained models is not part of this version yet.'

function tidy(closing: Closing, facts: Facts): Step {
  const { training, reservation, rowsThere, curveKept } = facts
  if (training.state === 'running') return { do: 'stop-training' }
  if (training.state === 'ended' && !curveKept) return { do: 'keep-curve' }
  if (reservation === 'open') return { do: 'charge-training' }
  if (training.state === 'ended') return { do: 'forget-training' }
  if (rowsThere) return { do: 'remove-rows' }
  return { end: closing }
}

function tooFew({ train_rows, holdout_rows }: AttemptRow): Closing {
  const detail =
    `Only ${grouped(train_rows ?? 0)} samples could be trained on and ` +
    `${grouped(holdout_rows ?? 0)} held back.`
  return ending('not_tested', 'There were not enough samples.', {
    code: 'NOT_ENOUGH_SAMPLES',
    detail,
  })
}

/** What trains goes on while the loop is off. */
function hasBegun({ phase }: AttemptState, { training }: Facts): boolean {
  if (phase === 'training' || training.state === 'ended') return true
  return training.state === 'running' && training.progress.phase !== 'waiting'
}

function ending(
  result: Closing['result'],
  why: string,
  more: {
    code?: string
    detail?: string
    marksBack?: boolean
    pause?: boolean
    charge?: boolean
  } = {},
): Closing {
  const { code = null, detail = null, marksBack = false, pause = false, charge = false } = more
  return { result, error_code: code, detail, why, marks_back: marksBack, pause, charge }
}
