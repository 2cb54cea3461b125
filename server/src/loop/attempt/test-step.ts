// What an attempt that has trained does next: its test, what follows from the verdict, and going live. Pure.
import { grouped } from '../../lib/grouped.ts'
import { isBetter } from '../test/verdict/policy.ts'
import { isWorthTesting } from '../test/verdict/verdict-of-counts.ts'
import { isAwayAwaited, nextAwayTry } from '../test/away-wait.ts'
import { isStorageAwaited, nextStorageTry, type Unreadable } from '../test/storage-wait.ts'
import type { TestPlan } from '../test/tested-attempt.ts'
import type { AttemptRow, AttemptState, Closing, InPhase } from './attempt.ts'
import { comparisonMsMax } from './cost-limit.ts'
import { ending } from './ending.ts'
import type { Facts, Step } from './step.ts'

const askAgainMs = 60_000

export function testStep(attempt: AttemptRow, facts: Facts, now: Date): Step {
  const { state } = attempt
  if (needsScoring.includes(state.phase) && !facts.canScore) return { close: keyLost }
  if (onMachine.includes(state.phase) && isOverdue(facts, now)) return { close: overdue }
  switch (state.phase) {
    case 'starting_machine':
      return startTest(attempt, state, facts, now)
    case 'waiting_for_room':
      return awaitRoom(state, facts, now)
    case 'waiting_for_storage':
      return awaitStorage(attempt, state, now)
    case 'answering':
      if (isUnreadable(state)) return storageNext(state, state.phase)
      if (facts.unanswered) return unlessAway(state, { do: 'answer' }, now)
      return { move: startScoring(state), why: 'Both models have answered.' }
    case 'scoring':
      if (isUnreadable(state)) return storageNext(state, state.phase)
      if (facts.unread) return unlessAway(state, { do: 'read' }, now)
      return { move: { phase: 'deciding' }, why: 'The judge has read all answers.' }
    case 'deciding':
      return decided(attempt, facts)
    case 'promoting':
      if (state.model === 'closed') return { do: 'make-ready' }
      return { close: ending('became_version', whyLive(attempt)) }
    default:
      throw new Error(`the attempt ${attempt.id} is not tested in the phase ${state.phase}`)
  }
}

const needsScoring: AttemptState['phase'][] = [
  'starting_machine',
  'waiting_for_room',
  'waiting_for_storage',
  'answering',
  'scoring',
]

const onMachine: AttemptState['phase'][] = needsScoring.filter(
  (phase) => phase !== 'waiting_for_room',
)

/** Spec 2, limits: 3 hours of the machine that compares. */
function isOverdue({ pricedSince }: Facts, now: Date): boolean {
  return pricedSince !== null && now.getTime() - pricedSince.getTime() >= comparisonMsMax
}

const overdueWhy = 'Its test took three hours of its machine, which is the most that it may.'
const overdue = ending('stopped', overdueWhy, { detail: overdueWhy, charge: true })

const keyLostWhy = 'The scoring key was deleted or refused while it was tested.'
const keyLost: Closing = ending('inconclusive', keyLostWhy, { detail: keyLostWhy, waits: true })

function startTest(
  attempt: AttemptRow,
  state: InPhase<'starting_machine'>,
  { training, rowsThere, serving, belowLimit }: Facts,
  now: Date,
): Step {
  if (training.state === 'ended') return { do: 'forget-training' }
  if (rowsThere) return { do: 'remove-rows' }
  if (attempt.test === null) {
    return isUnreadable(state) ? storageNext(state, state.phase) : { do: 'plan-test' }
  }
  if (!isWorthTesting(attempt.test.asked)) {
    return { close: tooFewHeldBack(attempt.test) }
  }
  if (!state.funds) return { do: 'reserve-test' }
  if (state.funds.missing !== '0') {
    const { funds } = state
    const since = funds.asked_at
    const move = { phase: 'waiting_for_funds', pays: 'test', since, funds } as const
    return { move, why: 'The wallet does not cover its test.' }
  }
  if (serving === 'none' || serving === 'incomplete') {
    if (belowLimit) return { do: 'serve-test' }
    const move = { phase: 'waiting_for_room', funds: state.funds } as const
    return { move, why: 'The workspace runs as many deployments as it may.' }
  }
  if (serving === 'starting') {
    return { wait: new Date(now.getTime() + 1000), why: 'Its model is being started.' }
  }
  return { move: { phase: 'answering' }, why: 'Its model can be called.' }
}

/** What is served for tests is not counted, so no attempt waits for another. */
function awaitRoom({ funds }: InPhase<'waiting_for_room'>, { belowLimit }: Facts, now: Date): Step {
  if (belowLimit) {
    return {
      move: { phase: 'starting_machine', funds },
      why: 'The workspace may run another deployment.',
    }
  }
  const again = new Date(now.getTime() + askAgainMs)
  return { wait: again, why: 'The deployments are counted once a minute.' }
}

/** The judge's servers are others. */
function startScoring({ away: _, ...state }: InPhase<'answering'>): InPhase<'scoring'> {
  return { ...state, phase: 'scoring' }
}

function unlessAway({ away }: InPhase<'answering' | 'scoring'>, step: Step, now: Date): Step {
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
  during: InPhase<'waiting_for_storage'>['during'],
): Step {
  const move = { phase: 'waiting_for_storage', during, unreadable } as const
  return { move, why: 'Held-back samples in your own storage cannot be read.' }
}

function awaitStorage(
  { test }: AttemptRow,
  state: InPhase<'waiting_for_storage'>,
  now: Date,
): Step {
  const { unreadable, during } = state
  const isPlanned = during === 'answering' || during === 'scoring'
  if (test !== null && !isPlanned) {
    return { move: { phase: 'starting_machine' }, why: 'What it is tested on is fixed.' }
  }
  if (isPlanned && unreadable.count === 0) {
    return isStorageAwaited(unreadable, now)
      ? { move: { phase: during }, why: 'Your storage can be read again.' }
      : { move: { phase: during, unreadable }, why: 'What cannot be read is left out.' }
  }
  const again = nextStorageTry(unreadable)
  if (now < again) return { wait: again, why: 'Your storage is tried once a minute.' }
  if (!isPlanned) return { do: 'plan-test' }
  return { do: during === 'answering' ? 'answer' : 'read' }
}

function tooFewHeldBack({ asked, missing, left_out, limited_by }: TestPlan): Closing {
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
  return ending('inconclusive', 'Too few held-back samples are left.', { detail, waits: true })
}

/** Spec 2, promotion policies. */
function decided(attempt: AttemptRow, { promotion }: Facts): Step {
  const { verdict } = attempt
  if (verdict === null) return { do: 'decide' }
  const outcome = isBetter(promotion, { heldBack: verdict, benchmarks: [] })
  if (outcome === 'inconclusive') {
    const why = 'Its test could not decide.'
    return { close: ending('inconclusive', why, { waits: true }) }
  }
  if (promotion.policy === 'manual') {
    const why = 'It was tested, and a member decides.'
    return { close: ending('waiting_for_review', why, { waits: true }) }
  }
  if (outcome === 'better') {
    return {
      move: { phase: 'promoting', model: 'closed' },
      why: whyLive(attempt),
    }
  }
  const why = 'It is not better than the live model.'
  return { close: ending('not_better', why, { decision: 'auto_rejected' }) }
}

function whyLive({ approved_by }: Pick<AttemptRow, 'approved_by'>): string {
  return approved_by === null ? 'It is better than the live model.' : 'A member approved it.'
}
