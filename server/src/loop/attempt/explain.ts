// An attempt in sentences for the people who read it: where it stands, or how it ended, and what comes next. Pure.
import type { AttemptPhase, Explanation } from '#contract/attempt.ts'
import { reviewDays } from '#contract/limits.ts'
import type { UnscoredReason, Verdict, VerdictOutcome } from '#contract/verdict.ts'
import type { TrainingFailure } from '../../compute/compute.ts'
import { grouped } from '../../lib/grouped.ts'
import { type Picodollars, readableUsd } from '../../lib/money.ts'
import { explainVerdict, type VerdictSentences } from '../test/verdict/explain-verdict.ts'
import type { AttemptRow } from './attempt.ts'

export type Explained = Pick<
  AttemptRow,
  | 'attempt_no'
  | 'result'
  | 'error_code'
  | 'detail'
  | 'decision'
  | 'decide_by'
  | 'approved_by'
  | 'cancelled_at'
  | 'cancelled_by'
  | 'train_rows'
  | 'holdout_rows'
  | 'adapter'
  | 'verdict'
  | 'candidate_pass_rate'
  | 'incumbent_pass_rate'
  | 'test'
> & {
  phase: AttemptPhase
  /** Its test can be run again for what is missing. */
  canTestAgain: boolean
  /** How it ends is decided, and what it leaves behind is being tidied. */
  isEnding: boolean
  /** A step of its test has not succeeded for six hours, and is tried again. */
  isStalled: boolean
  /** Servers of a model or the judge take no calls, and are tried again. */
  isAway: boolean
}

export type ExplainFacts = {
  /** Trainings that come first on its machine. */
  queued: number
  /** Null until the training has begun. */
  step: { at: number; of: number } | null
  /** Answers or readings of its test, while they are asked for. */
  asked: { done: number; of: number } | null
  /** For all its work so far. */
  charged: Picodollars
}

/** The headline goes on after the attempt's name. */
type Sentences = { headline: string; detail: string; next: string | null }

export function explain(attempt: Explained, facts: ExplainFacts): Explanation {
  const isRunning = attempt.result === 'running'
  const said = isRunning ? whileItRuns(attempt, facts) : onceItEnded(attempt)
  return {
    headline: `Attempt ${attempt.attempt_no} ${said.headline}.`,
    detail: isRunning ? said.detail : `${said.detail} ${costSentence(facts.charged)}`,
    next: said.next,
  }
}

function costSentence(charged: Picodollars): string {
  return charged === 0n ? 'Nothing was charged.' : `It cost ${readableUsd(charged)} USD.`
}

function whileItRuns(attempt: Explained, facts: ExplainFacts): Sentences {
  if (attempt.cancelled_at !== null) {
    return {
      headline: 'is being stopped',
      detail: 'Its training ends within seconds, and only the GPU time used is charged.',
      next: samplesGoOn,
    }
  }
  if (attempt.isStalled && !attempt.isEnding) return stalledTest
  const phase = attempt.isEnding ? 'ended' : attempt.phase
  return phaseSentences[phase](attempt, facts)
}

const stalledTest: Sentences = {
  headline: 'has trained, and its test cannot go on at the moment',
  detail:
    'One of the steps of its test has not succeeded for six hours. Its training is neither repeated nor charged again.',
  next: 'It is tried again by itself, after an hour at first and once a day in the end. Stop it to let another attempt begin.',
}

const samplesGoOn = 'Its samples go to the next attempt.'
const pressTrainNow = `${samplesGoOn} Press train now to start it.`
const ownNext = 'The attempt goes on by itself.'
const awayNext =
  'Its servers take no calls at the moment. They are tried for ten minutes; then what is missing counts as not said.'

type InPhase = (attempt: Explained, facts: ExplainFacts) => Sentences
const fixed = (headline: string, detail: string, next: string | null = ownNext): InPhase => {
  return () => ({ headline, detail, next })
}

const phaseSentences: Record<AttemptPhase, InPhase> = {
  preparing: fixed(
    'selects its samples',
    'It reads the samples of the pipeline, holds some back for the test and prepares the others for training.',
    'The training starts once they are ready.',
  ),
  waiting_for_funds: ({ adapter }) => ({
    headline: 'waits for funds',
    detail: `The wallet does not hold enough for the whole ${adapter === null ? 'training' : 'test'}.`,
    next: 'Add funds; without them the attempt ends after 24 hours, and the pipeline is paused.',
  }),
  waiting_for_gpu: (_, { queued }) => ({
    headline: 'waits for its machine',
    detail: `${queued > 1 ? `${grouped(queued)} other trainings come` : 'Another training comes'} first; waiting costs nothing.`,
    next: 'The training starts by itself.',
  }),
  waiting_for_service: fixed(
    'waits for the training service',
    'The training service is being updated; waiting costs nothing.',
  ),
  waiting_for_room: fixed(
    'waits for a free deployment',
    'The workspace runs as many deployments as it may; waiting costs nothing.',
    'Stop a deployment with POST /api/deployments/{id}/stop, or wait until one is stopped; the test starts within a minute.',
  ),
  waiting_for_storage: ({ adapter }) => ({
    headline: 'waits for your storage',
    detail: `${adapter === null ? 'Samples' : 'Held-back samples'} in your own storage cannot be read at the moment.`,
    next:
      adapter === null
        ? 'It goes on by itself when they can be read. After one hour it leaves out those that cannot be read, and ends if none can.'
        : 'After one hour, those that still cannot be read are left out of the test.',
  }),
  training: (attempt, { step }) => ({
    headline: 'is training',
    detail: `It trains on ${rowsOf(attempt)}${step ? `, and is at step ${grouped(step.at)} of ${grouped(step.of)}` : ''}.`,
    next: 'Its result is known once the training has ended.',
  }),
  merging: fixed('is being merged', 'What it learned is written into one model.'),
  starting_machine: fixed('waits for its test', 'The machine that it is tested on is starting.'),
  answering: (attempt, { asked }) => ({
    headline: 'answers the held-back samples',
    detail: `The new model and ${liveName(attempt)} answer the samples that were held back${askedClause(asked)}.`,
    next: attempt.isAway ? awayNext : ownNext,
  }),
  scoring: (attempt, { asked }) => ({
    headline: 'is being scored',
    detail: `The judge ${attempt.test?.judge ?? ''} reads the answers of both models${askedClause(asked)}.`,
    next: attempt.isAway ? awayNext : ownNext,
  }),
  deciding: fixed('is being decided', 'Its scores are compared with those of the live model.'),
  promoting: fixed('goes live', 'Its model is being started for callers.'),
  ended: fixed('is ending', 'Its result is being written down.'),
}

function rowsOf({ train_rows, holdout_rows }: Explained): string {
  if (train_rows === null) return 'the samples that it selected'
  return `${grouped(train_rows)} samples with ${grouped(holdout_rows ?? 0)} held back for the test`
}

function askedClause(asked: ExplainFacts['asked']): string {
  return asked === null ? '' : `: ${grouped(asked.done)} of ${grouped(asked.of)} are done`
}

function liveName({ test }: Pick<Explained, 'test'>): string {
  const version = test?.compared_with ?? null
  return version === null ? 'the base model' : `version ${version}`
}

function onceItEnded(attempt: Explained): Sentences {
  return byCode(attempt) ?? byResult(attempt)
}

/** Null where no code says how it ended. */
function byCode(attempt: Explained): Sentences | null {
  const { error_code: code } = attempt
  if (code === null) return null
  const [kind = '', of = ''] = code.split(':')
  switch (kind) {
    case 'NOT_ENOUGH_SAMPLES':
      return {
        headline: 'ended because there were not enough samples',
        detail: attempt.detail ?? 'Fewer samples could be trained on than were counted.',
        next: `${samplesGoOn} A dry run says what is missing.`,
      }
    case 'TEST_NOT_AFFORDABLE':
      return {
        headline: 'ended before its training because its test cannot be paid for',
        detail: attempt.detail ?? 'The money that a test may cost is not enough.',
        next: samplesGoOn,
      }
    case 'INSUFFICIENT_FUNDS':
      return {
        headline: 'was stopped because the wallet held too little',
        detail: 'The funds for the whole training were missing for 24 hours.',
        next: 'The pipeline is paused; add funds and save it with enabled true.',
      }
    case 'ENV_GATED':
      return {
        headline: 'ended because the improvement loop was switched off',
        detail: 'The platform switched the loop off before the training began.',
        next: 'It starts again by itself when the loop is back.',
      }
    case 'TRAINING_SERVICE_BEHIND':
      return {
        headline: 'could not begin its training',
        detail: 'The training service was being updated.',
        next: 'It starts again by itself.',
      }
    case 'STEP_STALLED':
      return {
        headline: 'could not go on',
        detail: 'One of its steps did not succeed for six hours.',
        next: 'It starts again by itself.',
      }
    case 'CHAIN_MOVED':
      return {
        headline: 'was set aside',
        detail: 'The version that it was built on was rolled back while it trained.',
        next: samplesGoOn,
      }
    case 'TRAINING_FAILED':
      return failed(attempt, failureSentences[of as TrainingFailure] ?? 'The training broke off.')
    case 'ADAPTER_DID_NOT_MOVE':
      return failed(attempt, failureSentences.ADAPTER_DID_NOT_MOVE)
    default:
      return attempt.result === 'failed'
        ? failed(attempt, `It ended with the code ${code}.`)
        : { ...byResult(attempt), detail: `It ended with the code ${code}.` }
  }
}

function failed({ detail }: Explained, sentence: string): Sentences {
  return {
    headline: 'failed',
    detail: detail === null ? sentence : `${sentence} The trainer says: ${detail}`,
    next: pressTrainNow,
  }
}

const failureSentences: Record<TrainingFailure, string> & { MERGED_EXPORT_FAILED: string } = {
  BAD_SETTINGS: 'The training settings are outside what the trainer takes.',
  NO_ROWS: 'No sample could be trained on.',
  ROWS_UNREADABLE: 'The samples that were prepared for training could not be read back.',
  MODEL_UNREADABLE: 'The files of the base model could not be read.',
  BASE_CHANGED: 'The files of the base model are not those that the pipeline was saved with.',
  LOSS_NOT_FINITE: 'The training diverged; a smaller learning_rate may help.',
  ADAPTER_DID_NOT_MOVE: 'The training changed nothing; a larger learning_rate may help.',
  TRAINER_CRASHED: 'The training process ended again and again.',
  MERGED_EXPORT_FAILED: 'The merged model could not be saved.',
}

function byResult(attempt: Explained): Sentences {
  const tested = attempt.verdict && testSentences(attempt, attempt.verdict)
  switch (attempt.result) {
    case 'stopped':
      return stopped(attempt)
    case 'failed':
      return failed(attempt, 'It ended with an error.')
    case 'not_tested':
      return attempt.adapter === null
        ? {
            headline: 'ended before its test',
            detail: attempt.detail ?? 'It has no trained model to test.',
            next: samplesGoOn,
          }
        : {
            headline: 'has trained and was not tested',
            detail: attempt.detail ?? 'What it trained was not compared with the live model.',
            next: samplesGoOn,
          }
    case 'not_better':
      return {
        headline: tested?.headline ?? 'was not better than the live model',
        detail: `${tested?.detail ?? ''} Nothing changes for callers.`.trimStart(),
        next: samplesGoOn,
      }
    case 'inconclusive':
      return {
        headline: 'could not be decided by its test',
        detail: tested?.detail ?? attempt.detail ?? 'Too little could be scored.',
        next: undecidedNext(attempt),
      }
    case 'waiting_for_review':
      return {
        headline: `${tested?.headline ?? 'was tested'} and waits for your review`,
        detail: tested?.detail ?? 'It goes live only if a member approves it.',
        next: `Approve or reject it within ${reviewDays} days.`,
      }
    case 'became_version':
      return {
        headline: attempt.approved_by === null ? 'went live' : 'was approved and went live',
        detail:
          `The pipeline's model name answers with what it trained. ${tested?.detail ?? ''}`.trimEnd(),
        next: null,
      }
    case 'running':
      return phaseSentences.ended(attempt, nothingYet)
  }
}

const nothingYet: ExplainFacts = { queued: 0, step: null, asked: null, charged: 0n }

function testSentences(attempt: Explained, verdict: Verdict): VerdictSentences {
  const { candidate_pass_rate: candidate, incumbent_pass_rate: live, test } = attempt
  const rates = candidate === null || live === null ? null : { candidate, live }
  return explainVerdict(verdict, rates, {
    liveName: liveName(attempt),
    judge: test?.judge ?? '',
    missing: test?.missing ?? 0,
    leftOut: test?.left_out ?? 0,
    decided: decidedAs(attempt) ?? verdict.outcome,
  })
}

/** What the promotion policy said; null where a member decides. */
function decidedAs({ result, approved_by }: Explained): VerdictOutcome | null {
  if (result === 'became_version') return approved_by === null ? 'better' : null
  return result === 'not_better' || result === 'inconclusive' ? result : null
}

function undecidedNext({ verdict, decide_by, canTestAgain }: Explained): string {
  const [most] = verdict?.unscored ?? []
  const advice = most ? undecidedAdvice[most.reason] : 'Press'
  const again =
    'Once the judge can be asked, have it tested again with retest, which trains nothing; or press'
  const decide =
    decide_by === null ? '' : `: approve it with force or reject it within ${reviewDays} days`
  const first = canTestAgain ? again : advice
  return `It does not go live by itself${decide}. ${first} train now to train and test again.`
}

const undecidedAdvice: Record<UnscoredReason, string> = {
  judge_failed: 'Look after the judge, which did not answer, and once it does, press',
  unreadable: 'Name a judge_model whose verdicts can be read, and press',
  no_right_answer: 'Name a judge_model that can do without right answers, and press',
  live_no_answer: 'Once the live model answers, press',
}

function stopped({ cancelled_at, cancelled_by, decision, detail }: Explained): Sentences {
  if (decision === 'rejected') {
    const said = 'A member rejected it. Nothing changes for callers.'
    return { headline: 'was rejected', detail: said, next: samplesGoOn }
  }
  const headline = 'was stopped'
  if (cancelled_at === null) {
    return {
      headline,
      detail: detail ?? 'A limit stopped it before its end.',
      next: samplesGoOn,
    }
  }
  return cancelled_by === null
    ? { headline, detail: 'Its pipeline was deleted.', next: null }
    : { headline, detail: 'A member stopped it.', next: pressTrainNow }
}
