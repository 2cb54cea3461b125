// What the settings of a pipeline are after a change, or why the change is refused. Pure: everything that has to be looked up is
// given as facts.
import { firstOf, type PlatformErrorCode } from '#contract/errors.ts'
import { heldBackPercentDefault } from '#contract/limits.ts'
import {
  methodFieldNames,
  type PipelineChange,
  promotionPolicies,
  type PromotionPolicy,
  type TrainingChoice,
} from '#contract/pipeline-settings.ts'
import { settingFault, trainingSettingNames } from '#contract/training.ts'
import { Refusal } from '../../core/refusal.ts'
import { type JudgeCandidate, pickJudge } from './pick-judge.ts'
import { namedModel, type PipelineSettings } from './pipeline.ts'
import type { TrainingMachine } from './trainable-models.ts'

/** Of a model in the list of those that can be trained. */
export type ModelFacts = {
  tooLarge: boolean
  /** Whether a machine of the catalog trains models of its engine. */
  machine: TrainingMachine
  /** The hash of its files; null when they could not be read. */
  revision: string | null
}

/** Of the deployment that the pipeline has or will have as its model. */
export type DeploymentFacts = {
  name: string
  /** Slug of its base model. */
  model: string
  /** Why nothing can be trained on it: what it serves, or where. */
  unfit: 'adapter' | 'machine' | null
  /** Null where its base model cannot be trained. */
  facts: ModelFacts | null
}

export type SettingFacts = {
  /** The pipeline's revision; null while it is created. */
  revision: number | null
  /** The models that can be trained among those that the pipeline has or will have. */
  models: ReadonlyMap<string, ModelFacts>
  /** Null where the pipeline's model is named by its slug. */
  deployment: DeploymentFacts | null
  /** The models of the catalog, as judges. */
  judges: readonly JudgeCandidate[]
  /** How many benchmarks are attached. */
  benchmarks: number
  nameTaken: boolean
  /** Why a new pipeline cannot have the tag of its name; null when it can. */
  tagProblem: string | null
  runActive: boolean
}

export type SettingRefusal = {
  code: PlatformErrorCode
  message: string
  retryAfterSeconds?: number
}

export function refusalOf({ code, message, ...detail }: SettingRefusal): Refusal {
  return new Refusal(code, message, detail)
}

export type Settled = { settings: PipelineSettings } | { refusal: SettingRefusal }

const automatic: TrainingChoice = {
  epochs: null,
  learning_rate: null,
  lora_rank: null,
  lora_alpha: null,
  replay_percent: null,
}

/** Of a pipeline that is created. The body names what has no default. */
export const defaultSettings: PipelineSettings = {
  name: '',
  model: '',
  model_deployment: null,
  model_revision: '',
  challenger_model: null,
  challenger_revision: null,
  tags: [],
  datasets: [],
  conditions: null,
  use_case: null,
  training: automatic,
  builds_on: 'live',
  schedule: null,
  held_back_percent: heldBackPercentDefault,
  promotion_policy: 'holdout',
  promotion_k: null,
  promotion_evidence: 'each',
  auto_scoring: true,
  max_versions: null,
  judge_named: null,
  judge_model: '',
  enabled: true,
  paused_for_funds: false,
}

export function settleSettings(
  before: PipelineSettings,
  body: PipelineChange,
  facts: SettingFacts,
): Settled {
  const { deployment } = facts
  const named = body.model?.id ?? namedModel(before)
  const model = deployment?.model ?? named
  const found = deployment ? deployment.facts : (facts.models.get(model) ?? null)
  const challenger =
    body.challenger_model === undefined
      ? before.challenger_model
      : (body.challenger_model?.id ?? null)
  const enabled = body.enabled ?? before.enabled
  const judgeNamed =
    body.judge_model === undefined ? before.judge_named : (body.judge_model?.id ?? null)
  const judge = pickJudge(facts.judges, model, judgeNamed)
  const promotion = settlePromotion(before, body, facts.benchmarks)
  const wanted = { named, model, found, challenger, enabled, judgeNamed, judge }
  const refusals = [
    ...methodRefusals(body),
    ...modelRefusals(body, wanted, facts),
    ...challengerRefusals(body, wanted, facts),
    ...judgeRefusals(body, wanted),
    ...trainingRefusals(body),
    ...promotion.refusals,
    ...conflicts(before, body, wanted, facts),
  ]
  const code = firstOf(refusals.map((refusal) => refusal.code))
  const refusal = refusals.find((one) => one.code === code)
  if (refusal) return { refusal }
  return {
    settings: {
      name: body.name ?? before.name,
      model,
      model_deployment: deployment?.name ?? null,
      model_revision: found?.revision ?? before.model_revision,
      challenger_model: challenger,
      challenger_revision:
        challenger === null
          ? null
          : (facts.models.get(challenger)?.revision ?? before.challenger_revision),
      tags: body.tags ?? before.tags,
      datasets: body.datasets ?? before.datasets,
      conditions: body.conditions === undefined ? before.conditions : body.conditions,
      use_case: body.use_case === undefined ? before.use_case : body.use_case,
      training: settleTraining(before.training, body),
      builds_on: body.builds_on ?? before.builds_on,
      schedule: body.schedule === undefined ? before.schedule : body.schedule,
      held_back_percent: body.holdout?.percent ?? before.held_back_percent,
      promotion_policy: promotion.policy,
      promotion_k: promotion.k,
      promotion_evidence: body.promotion?.evidence ?? before.promotion_evidence,
      auto_scoring: body.auto_scoring ?? before.auto_scoring,
      max_versions: body.max_versions === undefined ? before.max_versions : body.max_versions,
      judge_named: judgeNamed,
      judge_model: judge ?? before.judge_model,
      enabled,
      paused_for_funds: body.enabled === undefined && before.paused_for_funds,
    },
  }
}

type Wanted = {
  /** The model by its slug, or the deployment. */
  named: string
  model: string
  found: ModelFacts | null
  challenger: string | null
  enabled: boolean
  judgeNamed: string | null
  judge: string | null
}

function methodRefusals(body: PipelineChange): SettingRefusal[] {
  const { training } = body
  const asked =
    methodFieldNames.find((name) => body[name] !== undefined) ??
    methodFieldNames.flatMap((name) =>
      training?.[name] === undefined ? [] : [`training.${name}`],
    )[0]
  if (asked === undefined) return []
  return [
    {
      code: 'METHOD_NOT_ENABLED',
      message: `body field ${asked}: only supervised training is available; leave this field out.`,
    },
  ]
}

/** A paused pipeline can be saved although its model has left the catalog, so that it can be paused and changed at all. */
function modelRefusals(
  body: PipelineChange,
  wanted: Wanted,
  facts: SettingFacts,
): SettingRefusal[] {
  const { named, found, enabled } = wanted
  if (body.model === undefined && !enabled) return []
  const problem = deploymentProblem(facts.deployment) ?? trainingProblem(named, found)
  if (problem) return [problem]
  if (found?.revision !== null) return []
  return [
    {
      code: 'MODEL_REVISION_UNAVAILABLE',
      message: `The files of ${JSON.stringify(named)} could not be read to record which revision is trained; try again.`,
    },
  ]
}

function challengerRefusals(
  body: PipelineChange,
  { model, challenger, enabled }: Wanted,
  facts: SettingFacts,
): SettingRefusal[] {
  if (challenger === null) return []
  if (challenger === model) {
    return [
      {
        code: 'MODEL_NOT_TRAINABLE',
        message: `${JSON.stringify(challenger)} cannot be both model and challenger_model of a pipeline; name another, or null.`,
      },
    ]
  }
  if (!body.challenger_model && !enabled) return []
  const found = facts.models.get(challenger) ?? null
  const problem = trainingProblem(challenger, found)
  if (problem) return [problem]
  if (found?.revision !== null) return []
  return [
    {
      code: 'MODEL_NOT_TRAINABLE',
      message: `The challenger ${JSON.stringify(challenger)} cannot be pinned to a revision, because its files could not be read.`,
    },
  ]
}

function deploymentProblem(deployment: DeploymentFacts | null): SettingRefusal | null {
  if (!deployment || deployment.unfit === null) return null
  const name = JSON.stringify(deployment.name)
  const base = JSON.stringify(deployment.model)
  const message =
    deployment.unfit === 'adapter'
      ? `${name} serves an adapter, on which nothing can be trained; name its base model ${base} instead.`
      : `${name} runs on a machine that trains nothing; GET /api/loop/models lists the models that can be trained.`
  return { code: 'MODEL_NOT_TRAINABLE', message }
}

function trainingProblem(model: string, facts: ModelFacts | null): SettingRefusal | null {
  const id = JSON.stringify(model)
  if (!facts) {
    return {
      code: 'MODEL_NOT_TRAINABLE',
      message: `${id} cannot be trained; GET /api/loop/models lists the models that can.`,
    }
  }
  if (facts.machine === 'unknown') {
    return {
      code: 'GPU_OPTIONS_UNAVAILABLE',
      message: `Which machines can train ${id} is not known, because the changed catalog file cannot be used; try again once it is fixed.`,
      retryAfterSeconds: 5,
    }
  }
  if (facts.machine === 'none') {
    return {
      code: 'NO_GPU_FITS',
      message: `No machine in the catalog can train ${id} at the moment.`,
    }
  }
  if (!facts.tooLarge) return null
  return {
    code: 'MODEL_NOT_TRAINABLE',
    message: `${id} cannot be trained, because it is too large for the machines in the catalog.`,
  }
}

function judgeRefusals(body: PipelineChange, wanted: Wanted): SettingRefusal[] {
  const { judge, judgeNamed, enabled } = wanted
  if (judge !== null || (!body.judge_model && !enabled)) return []
  const message =
    judgeNamed === null
      ? 'There is no model in the catalog that can score answers; add one, or name it as judge_model.'
      : `The judge_model ${JSON.stringify(judgeNamed)} is not in the catalog; name another, or null to have one chosen.`
  return [{ code: 'NO_JUDGE_MODEL', message }]
}

function trainingRefusals({ training }: PipelineChange): SettingRefusal[] {
  const faults = trainingSettingNames.flatMap((name) => {
    const value = training?.[name]
    const fault = typeof value === 'number' ? settingFault(name, value) : null
    return fault === null ? [] : [fault]
  })
  return faults.map((fault) => ({ code: 'TRAINING_SETTING_OUT_OF_RANGE', message: fault }))
}

function settleTraining(before: TrainingChoice, { training }: PipelineChange): TrainingChoice {
  if (training === undefined) return before
  if (training === null) return automatic
  const chosen = trainingSettingNames.map((name) => {
    const value = training[name]
    return [name, value === undefined ? before[name] : value]
  })
  return Object.fromEntries(chosen) as TrainingChoice
}

type Promotion = { policy: PromotionPolicy; k: number | null; refusals: SettingRefusal[] }

/** Measured are the held-back test and each benchmark. */
function settlePromotion(
  before: PipelineSettings,
  { promotion }: PipelineChange,
  benchmarks: number,
): Promotion {
  const kept = { policy: before.promotion_policy, k: before.promotion_k, refusals: [] }
  if (promotion === undefined) return kept
  const named = promotion.policy ?? before.promotion_policy
  const policy = promotionPolicies.find((one) => one === named)
  if (!policy) {
    const known = promotionPolicies.join(', ')
    return refusing('PROMOTION_POLICY_UNKNOWN', `promotion.policy must be one of ${known}.`)
  }
  if (policy === 'primary' && benchmarks === 0) {
    return refusing(
      'PROMOTION_POLICY_NEEDS_BENCHMARK',
      'The policy primary goes by the main benchmark; attach a benchmark first.',
    )
  }
  if (policy !== 'k_of_n') {
    if (typeof promotion.k !== 'number') return { policy, k: null, refusals: [] }
    const message = `body field promotion.k: the policy ${policy} takes no k; leave it out, or name the policy k_of_n.`
    return refusing('BAD_REQUEST', message)
  }
  const k = promotion.k === undefined ? before.promotion_k : promotion.k
  if (k === null || k < 1 || !Number.isInteger(k)) {
    const message = 'The policy k_of_n needs promotion.k, a whole number of at least 1.'
    return refusing('PROMOTION_K_REQUIRED', message)
  }
  const measurements = 1 + benchmarks
  if (k > measurements) {
    return refusing(
      'PROMOTION_K_UNREACHABLE',
      `promotion.k must be at most ${measurements}: the held-back test and ${benchmarks} attached benchmarks are measured.`,
    )
  }
  return { policy, k, refusals: [] }

  function refusing(code: PlatformErrorCode, message: string): Promotion {
    return { ...kept, refusals: [{ code, message }] }
  }
}

function conflicts(
  before: PipelineSettings,
  body: PipelineChange,
  { named }: Wanted,
  facts: SettingFacts,
): SettingRefusal[] {
  const found: SettingRefusal[] = []
  const { expected_revision: expected } = body
  if (facts.revision !== null && expected !== undefined && expected !== facts.revision) {
    found.push({
      code: 'REVISION_MISMATCH',
      message: `The pipeline was changed since it was read and is at revision ${facts.revision}; read it again and send that as expected_revision.`,
    })
  }
  if (facts.nameTaken) {
    found.push({
      code: 'PIPELINE_NAME_TAKEN',
      message: `A pipeline called ${JSON.stringify(body.name)} exists or has existed, ignoring case and white space; choose another name.`,
    })
  }
  if (facts.tagProblem !== null) found.push({ code: 'OWN_TAG_TAKEN', message: facts.tagProblem })
  if (facts.runActive && named !== namedModel(before)) {
    found.push({
      code: 'RUN_ACTIVE',
      message:
        'The model cannot be changed while an attempt is under way; wait for it, or stop it.',
    })
  }
  return found
}
