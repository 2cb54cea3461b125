// What an attempt that has trained does next: its test, what follows from the verdict, and going live. Pure.
import { grouped } from '../../lib/grouped.ts'
import { isBetter, type Policy } from '../test/verdict/policy.ts'
import { isWorthTesting } from '../test/verdict/verdict-of-counts.ts'
import type { AttemptRow, AttemptState, Closing, TestPlan, Unreadable } from './attempt.ts'
import { isAwayAwaited, nextAwayTry } from '../test/away-wait.ts'
import { ending } from './ending.ts'
import type { Facts, Step } from './next-step.ts'
import { isStorageAwaited, nextStorageTry } from '../test/storage-wait.ts'

export type TestFacts = {
  /** Of the funds for the test. */
  reservation: 'none' | 'open' | 'ended'
  /** Of the deployments that it is tested with. */
  serving: 'none' | 'starting' | 'serving'
  /** Whether judges can be called on the scoring key of the pipeline. */
  canScore: boolean
  /** Answers and readings that are still to be asked for. */
  unanswered: boolean
  unread: boolean
  /** Once its rows are selected: why the money that a test may cost is not enough for one. */
  unaffordable: string | null
  /** By which policy a new model is better. */
  promotion: Policy
}

export function testStep(attempt: AttemptRow, facts: Facts, now: Date): Step {
  const { state } = attempt
  const { test } = facts
  if (needsScoring.includes(state.phase) && !test.canScore) return { close: keyLost }
  switch (state.phase) {
    case 'starting_machine':
      return startTest(attempt, state, facts, now)
    case 'waiting_for_storage':
      return awaitStorage(attempt, state, now)
    case 'answering':
      if (isUnreadable(state)) return storageNext(state, state.phase)
      if (test.unanswered) return unlessAway(state, { do: 'answer' }, now)
      return { move: startScoring(state), why: 'Both models have answered.' }
    case 'scoring':
      if (isUnreadable(state)) return storageNext(state, state.phase)
      if (test.unread) return unlessAway(state, { do: 'read' }, now)
      return { move: { phase: 'deciding' }, why: 'The judge has read all answers.' }
    case 'deciding':
      return decided(attempt, test)
    case 'promoting':
      if (!state.ready) return { do: 'make-ready' }
      return { close: ending('became_version', 'It is better than the live model.') }
    default:
      throw new Error(`the attempt ${attempt.id} is not tested in the phase ${state.phase}`)
  }
}

const needsScoring: AttemptState['phase'][] = [
  'starting_machine',
  'waiting_for_storage',
  'answering',
  'scoring',
]

const keyLostWhy = 'The scoring key was deleted or refused while it was tested.'
const keyLost: Closing = ending('inconclusive', keyLostWhy, { detail: keyLostWhy })

type In<Phase extends AttemptState['phase']> = Extract<AttemptState, { phase: Phase }>

export const testPaid: AttemptState = {
  phase: 'starting_machine',
  funds: { asked_at: new Date(0).toISOString(), missing: '0' },
}
export const testPaidWhy = 'The wallet covers its test.'

function startTest(
  attempt: AttemptRow,
  state: In<'starting_machine'>,
  { training, rowsThere, test }: Facts,
  now: Date,
): Step {
  if (training.state === 'ended') return { do: 'forget-training' }
  if (rowsThere) return { do: 'remove-rows' }
  if (attempt.test === null) {
    return isUnreadable(state) ? storageNext(state) : { do: 'plan-test' }
  }
  if (!isWorthTesting(attempt.test.asked)) {
    return { close: tooFewHeldBack(attempt.test) }
  }
  if (!state.funds) return { do: 'reserve-test' }
  if (state.funds.missing !== '0') {
    const { funds } = state
    const move = { phase: 'waiting_for_funds', since: funds.asked_at, funds, test: true } as const
    return { move, why: 'The wallet does not cover its test.' }
  }
  if (test.serving === 'none') return { do: 'serve-test' }
  if (test.serving === 'starting') {
    return { wait: new Date(now.getTime() + 1000), why: 'Its model is being started.' }
  }
  return { move: { phase: 'answering' }, why: 'Its model can be called.' }
}

/** The judge's servers are others. */
function startScoring({ away: _, ...state }: In<'answering'>): In<'scoring'> {
  return { ...state, phase: 'scoring' }
}

function unlessAway({ away }: In<'answering' | 'scoring'>, step: Step, now: Date): Step {
  if (!away || !isAwayAwaited(away, now)) return step
  const again = nextAwayTry(away)
  return now < again ? { wait: again, why: 'Its servers are tried every few seconds.' } : step
}

type StorageNeeded = { unreadable?: Unreadable }

function isUnreadable(state: StorageNeeded): state is Required<StorageNeeded> {
  return state.unreadable !== undefined && state.unreadable.count > 0
}

function storageNext(
  { unreadable }: Required<StorageNeeded>,
  during?: 'answering' | 'scoring',
): Step {
  const move = { phase: 'waiting_for_storage' as const, unreadable, ...(during && { during }) }
  return { move, why: 'Held-back samples in your own storage cannot be read.' }
}

function awaitStorage({ test }: AttemptRow, state: In<'waiting_for_storage'>, now: Date): Step {
  const { unreadable, during } = state
  if (test !== null && !during) {
    return { move: { phase: 'starting_machine' }, why: 'What it is tested on is fixed.' }
  }
  if (during && unreadable.count === 0) {
    return isStorageAwaited(unreadable, now)
      ? { move: { phase: during }, why: 'Your storage can be read again.' }
      : { move: { phase: during, unreadable }, why: 'What cannot be read is left out.' }
  }
  const again = nextStorageTry(unreadable)
  if (now < again) return { wait: again, why: 'Your storage is tried once a minute.' }
  if (!during) return { do: 'plan-test' }
  return { do: during === 'answering' ? 'answer' : 'read' }
}

function tooFewHeldBack({ asked, missing, left_out = 0, limited_by }: TestPlan): Closing {
  const money =
    limited_by === 'month'
      ? 'what the tests of this pipeline may still cost this month'
      : 'the money that a test may cost'
  const gone =
    missing > 0
      ? `${grouped(missing)} ${missing === 1 ? 'was' : 'were'} deleted or could not be read`
      : ''
  const detail =
    left_out > 0
      ? `Only ${grouped(asked)} held-back samples could be tested with ${money}${gone && `, and ${gone}`}.`
      : `Only ${grouped(asked)} held-back samples were there to test it on${gone && `, because ${gone}`}.`
  return ending('inconclusive', 'Too few held-back samples are left.', { detail })
}

/** Spec 2, promotion policies. */
function decided({ verdict }: AttemptRow, { promotion }: TestFacts): Step {
  if (verdict === null) return { do: 'decide' }
  const outcome = isBetter(promotion, { heldBack: verdict, benchmarks: [] })
  if (outcome === 'inconclusive') {
    const why = 'Its test could not decide.'
    return { close: { ...ending('inconclusive', why), waits: true } }
  }
  if (promotion.policy === 'manual') {
    const why = 'It was tested, and a member decides.'
    return { close: { ...ending('waiting_for_review', why), waits: true } }
  }
  if (outcome === 'better') {
    return { move: { phase: 'promoting' }, why: 'It is better than the live model.' }
  }
  const why = 'It is not better than the live model.'
  return { close: { ...ending('not_better', why), decision: 'auto_rejected' } }
}
