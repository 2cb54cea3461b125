// Decides the test of an attempt from all that was measured in it.
import type { App } from '../../app.ts'
import type { Verdict } from '#contract/verdict.ts'
import type { AttemptRow } from '../attempt/attempt.ts'
import { chanceOfLuck } from './verdict/chance-of-luck.ts'
import { isSameSet } from './verdict/evidence.ts'
import { heldBackVerdict, type TestSetting } from './verdict/held-back-verdict.ts'
import { passRates } from './verdict/pass-rates.ts'
import { readSample, type TestedSample } from './verdict/readings.ts'
import { readTestedSamples } from './tested-samples.ts'
import { type Outcome, readEarlierTests } from './test-store.ts'
import { findPipeline } from '../pipeline/pipeline-store.ts'

export type TestDecision = {
  verdict: Verdict
  candidate_pass_rate: number | null
  incumbent_pass_rate: number | null
  outcomes: Outcome[]
}

type Ports = Pick<App, 'storage'>

export async function decideTest(app: Ports, attempt: AttemptRow): Promise<TestDecision> {
  const samples = await readTestedSamples(app, attempt.id)
  const setting = await readSetting(app, attempt)
  const rates = passRates(samples)
  return {
    verdict: heldBackVerdict(samples, setting),
    candidate_pass_rate: rates?.candidate ?? null,
    incumbent_pass_rate: rates?.incumbent ?? null,
    outcomes: samples.map(outcomeOf),
  }
}

async function readSetting({ storage }: Ports, attempt: AttemptRow): Promise<TestSetting> {
  const { db } = storage
  const earlier = (await readEarlierTests(db, attempt)).filter(isSameSet)
  const pipeline = await findPipeline(db, attempt.workspace_id, attempt.pipeline_id)
  return {
    testNo: 1 + earlier.length,
    earlier: earlier.map(({ verdict }) => chanceOfLuck(verdict)),
    leftOut: attempt.test?.left_out ?? 0,
    // Without its pipeline the attempt is being stopped.
    ...(pipeline && {
      evidence: pipeline.promotion_evidence,
      policy: { policy: pipeline.promotion_policy, k: pipeline.promotion_k },
    }),
  }
}

function outcomeOf(sample: TestedSample): Outcome {
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
