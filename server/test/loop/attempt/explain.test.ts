// What an attempt says of itself, in each phase and for each way to end.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attemptPhases, attemptResults, type Explanation } from '#contract/attempt.ts'
import type { TestPlan } from '#server/loop/test/tested-attempt.ts'
import { heldBackVerdict } from '#server/loop/test/verdict/held-back-verdict.ts'
import { passRates } from '#server/loop/test/verdict/pass-rates.ts'
import { type OutcomeCounts, testedSamples } from '#test/support/tested-samples.ts'
import { explain, type Explained, type ExplainFacts } from '#server/loop/attempt/explain.ts'

const begun: Explained = {
  attempt_no: 3,
  result: 'running',
  phase: 'training',
  isEnding: false,
  isAway: false,
  isStalled: false,
  canTestAgain: false,
  error_code: null,
  detail: null,
  decision: null,
  decide_by: null,
  approved_by: null,
  cancelled_at: null,
  cancelled_by: null,
  train_rows: 1100,
  holdout_rows: 100,
  adapter: null,
  test: null,
  verdict: null,
  candidate_pass_rate: null,
  incumbent_pass_rate: null,
}
const nothing: ExplainFacts = { queued: 0, step: null, asked: null, charged: 0n }
const now = new Date('2026-03-02T03:30:00Z')
const ended = (result: Explained['result'], error_code: string | null = null) =>
  ({ phase: 'ended', result, error_code }) as const
const failed = (code: string, detail: string | null = null) => ({
  ...ended('failed', code),
  detail,
})

const plan: TestPlan = {
  candidate: 'candidate',
  live: 'live',
  compared_with: null,
  judge: 'hone/judge-basic',
  rubric: null,
  asked: 100,
  missing: 0,
  left_out: 0,
  limited_by: 'attempt',
  most: '1000',
}
function tested(counts: OutcomeCounts): Partial<Explained> {
  const samples = testedSamples(counts)
  const rates = passRates(samples)
  return {
    adapter: 'hash',
    test: plan,
    verdict: heldBackVerdict(samples, { testNo: 1 }),
    candidate_pass_rate: rates?.candidate ?? null,
    incumbent_pass_rate: rates?.live ?? null,
  }
}
const narrow = tested({ wins: 40, losses: 5, bothRight: 945, bothWrong: 10 })
const unjudged = tested({ wins: 40, unscored: 60 })
const better = tested({ wins: 50, losses: 10, bothRight: 40 })
const equal = tested({ wins: 25, losses: 25, bothRight: 25, bothWrong: 25 })

type Case = [
  attempt: Partial<Explained>,
  headline: string,
  detail: RegExp,
  next: RegExp | null,
  facts?: Partial<ExplainFacts>,
]

const again = /^Its samples go to the next attempt\. Press train now/
const charged = { charged: 120_000_000_000n }

const cases: Case[] = [
  [
    { phase: 'preparing', train_rows: null, holdout_rows: null },
    'selects its samples',
    /holds some back/,
    /starts once they are ready/,
  ],
  [
    { phase: 'waiting_for_funds' },
    'waits for funds',
    /does not hold enough/,
    /Add funds;.*24 hours/,
  ],
  [
    { phase: 'waiting_for_gpu' },
    'waits for its machine',
    /^Another training comes first; waiting costs nothing\.$/,
    /by itself/,
    { queued: 1 },
  ],
  [
    { phase: 'waiting_for_gpu' },
    'waits for its machine',
    /^2 other trainings come first/,
    /by itself/,
    { queued: 2 },
  ],
  [
    { phase: 'waiting_for_storage', train_rows: null },
    'waits for your storage',
    /^Samples in your own storage cannot be read/,
    /goes on by itself .* After one hour it leaves out those .* ends if none can/,
  ],
  [
    { ...ended('not_tested'), detail: 'Your storage was away.' },
    'ended before its test',
    /^Your storage was away\. Nothing was charged\.$/,
    /^Its samples go to the next attempt\.$/,
  ],
  [
    { phase: 'waiting_for_room', adapter: 'hash', test: plan },
    'waits for a free deployment',
    /runs as many deployments as it may/,
    /^Stop a deployment with POST .*\/stop, or wait .* within a minute\.$/,
  ],
  [{}, 'is training', /^It trains on 1,100 samples with 100 held back for the test\.$/, /result/],
  [{}, 'is training', /, and is at step 40 of 1,035\.$/, /result/, { step: { at: 40, of: 1035 } }],
  [
    { phase: 'waiting_for_funds', adapter: 'hash' },
    'waits for funds',
    /enough for the whole test\.$/,
    /Add funds;/,
  ],
  [
    { phase: 'answering', test: plan },
    'answers the held-back samples',
    /^The new model and the base model answer .*: 40 of 200 are done\.$/,
    /by itself/,
    { asked: { done: 40, of: 200 } },
  ],
  [
    { phase: 'answering', test: { ...plan, compared_with: 2 } },
    'answers the held-back samples',
    /^The new model and version 2 answer/,
    /by itself/,
  ],
  [
    { phase: 'scoring', test: plan },
    'is being scored',
    /^The judge hone\/judge-basic reads .*: 7 of 400 are done\.$/,
    /by itself/,
    { asked: { done: 7, of: 400 } },
  ],
  [{ phase: 'scoring', test: plan, isAway: true }, 'is being scored', /reads/, /tried for ten min/],
  [
    { ...ended('became_version'), ...better },
    'went live',
    /answers with what it trained\. It passed 90% of 100 samples, and the base model 50%\./,
    null,
  ],
  [
    { ...ended('not_better'), ...equal },
    'was not better than the base model',
    /^It passed 50% of 100 samples.* Nothing changes for callers\. Nothing was charged\.$/,
    /samples go/,
  ],
  [
    { ...ended('not_better'), ...narrow },
    'was not better than the base model',
    /^It passed the held-back test; the pipeline's promotion policy asks for more/,
    /samples go/,
  ],
  [
    { ...ended('became_version'), ...equal },
    'went live',
    /with what it trained\. It did not pass the held-back test; the pipeline's promotion policy is met/,
    null,
  ],
  [
    { ...ended('inconclusive'), ...unjudged },
    'could not be decided by its test',
    /Left out: the judge did not answer \(60\)\. It cost 0\.0669 USD\.$/,
    /^It does not go live by itself\. Look after the judge.* press train now to train and test again\.$/,
    { charged: 66_933_333_333n },
  ],
  [
    { ...ended('inconclusive'), ...unjudged, decide_by: now },
    'could not be decided by its test',
    /Left out: the judge did not answer \(60\)/,
    /^It does not go live by itself: approve it with force or reject it within 14 days\. Look after/,
  ],
  [
    { ...ended('inconclusive'), ...unjudged, decide_by: now, canTestAgain: true },
    'could not be decided by its test',
    /Left out: the judge did not answer \(60\)/,
    /within 14 days\. Once the judge can be asked, have it tested again with retest, which trains nothing; or press train now/,
  ],
  [
    { ...ended('became_version'), ...narrow, approved_by: 'a' },
    'was approved and went live',
    /with what it trained\. It passed/,
    null,
  ],
  [
    { ...ended('stopped'), ...better, decision: 'rejected' },
    'was rejected',
    /^A member rejected it\. Nothing changes for callers\./,
    /samples go/,
  ],
  [
    { ...ended('waiting_for_review'), ...better },
    'was better than the base model and waits for your review',
    /^It passed 90%/,
    /within 14 days/,
  ],
  [
    { ...ended('inconclusive'), detail: 'The scoring key was deleted.' },
    'could not be decided by its test',
    /^The scoring key was deleted\. Nothing was charged\.$/,
    /press train now/i,
  ],
  [
    { ...ended('stopped'), detail: 'The funds for its test were missing for 24 hours.' },
    'was stopped',
    /^The funds for its test were missing/,
    /samples go/,
  ],
  [
    { phase: 'scoring', test: plan, isStalled: true },
    'has trained, and its test cannot go on at the moment',
    /neither repeated nor charged again/,
    /tried again by itself/,
  ],
  [{ isEnding: true }, 'is ending', /written down/, /by itself/],
  [{ cancelled_at: now, cancelled_by: 'a' }, 'is being stopped', /only the GPU time/, /samples go/],
  [
    { ...ended('not_tested'), adapter: 'hash' },
    'has trained and was not tested',
    /^What it trained was not compared with the live model\. It cost 0\.12 USD\.$/,
    /samples go/,
    charged,
  ],
  [
    ended('not_tested', 'NOT_ENOUGH_SAMPLES'),
    'ended because there were not enough samples',
    /^Fewer samples could be trained on.* Nothing was charged\.$/,
    /dry run/,
  ],
  [failed('TRAINING_FAILED:BAD_SETTINGS'), 'failed', /settings are outside/, again],
  [failed('TRAINING_FAILED:NO_ROWS'), 'failed', /^No sample could be trained on/, again],
  [failed('TRAINING_FAILED:ROWS_UNREADABLE'), 'failed', /could not be read back/, again],
  [failed('TRAINING_FAILED:MODEL_UNREADABLE'), 'failed', /base model could not be read/, again],
  [failed('TRAINING_FAILED:BASE_CHANGED'), 'failed', /not those.* saved with/, again],
  [
    failed('TRAINING_FAILED:LOSS_NOT_FINITE', 'The loss of step 7 is NaN.'),
    'failed',
    /diverged; a smaller learning_rate.*The trainer says: The loss of step 7 is NaN\. It cost 0\.12 USD\.$/,
    again,
    charged,
  ],
  [failed('TRAINING_FAILED:TRAINER_CRASHED'), 'failed', /process ended again and again/, again],
  [failed('TRAINING_FAILED:MERGED_EXPORT_FAILED'), 'failed', /merged model could not be/, again],
  [failed('TRAINING_FAILED:SOMETHING_NEW'), 'failed', /^The training broke off\./, again],
  [failed('ADAPTER_DID_NOT_MOVE'), 'failed', /changed nothing; a larger learning_rate/, again],
  [failed('NO_MERGED_EXPORT'), 'failed', /^It ended with the code NO_MERGED_EXPORT\./, again],
  [
    { ...ended('stopped'), cancelled_at: now, cancelled_by: 'a' },
    'was stopped',
    /^A member stopped it\. It cost 0\.12 USD\.$/,
    again,
    charged,
  ],
  [{ ...ended('stopped'), cancelled_at: now }, 'was stopped', /^Its pipeline was deleted\./, null],
  [ended('stopped'), 'was stopped', /^A limit stopped it/, /samples go/],
  [
    ended('stopped', 'INSUFFICIENT_FUNDS:NOT_STARTED'),
    'was stopped because the wallet held too little',
    /missing for 24 hours\. Nothing was charged\.$/,
    /add funds and save it with enabled true/,
  ],
  [
    ended('not_tested', 'ENV_GATED:SWITCHED_OFF'),
    'ended because the improvement loop was switched off',
    /before the training began\. Nothing was charged\.$/,
    /by itself when the loop is back/,
  ],
  [
    ended('not_tested', 'STEP_STALLED:TRAINING_SERVICE_BEHIND'),
    'could not go on',
    /for six hours\. Nothing was charged/,
    /starts again by itself/,
  ],
  [
    ended('not_tested', 'TRAINING_SERVICE_BEHIND'),
    'could not begin its training',
    /being updated/,
    /starts again by itself/,
  ],
  [
    { ...ended('not_tested', 'NOT_ENOUGH_SAMPLES'), detail: 'Only 990 could be trained on.' },
    'ended because there were not enough samples',
    /^Only 990 could be trained on\. Nothing was charged\.$/,
    /dry run/,
  ],
  [
    { ...ended('not_tested', 'TEST_NOT_AFFORDABLE'), detail: 'A test costs 30 USD.' },
    'ended before its training because its test cannot be paid for',
    /^A test costs 30 USD\. Nothing was charged\.$/,
    /samples go/,
  ],
  [ended('not_tested', 'CHAIN_MOVED'), 'was set aside', /rolled back/, /samples go/],
  [
    { ...ended('not_tested', 'COMPARISON_NO_GPUS'), adapter: 'hash' },
    'has trained and was not tested',
    /^It ended with the code COMPARISON_NO_GPUS\./,
    /samples go/,
  ],
]

for (const [attempt, headline, detail, next, facts] of cases) {
  const what = attempt.error_code ?? attempt.phase ?? 'training'
  test(`${what}: ${headline}`, () => {
    const said = explain({ ...begun, ...attempt }, { ...nothing, ...facts })
    assert.equal(said.headline, `Attempt 3 ${headline}.`)
    assert.match(said.detail, detail)
    if (next === null) assert.equal(said.next, null)
    else assert.match(said.next ?? '', next)
  })
}

test('every phase and every result is told in whole sentences', () => {
  const all: Explanation[] = [
    ...attemptPhases.map((phase) => explain({ ...begun, phase }, nothing)),
    ...attemptResults.map((result) => explain({ ...begun, phase: 'ended', result }, nothing)),
  ]
  for (const { headline, detail, next } of all) {
    for (const text of [headline, detail, ...(next === null ? [] : [next])]) {
      assert.match(text, /^[A-Z0-9].*[a-zA-Z0-9]\.$/)
    }
  }
})
