// The table of moves of an attempt that has trained: its test, what follows from the verdict, and going live.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Verdict } from '#contract/verdict.ts'
import type { AttemptRow, AttemptState } from '#server/loop/attempt/attempt.ts'
import { ending } from '#server/loop/attempt/ending.ts'
import type { Facts } from '#server/loop/attempt/step.ts'
import type { TestPlan } from '#server/loop/test/tested-attempt.ts'
import { shownStep, stepWith } from '#test/support/attempt-steps.ts'

const now = new Date('2026-03-01T12:00:00Z')
const ago = (ms: number): string => new Date(now.getTime() - ms).toISOString()
const minute = 60_000
const hour = 60 * minute

const plan: TestPlan = {
  candidate: 'candidate',
  live: 'hone/hone-mini',
  compared_with: null,
  judge: 'hone/judge-basic',
  rubric: null,
  asked: 100,
  missing: 0,
  left_out: 0,
  limited_by: 'attempt',
  most: '1000',
}
const verdict = (outcome: Verdict['outcome'], gain = 0.2) =>
  ({ outcome, gain, wins: 60, losses: 20, score: 0.7, live_score: 0.5 }) as Verdict
const reserved = { asked_at: ago(0), missing: '0' }
const short = { asked_at: ago(0), missing: '7' }
const unreadable = (triedAgo: number, count = 3, sinceAgo = triedAgo) => ({
  since: ago(sinceAgo),
  tried_at: ago(triedAgo),
  count,
})
const live = { ...ending('became_version', 'so'), marks_learned: true }
const cancelled = { cancelled_at: now, cancelled_by: 'someone' }
const manual = { promotion: { policy: 'manual', k: null } } as const

type Case = {
  state: AttemptState
  row?: Partial<AttemptRow>
  facts?: Partial<Facts>
  does: string
}

const starting: AttemptState = { phase: 'starting_machine' }
const paid: AttemptState = { phase: 'starting_machine', funds: reserved }
const planned = { test: plan }
const ended = { training: { state: 'ended' } } as unknown as Partial<Facts>

const moves: Record<string, Case> = {
  'compute forgets what was trained': { state: starting, facts: ended, does: 'forget-training' },
  'its rows are removed': { state: starting, facts: { rowsThere: true }, does: 'remove-rows' },
  'then its test is fixed': { state: starting, does: 'plan-test' },
  'samples in a storage that does not answer are waited for': {
    state: { ...starting, unreadable: unreadable(0) },
    does: 'to waiting_for_storage',
  },
  'the storage is tried once a minute': {
    state: {
      phase: 'waiting_for_storage',
      during: 'starting_machine',
      unreadable: unreadable(20_000),
    },
    does: 'wait 40 s',
  },
  'and then again': {
    state: {
      phase: 'waiting_for_storage',
      during: 'starting_machine',
      unreadable: unreadable(minute),
    },
    does: 'plan-test',
  },
  'what could be read after all is tested': {
    state: {
      phase: 'waiting_for_storage',
      during: 'starting_machine',
      unreadable: unreadable(minute),
    },
    row: planned,
    does: 'to starting_machine',
  },
  'a storage that fails while models answer is waited for': {
    state: { phase: 'answering', unreadable: unreadable(0) },
    row: planned,
    facts: { unanswered: true },
    does: 'to waiting_for_storage',
  },
  'and while the judge reads': {
    state: { phase: 'scoring', unreadable: unreadable(0) },
    row: planned,
    facts: { unread: true },
    does: 'to waiting_for_storage',
  },
  'it is tried by asking the models': {
    state: { phase: 'waiting_for_storage', unreadable: unreadable(minute), during: 'answering' },
    row: planned,
    does: 'answer',
  },
  'or the judge': {
    state: { phase: 'waiting_for_storage', unreadable: unreadable(minute), during: 'scoring' },
    row: planned,
    does: 'read',
  },
  'once it can be read, the models go on': {
    state: { phase: 'waiting_for_storage', unreadable: unreadable(0, 0), during: 'answering' },
    row: planned,
    does: 'to answering',
  },
  'and the judge': {
    state: { phase: 'waiting_for_storage', unreadable: unreadable(0, 0), during: 'scoring' },
    row: planned,
    does: 'to scoring',
  },
  'what is left out after an hour keeps no model waiting': {
    state: { phase: 'answering', unreadable: unreadable(0, 0, hour) },
    row: planned,
    facts: { unanswered: true },
    does: 'answer',
  },
  'after three hours of a machine that has a price it is stopped': {
    state: { phase: 'answering' },
    row: planned,
    facts: { unanswered: true, pricedSince: new Date(ago(3 * hour)) },
    does: 'close stopped charge',
  },
  'also while its machine starts': {
    state: paid,
    row: planned,
    facts: { serving: 'starting', pricedSince: new Date(ago(3 * hour)) },
    does: 'close stopped charge',
  },
  'and while a storage is waited for': {
    state: { phase: 'waiting_for_storage', unreadable: unreadable(minute), during: 'scoring' },
    row: planned,
    facts: { pricedSince: new Date(ago(3 * hour)) },
    does: 'close stopped charge',
  },
  'until just before that it goes on': {
    state: { phase: 'scoring' },
    row: planned,
    facts: { unread: true, pricedSince: new Date(ago(3 * hour - 1)) },
    does: 'read',
  },
  'what is only to be decided needs no machine': {
    state: { phase: 'deciding' },
    row: planned,
    facts: { pricedSince: new Date(ago(4 * hour)) },
    does: 'decide',
  },
  'with 89 samples nothing is compared': {
    state: starting,
    row: { test: { ...plan, asked: 89, missing: 11 } },
    does: 'close inconclusive waits',
  },
  'with 90 it is reserved for': {
    state: starting,
    row: { test: { ...plan, asked: 90, missing: 10 } },
    does: 'reserve-test',
  },
  'a wallet that is short is waited for': {
    state: { ...starting, funds: short },
    row: planned,
    does: 'to waiting_for_funds',
  },
  'the wallet is asked for the test': {
    state: {
      phase: 'waiting_for_funds',
      since: ago(hour),
      funds: { ...short, asked_at: ago(hour) },
      pays: 'test',
    },
    row: planned,
    does: 'reserve-test',
  },
  'funds that came let it go on': {
    state: { phase: 'waiting_for_funds', since: ago(hour), funds: reserved, pays: 'test' },
    row: planned,
    does: 'to starting_machine',
  },
  'a day without funds for the test stops it and pauses the pipeline': {
    state: { phase: 'waiting_for_funds', since: ago(24 * hour), funds: short, pays: 'test' },
    row: planned,
    does: 'close stopped pause charge',
  },
  'its model is served': { state: paid, row: planned, does: 'serve-test' },
  'a workspace at its limit of deployments is waited for': {
    state: paid,
    row: planned,
    facts: { belowLimit: false },
    does: 'to waiting_for_room',
  },
  'what is served already does not wait': {
    state: paid,
    row: planned,
    facts: { belowLimit: false, serving: 'serving' },
    does: 'to answering',
  },
  'deployments are counted once a minute': {
    state: { phase: 'waiting_for_room', funds: reserved },
    row: planned,
    facts: { belowLimit: false },
    does: 'wait 60 s',
  },
  'once one is stopped it goes on': {
    state: { phase: 'waiting_for_room', funds: reserved },
    row: planned,
    does: 'to starting_machine',
  },
  'a member stops it while it waits for room': {
    state: { phase: 'waiting_for_room', funds: reserved },
    row: { ...planned, ...cancelled },
    facts: { belowLimit: false },
    does: 'close stopped charge',
  },
  'a scoring key that is lost ends it while it waits for room': {
    state: { phase: 'waiting_for_room', funds: reserved },
    row: planned,
    facts: { canScore: false, belowLimit: false },
    does: 'close inconclusive waits',
  },
  'with the loop off it goes on waiting for room': {
    state: { phase: 'waiting_for_room', funds: reserved },
    row: planned,
    facts: { loopOn: false, belowLimit: false },
    does: 'wait 60 s',
  },
  'half of what it is tested with is served again': {
    state: paid,
    row: planned,
    facts: { serving: 'incomplete' },
    does: 'serve-test',
  },
  'a machine that starts is waited for': {
    state: paid,
    row: planned,
    facts: { serving: 'starting' },
    does: 'wait 1 s',
  },
  'what can be called answers': {
    state: paid,
    row: planned,
    facts: { serving: 'serving' },
    does: 'to answering',
  },
  'what is not answered is asked': {
    state: { phase: 'answering' },
    row: planned,
    facts: { unanswered: true },
    does: 'answer',
  },
  'what fails for six hours is tried again, because its training is paid for': {
    state: {
      phase: 'answering',
      failing: { effect: 'answer', since: ago(6 * hour), tries: 9, holds: false },
    },
    row: planned,
    facts: { unanswered: true },
    does: 'answer',
  },
  'and so are facts that could not be had': {
    state: {
      phase: 'answering',
      failing: { effect: 'gather-facts', since: ago(6 * hour), tries: 9, holds: false },
    },
    row: planned,
    facts: { unanswered: true },
    does: 'answer',
  },
  'until a member stops it': {
    state: {
      phase: 'answering',
      failing: { effect: 'answer', since: ago(6 * hour), tries: 9, holds: false },
    },
    row: { ...planned, ...cancelled },
    does: 'close stopped charge',
  },
  'servers that take no calls are tried every few seconds': {
    state: { phase: 'answering', away: { since: ago(minute), tried_at: ago(1000) } },
    row: planned,
    facts: { unanswered: true },
    does: 'wait 4 s',
  },
  'and asked when the time has come': {
    state: { phase: 'scoring', away: { since: ago(minute), tried_at: ago(5000) } },
    row: planned,
    facts: { unread: true },
    does: 'read',
  },
  'after ten minutes they are waited for no longer': {
    state: { phase: 'scoring', away: { since: ago(10 * minute), tried_at: ago(0) } },
    row: planned,
    facts: { unread: true },
    does: 'read',
  },
  'then the judge reads': { state: { phase: 'answering' }, row: planned, does: 'to scoring' },
  'what is not read is asked': {
    state: { phase: 'scoring' },
    row: planned,
    facts: { unread: true },
    does: 'read',
  },
  'then it is decided': { state: { phase: 'scoring' }, row: planned, does: 'to deciding' },
  'a scoring key that is lost ends the test at once': {
    state: { phase: 'answering' },
    row: planned,
    facts: { canScore: false, unanswered: true },
    does: 'close inconclusive waits',
  },
  'once all is read the key is not needed': {
    state: { phase: 'deciding' },
    row: planned,
    facts: { canScore: false },
    does: 'decide',
  },
  'a better one goes live': {
    state: { phase: 'deciding' },
    row: { ...planned, verdict: verdict('better') },
    does: 'to promoting',
  },
  'one that is not better is turned down': {
    state: { phase: 'deciding' },
    row: { ...planned, verdict: verdict('not_better') },
    does: 'close not_better auto_rejected',
  },
  'one that could not be decided waits': {
    state: { phase: 'deciding' },
    row: { ...planned, verdict: verdict('inconclusive') },
    does: 'close inconclusive waits',
  },
  'under manual a better one waits for review': {
    state: { phase: 'deciding' },
    row: { ...planned, verdict: verdict('better') },
    facts: manual,
    does: 'close waiting_for_review waits',
  },
  'under manual one that is not better waits for review too': {
    state: { phase: 'deciding' },
    row: { ...planned, verdict: verdict('not_better') },
    facts: manual,
    does: 'close waiting_for_review waits',
  },
  'under manual one that could not be decided stays so': {
    state: { phase: 'deciding' },
    row: { ...planned, verdict: verdict('inconclusive') },
    facts: manual,
    does: 'close inconclusive waits',
  },
  'under weighted a small gain is not enough': {
    state: { phase: 'deciding' },
    row: { ...planned, verdict: verdict('better', 0.04) },
    facts: { promotion: { policy: 'weighted', k: null } },
    does: 'close not_better auto_rejected',
  },
  'its model is made ready first': {
    state: { phase: 'promoting', model: 'closed' },
    does: 'make-ready',
  },
  'then it goes live': {
    state: { phase: 'promoting', model: 'open' },
    does: 'close became_version',
  },
  'what a member approved goes live in the same way': {
    state: { phase: 'promoting', model: 'open' },
    row: { approved_by: 'someone' },
    does: 'close became_version',
  },
  'and has learned what it used before that': {
    state: { phase: 'promoting', model: 'open', closing: ending('became_version', 'so') },
    row: { approved_by: 'someone' },
    facts: { testFunds: 'ended' },
    does: 'mark-learned',
  },
  'what could not be decided waits for a member': {
    state: { phase: 'ended' },
    row: { result: 'inconclusive', decide_by: new Date(now.getTime() + minute) },
    does: 'wait 60 s',
  },
  'and so does what waits for a review': {
    state: { phase: 'ended' },
    row: { result: 'waiting_for_review', decide_by: new Date(now.getTime() + 1) },
    does: 'wait 0.001 s',
  },
  'what no member decided on in time is closed': {
    state: { phase: 'ended' },
    row: { result: 'waiting_for_review', decide_by: now },
    does: 'end stopped expired',
  },
  'until then a member stops it': {
    state: { phase: 'promoting', model: 'open', closing: live },
    row: cancelled,
    facts: { testFunds: 'open' },
    does: 'close stopped charge',
  },
  'a member stops its test': {
    state: { phase: 'scoring' },
    row: { ...planned, ...cancelled },
    does: 'close stopped charge',
  },
  'with the loop off a test goes on': {
    state: { phase: 'answering' },
    row: planned,
    facts: { loopOn: false, unanswered: true },
    does: 'answer',
  },
  'closing: the test is charged': {
    state: { phase: 'promoting', model: 'open', closing: live },
    facts: { testFunds: 'open', serving: 'serving' },
    does: 'charge-test',
  },
  'closing: its deployments are ended': {
    state: { phase: 'promoting', model: 'open', closing: live },
    facts: { testFunds: 'ended', serving: 'serving' },
    does: 'end-serving',
  },
  'closing: then it has ended': {
    state: { phase: 'promoting', model: 'open', closing: live },
    facts: { testFunds: 'ended' },
    does: 'end became_version',
  },
}

for (const [name, { state, row, facts, does }] of Object.entries(moves)) {
  test(name, () => {
    const attempt = {
      train_rows: 1000,
      holdout_rows: 100,
      adapter: 'hash',
      test: null,
      verdict: null,
      cancelled_at: null,
      cancelled_by: null,
      decide_by: null,
      approved_by: null,
      ...row,
      state,
    } as AttemptRow
    const known = { trainingFunds: 'ended', curveKept: true, ...facts } as const
    assert.equal(shownStep(stepWith(attempt, known, now), now), does)
  })
}

for (const [change, says] of [
  [{ missing: 1 }, /^Only 89 held-back samples were there .*, because 1 was deleted or could not/],
  [{ left_out: 9, limited_by: 'attempt' }, /^Only 89 .* with the money that a test may cost\.$/],
  [
    { left_out: 9, missing: 2, limited_by: 'month' },
    /^Only 89 .* with what the tests of this pipeline may still cost this month, and 2 were deleted/,
  ],
] as [Partial<TestPlan>, RegExp][]) {
  test(`too few are left: ${says}`, () => {
    const attempt = { state: starting, test: { ...plan, asked: 89, ...change } } as AttemptRow
    const step = stepWith({ ...attempt, cancelled_at: null, decide_by: null }, {}, now)
    assert.match('close' in step ? (step.close.detail ?? '') : '', says)
  })
}
