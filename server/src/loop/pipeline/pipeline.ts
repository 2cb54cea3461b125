// A pipeline as its row, with the settings that members choose.
import type { Conditions } from '#contract/dataset.ts'
import type {
  BuildsOn,
  EvidenceChoice,
  PromotionPolicy,
  Schedule,
  TrainingChoice,
} from '#contract/pipeline-settings.ts'
import type { Database } from '../../storage/schema.ts'
import type { TestSizes } from '../test/judge/test-sizes.ts'

export type PipelineSettings = {
  name: string
  /** Slug of the catalog. */
  model: string
  /** The deployment of this model that was named instead. */
  model_deployment: string | null
  model_revision: string
  challenger_model: string | null
  challenger_revision: string | null
  tags: string[]
  datasets: string[]
  conditions: Conditions | null
  use_case: string | null
  training: TrainingChoice
  builds_on: BuildsOn
  schedule: Schedule | null
  held_back_percent: number
  promotion_policy: PromotionPolicy
  promotion_k: number | null
  promotion_evidence: EvidenceChoice
  auto_scoring: boolean
  max_versions: number | null
  judge_named: string | null
  judge_model: string
  enabled: boolean
  paused_for_funds: boolean
}

/** As members name it. */
export function namedModel({
  model,
  model_deployment,
}: Pick<PipelineSettings, 'model' | 'model_deployment'>): string {
  return model_deployment ?? model
}

/** How many samples the last selection lacked, how many of these to hold back, and when it was, with how many by the counts. */
export type Shortfall = { samples: number; held_back: number; have: number; at: string }

export type PipelineRow = Omit<
  Database['pipeline'],
  keyof PipelineSettings | 'name_key' | 'test_sizes' | 'shortfall'
> &
  PipelineSettings & { test_sizes: TestSizes | null; shortfall: Shortfall | null }
