// Decides the test of an attempt from all that was measured in it.
import type { App } from '../../app.ts'
import type { Verdict } from '#contract/verdict.ts'
import type { AttemptRow } from '../attempt/attempt.ts'
import { heldBackVerdict } from '../verdict/held-back-verdict.ts'
import { passRates } from '../verdict/pass-rates.ts'
import { readSample, type TestedSample } from '../verdict/readings.ts'
import { readTestedSamples } from './tested-samples.ts'
import { countTests, type Outcome } from '../attempt/test-store.ts'

export type TestDecision = {
  verdict: Verdict
  candidate_pass_rate: number | null
  incumbent_pass_rate: number | null
  outcomes: Outcome[]
}

export async function decideTest(app: App, attempt: AttemptRow): Promise<TestDecision> {
  const samples = await readTestedSamples(app, attempt.id)
  const testNo = 1 + (await countTests(app.storage.db, attempt.pipeline_id))
  const rates = passRates(samples)
  return {
    verdict: heldBackVerdict(samples, { testNo }),
    candidate_pass_rate: rates?.candidate ?? null,
    incumbent_pass_rate: rates?.incumbent ?? null,
    outcomes: samples.map(outcomeOf),
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
