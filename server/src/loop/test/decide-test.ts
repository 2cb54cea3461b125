// Decides the test of an attempt from all that was measured in it.
import type { App } from '../../app.ts'
import type { Verdict } from '#contract/verdict.ts'
import { chanceOfLuck } from './verdict/chance-of-luck.ts'
import { isSameSet } from './verdict/evidence.ts'
import { heldBackVerdict, type TestSetting } from './verdict/held-back-verdict.ts'
import { passRates } from './verdict/pass-rates.ts'
import { readSample, type TestedSample } from './verdict/readings.ts'
import { readTestedSamples } from './tested-samples.ts'
import { type SampleOutcome, readEarlierTests } from './test-store.ts'
import type { TestedAttempt, TestPlan } from './tested-attempt.ts'

export type TestDecision = {
  verdict: Verdict
  candidate_pass_rate: number | null
  incumbent_pass_rate: number | null
  outcomes: SampleOutcome[]
}

type Ports = Pick<App, 'storage'>
type Promotion = Pick<TestSetting, 'evidence' | 'policy'>

/** `promotion`: by what the pipeline goes; left out where it is deleted, and its attempt is being stopped. */
export async function decideTest(
  app: Ports,
  attempt: TestedAttempt & { test: TestPlan },
  promotion: Promotion = {},
): Promise<TestDecision> {
  const samples = await readTestedSamples(app, attempt.id)
  const setting = { ...(await readSetting(app, attempt)), ...promotion }
  const rates = passRates(samples)
  return {
    verdict: heldBackVerdict(samples, setting),
    candidate_pass_rate: rates?.candidate ?? null,
    incumbent_pass_rate: rates?.live ?? null,
    outcomes: samples.map(outcomeOf),
  }
}

async function readSetting(
  { storage }: Ports,
  attempt: TestedAttempt & { test: TestPlan },
): Promise<TestSetting> {
  const earlier = (await readEarlierTests(storage.db, attempt)).filter(isSameSet)
  return {
    testNo: 1 + earlier.length,
    earlier: earlier.map(({ verdict }) => chanceOfLuck(verdict)),
    leftOut: attempt.test.left_out,
  }
}

function outcomeOf(sample: TestedSample): SampleOutcome {
  const { sampleId } = sample
  const result = readSample(sample)
  const empty = { sampleId, unscored: null, score: null, liveScore: null }
  switch (result.kind) {
    case 'scored': {
      const { outcome, score, liveScore } = result
      return { ...empty, outcome, score, liveScore }
    }
    case 'unscored':
      return { ...empty, outcome: 'unscored', unscored: result.reason }
    case 'missing':
      return { ...empty, outcome: 'missing' }
  }
}
