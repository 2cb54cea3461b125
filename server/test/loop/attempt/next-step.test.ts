// The table of moves: what an attempt does next, given where it is and what is the case.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TrainingOutcome, TrainingProgress, TrainingStatus } from '#server/compute/compute.ts'
import type { AttemptRow, AttemptState } from '#server/loop/attempt/attempt.ts'
import type { FailingName } from '#server/loop/attempt/effect-names.ts'
import { ending } from '#server/loop/attempt/ending.ts'
import { stepBeforeFacts } from '#server/loop/attempt/next-step.ts'
import type { Facts } from '#server/loop/attempt/step.ts'
import { shownStep, stepWith } from '#test/support/attempt-steps.ts'

const now = new Date('2026-03-01T12:00:00Z')
const ago = (ms: number): string => new Date(now.getTime() - ms).toISOString()
const minute = 60_000
const hour = 60 * minute

const progress = (change: Partial<TrainingProgress>): TrainingProgress => ({
  phase: 'training',
  step: 1,
  steps: 10,
  loss: 1,
  checkLoss: null,
  learningRate: 0.001,
  tokens: 1,
  seconds: 5,
  secondsLeft: null,
  curve: [],
  ...change,
})
const running = (change: Partial<TrainingProgress> = {}): TrainingStatus => ({
  state: 'running',
  progress: progress(change),
})
const ended = (outcome: unknown): TrainingStatus => ({
  state: 'ended',
  progress: progress({}),
  outcome: outcome as TrainingOutcome,
})
const succeeded = ended({ state: 'succeeded', adapterPath: '/a', seconds: 5 })
const failed = (code: string) => ended({ state: 'failed', code, message: 'so', seconds: 5 })

const enough = { train_rows: 1000, holdout_rows: 100 }
const reserved = { asked_at: ago(0), missing: '0' }
const short = (askedAgo: number) => ({ asked_at: ago(askedAgo), missing: '7' })
const closing = ending('stopped', 'so', { charge: true })

type Case = {
  state: AttemptState
  row?: Partial<AttemptRow>
  facts?: Partial<Facts>
  does: string
}

const preparing: AttemptState = { phase: 'preparing' }
const inLine: AttemptState = { phase: 'waiting_for_gpu' }
const training: AttemptState = { phase: 'training', since: ago(minute) }
const noStorage = (since: number, tried: number) => ({
  unreadable: { since: ago(since), tried_at: ago(tried), count: 1 },
})
const storageAwaited = (since: number, tried: number): AttemptState => ({
  phase: 'waiting_for_storage',
  during: 'preparing',
  ...noStorage(since, tried),
})
const retried = (holds = false): AttemptState => ({
  ...training,
  failing: { effect: 'start-training', since: ago(hour), tries: 9, holds },
})
const idle: TrainingStatus = { state: 'idle', progress: progress({}) }
const cancelled = { cancelled_at: now, cancelled_by: 'someone' }

const moves: Record<string, Case> = {
  'a new one selects its rows': { state: preparing, does: 'write-rows' },
  'too few to train on end it': {
    state: preparing,
    row: { train_rows: 999, holdout_rows: 100 },
    does: 'close not_tested NOT_ENOUGH_SAMPLES',
  },
  'too few held back end it': {
    state: preparing,
    row: { train_rows: 1000, holdout_rows: 99 },
    does: 'close not_tested NOT_ENOUGH_SAMPLES',
  },
  'too few new ones end it, whatever was learned before': {
    state: { ...preparing, unlearned: 999 },
    row: { train_rows: 5000, holdout_rows: 250 },
    does: 'close not_tested NOT_ENOUGH_SAMPLES',
  },
  'a test that cannot be paid for ends it, and its samples stay new': {
    state: preparing,
    row: enough,
    facts: { unaffordable: 'A test costs 30 USD.' },
    does: 'close not_tested TEST_NOT_AFFORDABLE marks back',
  },
  'samples that cannot be selected now are waited for': {
    state: { ...preparing, ...noStorage(0, 0) },
    does: 'to waiting_for_storage',
  },
  'their storage is tried once a minute': {
    state: storageAwaited(hour, 20_000),
    does: 'wait 40 s',
  },
  'and then selected from again, also when the hour is over': {
    state: storageAwaited(hour, minute),
    does: 'write-rows',
  },
  'after an hour without them it ends, and nothing is lost': {
    state: storageAwaited(hour + minute, minute),
    does: 'close not_tested marks back',
  },
  'a storage that is back is no reason to wait': {
    state: storageAwaited(hour, 0),
    row: enough,
    does: 'to preparing',
  },
  'with the loop off it does not wait for a storage': {
    state: storageAwaited(minute, 0),
    facts: { loopOn: false },
    does: 'close not_tested ENV_GATED:SWITCHED_OFF marks back',
  },
  'with its rows it reserves': { state: preparing, row: enough, does: 'reserve-training' },
  'what is reserved goes to the machine': {
    state: { phase: 'preparing', funds: reserved },
    row: enough,
    does: 'to waiting_for_gpu',
  },
  'a wallet that is short is waited for': {
    state: { phase: 'preparing', funds: short(0) },
    row: enough,
    does: 'to waiting_for_funds',
  },
  'the wallet is asked once a minute': {
    state: { phase: 'waiting_for_funds', pays: 'training', since: ago(hour), funds: short(20_000) },
    does: 'wait 40 s',
  },
  'and then again': {
    state: { phase: 'waiting_for_funds', pays: 'training', since: ago(hour), funds: short(minute) },
    does: 'reserve-training',
  },
  'funds that came go to the machine': {
    state: { phase: 'waiting_for_funds', pays: 'training', since: ago(30 * hour), funds: reserved },
    does: 'to waiting_for_gpu',
  },
  'a day without funds stops it and pauses the pipeline': {
    state: {
      phase: 'waiting_for_funds',
      pays: 'training',
      since: ago(24 * hour),
      funds: short(minute),
    },
    does: 'close stopped INSUFFICIENT_FUNDS:NOT_STARTED pause',
  },
  'its rows are handed to compute': {
    state: training,
    facts: { rowsThere: true },
    does: 'start-training',
  },
  'rows that are on another computer are written again': { state: inLine, does: 'to preparing' },
  'in the queue it waits here': {
    state: inLine,
    facts: { rowsThere: true, ahead: 1 },
    does: 'wait 1 s here',
  },
  'a free machine is taken before compute is asked': {
    state: inLine,
    facts: { rowsThere: true },
    does: 'to training',
  },
  'a training is looked at every second': {
    state: training,
    facts: { training: running() },
    does: 'wait 1 s here',
  },
  'until just before four hours it goes on': {
    state: training,
    facts: { training: running({ seconds: 14_399 }) },
    does: 'wait 1 s here',
  },
  'four hours are the most': {
    state: training,
    facts: { training: running({ seconds: 14_400 }) },
    does: 'close stopped charge',
  },
  'a training of an earlier process is taken up': {
    state: training,
    facts: { training: idle },
    does: 'start-training',
  },
  'a training that did not start is tried again on a machine that it holds': {
    state: retried(),
    facts: { rowsThere: true },
    does: 'hold its machine',
  },
  'it starts once it holds the machine': {
    state: retried(true),
    facts: { rowsThere: true, ahead: 1 },
    does: 'start-training',
  },
  'it waits while another trains on the machine': {
    state: retried(),
    facts: { rowsThere: true, ahead: 1 },
    does: 'wait 1 s here',
  },
  'and so does a training of an earlier process that cannot be taken up': {
    state: retried(),
    facts: { training: idle, ahead: 1 },
    does: 'wait 1 s here',
  },
  'after six hours it has stalled, also behind another': {
    state: {
      ...training,
      failing: { effect: 'start-training', since: ago(6 * hour), tries: 9, holds: false },
    },
    facts: { rowsThere: true, ahead: 1 },
    does: 'close not_tested STEP_STALLED:START_TRAINING marks back',
  },
  'what was trained is kept': {
    state: training,
    facts: { training: succeeded },
    does: 'keep-adapter',
  },
  'then its curve is kept': {
    state: training,
    row: { adapter: 'hash' },
    facts: { training: succeeded },
    does: 'keep-curve',
  },
  'then its training is charged': {
    state: training,
    row: { adapter: 'hash' },
    facts: { training: succeeded, curveKept: true, trainingFunds: 'open' },
    does: 'charge-training',
  },
  'then it is tested': {
    state: training,
    row: { adapter: 'hash' },
    facts: { training: succeeded, curveKept: true, trainingFunds: 'ended' },
    does: 'to starting_machine',
  },
  'a failure says its code': {
    state: training,
    facts: { training: failed('LOSS_NOT_FINITE') },
    does: 'close failed TRAINING_FAILED:LOSS_NOT_FINITE charge',
  },
  'an adapter that did not move is a code of its own': {
    state: training,
    facts: { training: failed('ADAPTER_DID_NOT_MOVE') },
    does: 'close failed ADAPTER_DID_NOT_MOVE charge',
  },
  'a member stops it in any phase': {
    state: training,
    row: cancelled,
    facts: { training: running() },
    does: 'close stopped charge',
  },
  'a member stops one that waits for funds': {
    state: { phase: 'waiting_for_funds', pays: 'training', since: ago(0), funds: short(0) },
    row: cancelled,
    does: 'close stopped charge',
  },
  'with the loop off it ends before it trains': {
    state: inLine,
    facts: { loopOn: false, rowsThere: true },
    does: 'close not_tested ENV_GATED:SWITCHED_OFF marks back',
  },
  'with the loop off it ends before its first second of training': {
    state: training,
    facts: { loopOn: false, training: { state: 'idle', progress: progress({ seconds: 0 }) } },
    does: 'close not_tested ENV_GATED:SWITCHED_OFF marks back',
  },
  'with the loop off what had begun to train goes on': {
    state: training,
    facts: { loopOn: false, training: idle },
    does: 'start-training',
  },
  'a step that fails is tried again': {
    state: {
      phase: 'preparing',
      failing: { effect: 'write-rows', since: ago(hour), tries: 9, holds: false },
    },
    does: 'write-rows',
  },
  'a step that fails for six hours ends it': {
    state: {
      phase: 'preparing',
      failing: { effect: 'write-rows', since: ago(6 * hour), tries: 9, holds: false },
    },
    does: 'close not_tested STEP_STALLED:WRITE_ROWS marks back',
  },
  'closing: a training is stopped first': {
    state: { ...training, closing },
    facts: { training: running(), trainingFunds: 'open', rowsThere: true },
    does: 'stop-training',
  },
  'closing: then its curve is kept': {
    state: { ...training, closing },
    facts: { training: succeeded, trainingFunds: 'open' },
    does: 'keep-curve',
  },
  'closing: then it is charged': {
    state: { ...training, closing },
    facts: { training: succeeded, trainingFunds: 'open', curveKept: true },
    does: 'charge-training',
  },
  'closing: then compute forgets it': {
    state: { ...training, closing },
    facts: { training: succeeded, trainingFunds: 'ended', curveKept: true },
    does: 'forget-training',
  },
  'closing: rows that no training took are removed': {
    state: { ...inLine, closing },
    facts: { trainingFunds: 'ended', rowsThere: true },
    does: 'remove-rows',
  },
  'closing: what was left out is not tried again': {
    state: { ...training, closing: { ...closing, skipped: ['remove-rows'] } },
    facts: { rowsThere: true, serving: 'incomplete' },
    does: 'end-serving',
  },
  'closing: samples that are to be new again are so first': {
    state: { ...preparing, closing: ending('not_tested', 'so', { marks_back: true }) },
    does: 'take-marks-back',
  },
  'closing: what it learned is marked before it is live': {
    state: { phase: 'promoting', model: 'open', closing: ending('became_version', 'so') },
    facts: { serving: 'serving' },
    does: 'mark-learned',
  },
  'closing: a member may stop it then': {
    state: { phase: 'promoting', model: 'open', closing: ending('became_version', 'so') },
    row: cancelled,
    does: 'close stopped charge',
  },
  'closing: once it is marked': {
    state: {
      phase: 'promoting',
      model: 'open',
      closing: { ...ending('became_version', 'so'), marks_learned: true },
    },
    does: 'end became_version',
  },
  'closing: then it has ended': { state: { ...preparing, closing }, does: 'end stopped' },
}

for (const [name, { state, row, facts, does }] of Object.entries(moves)) {
  test(name, () => {
    const attempt = {
      train_rows: null,
      holdout_rows: null,
      adapter: null,
      cancelled_at: null,
      cancelled_by: null,
      decide_by: null,
      approved_by: null,
      ...(state.phase === 'preparing' || 'during' in state ? {} : enough),
      ...row,
      state,
    } as AttemptRow
    assert.equal(shownStep(stepWith(attempt, facts ?? {}, now), now), does)
  })
}

const failing = (effect: FailingName, since = 6 * hour): Partial<AttemptState> => ({
  failing: { effect, since: ago(since), tries: 9, holds: false },
})
const goesLive = ending('became_version', 'so')
const marksBack = ending('not_tested', 'so', { marks_back: true })

for (const [name, state, row, does] of [
  [
    'what can be decided needs no facts where a member stopped it',
    training,
    cancelled,
    'close stopped charge',
  ],
  [
    'and so does what goes live',
    { ...training, closing: goesLive },
    cancelled,
    'close stopped charge',
  ],
  ['nothing is decided without facts otherwise', training, {}, null],
  ['facts that fail are tried again', { ...training, ...failing('gather-facts', hour) }, {}, null],
  [
    'facts that fail for six hours end it',
    { ...training, ...failing('gather-facts') },
    {},
    'close not_tested STEP_STALLED:GATHER_FACTS marks back',
  ],
  [
    'closing: facts that fail for six hours',
    { ...training, closing, ...failing('gather-facts') },
    cancelled,
    'end stopped',
  ],
  [
    'closing: an end that fails is written without what it takes back',
    { ...training, closing: marksBack, ...failing('write-attempt') },
    {},
    'end not_tested',
  ],
  [
    'closing: going live is tried again',
    { ...training, closing: goesLive, ...failing('write-attempt') },
    {},
    null,
  ],
  [
    'closing: an effect that fails is tried again',
    { ...training, closing, ...failing('charge-test', hour) },
    {},
    null,
  ],
  [
    'closing: an effect that fails for six hours is left out',
    { ...training, closing, ...failing('remove-rows') },
    {},
    'close stopped charge without remove-rows',
  ],
  [
    'closing: what is charged is never left out',
    { ...training, closing, ...failing('charge-test') },
    {},
    null,
  ],
] as [string, AttemptState, Partial<AttemptRow>, string | null][]) {
  test(`before facts: ${name}`, () => {
    const open = { adapter: null, cancelled_at: null, decide_by: null }
    const attempt = { ...open, ...row, state } as AttemptRow
    const step = stepBeforeFacts(attempt, now)
    assert.equal(step && shownStep(step, now), does)
  })
}
