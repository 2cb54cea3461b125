// What becomes of the settings of a pipeline when it is created or saved, and why a change is refused.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { PipelineChange } from '#contract/pipeline-settings.ts'
import type { PipelineSettings } from '#server/loop/pipeline/pipeline.ts'
import {
  defaultSettings,
  type DeploymentFacts,
  type ModelFacts,
  type SettingFacts,
  settleSettings,
} from '#server/loop/pipeline/settle-settings.ts'

const fits: ModelFacts = { tooLarge: false, machine: 'there', revision: 'hash' }
const saved: PipelineSettings = {
  ...defaultSettings,
  name: 'Support',
  model: 'base',
  model_revision: 'hash',
  judge_model: 'judge',
}
const facts: SettingFacts = {
  revision: 4,
  models: new Map([
    ['base', fits],
    ['other', { ...fits, revision: 'other hash' }],
  ]),
  deployment: null,
  judges: [
    { id: 'judge', judge: true, chat: true, output: 2n, input: 1n },
    { id: 'base', judge: false, chat: true, output: 1n, input: 1n },
  ],
  benchmarks: 0,
  nameTaken: false,
  tagProblem: null,
  runActive: false,
}
const withModel = (id: string, change: Partial<ModelFacts>): Partial<SettingFacts> => ({
  models: new Map([...facts.models, [id, { ...fits, ...change }]]),
})
const without = (id: string): Partial<SettingFacts> => ({
  models: new Map([...facts.models].filter(([model]) => model !== id)),
})

const deployed = (change: Partial<DeploymentFacts> = {}): Partial<SettingFacts> => ({
  deployment: {
    name: 'tuned',
    model: 'base',
    unfit: null,
    facts: { ...fits, revision: 'merged hash' },
    ...change,
  },
})
const onDeployment: Partial<PipelineSettings> = {
  model_deployment: 'tuned',
  model_revision: 'merged hash',
}
const tuned = { model: { id: 'tuned' } }

type Case = {
  body: PipelineChange
  facts?: Partial<SettingFacts>
  before?: Partial<PipelineSettings>
}

function settle({ body, before, facts: change }: Case) {
  return settleSettings({ ...saved, ...before }, body, { ...facts, ...change })
}

describe('is refused:', () => {
  const training = (name: string, value: number): Case => ({
    body: { training: { [name]: value } },
  })
  const refused: [what: string, of: Case, code: string, message?: RegExp][] = [
    ['another method', { body: { rlhf_type: 'dpo' } }, 'METHOD_NOT_ENABLED', /field rlhf_type:/],
    [
      'another method of training',
      { body: { training: { method: 'kto' } } },
      'METHOD_NOT_ENABLED',
      /field training\.method:/,
    ],
    ['a model not in the list', { body: { model: { id: 'x' } } }, 'MODEL_NOT_TRAINABLE', /"x"/],
    [
      'a model that is too large',
      { body: {}, facts: withModel('base', { tooLarge: true }) },
      'MODEL_NOT_TRAINABLE',
      /too large/,
    ],
    [
      'a model that no machine trains',
      { body: {}, facts: withModel('base', { machine: 'none', revision: null }) },
      'NO_GPU_FITS',
    ],
    [
      'a model while the machines are not known',
      { body: {}, facts: withModel('base', { machine: 'unknown', revision: null }) },
      'GPU_OPTIONS_UNAVAILABLE',
      /catalog file cannot be used; try again/,
    ],
    [
      'a model whose files cannot be read',
      { body: {}, facts: withModel('base', { revision: null }) },
      'MODEL_REVISION_UNAVAILABLE',
    ],
    [
      'resuming with a model that left the catalog',
      { body: { enabled: true }, before: { enabled: false }, facts: without('base') },
      'MODEL_NOT_TRAINABLE',
    ],
    [
      'pausing with a model that is not in the list',
      { body: { enabled: false, model: { id: 'x' } } },
      'MODEL_NOT_TRAINABLE',
    ],
    [
      'the model as its own challenger',
      { body: { challenger_model: { id: 'base' } } },
      'MODEL_NOT_TRAINABLE',
      /both model and challenger_model/,
    ],
    [
      'the challenger as the model',
      { body: { model: { id: 'other' } }, before: { challenger_model: 'other' } },
      'MODEL_NOT_TRAINABLE',
      /both/,
    ],
    [
      'a challenger that is not in the list',
      { body: { challenger_model: { id: 'x' } } },
      'MODEL_NOT_TRAINABLE',
    ],
    [
      'a challenger that cannot be pinned',
      {
        body: { challenger_model: { id: 'other' } },
        facts: withModel('other', { revision: null }),
      },
      'MODEL_NOT_TRAINABLE',
      /cannot be pinned/,
    ],
    [
      'a deployment that serves an adapter',
      { body: tuned, facts: deployed({ unfit: 'adapter', facts: null }) },
      'MODEL_NOT_TRAINABLE',
      /"tuned" serves an adapter.* name its base model "base" instead/,
    ],
    [
      'a deployment on a machine that trains nothing',
      { body: tuned, facts: deployed({ unfit: 'machine', facts: null }) },
      'MODEL_NOT_TRAINABLE',
      /"tuned" runs on a machine that trains nothing/,
    ],
    [
      'a deployment whose base model cannot be trained',
      { body: tuned, facts: deployed({ facts: null }) },
      'MODEL_NOT_TRAINABLE',
      /"tuned" cannot be trained/,
    ],
    [
      'a deployment as challenger',
      { body: { ...tuned, challenger_model: { id: 'tuned' } }, facts: deployed() },
      'MODEL_NOT_TRAINABLE',
    ],
    [
      'a deployment of the model while an attempt is under way',
      { body: tuned, facts: { ...deployed(), runActive: true } },
      'RUN_ACTIVE',
    ],
    [
      'the base model of the deployment while an attempt is under way',
      { body: { model: { id: 'base' } }, before: onDeployment, facts: { runActive: true } },
      'RUN_ACTIVE',
    ],
    ['an unknown judge', { body: { judge_model: { id: 'x' } } }, 'NO_JUDGE_MODEL', /"x"/],
    ['no judge at all', { body: {}, facts: { judges: [] } }, 'NO_JUDGE_MODEL', /no model/],
    [
      'a named judge that left the catalog',
      { body: { name: 'New' }, before: { judge_named: 'gone', judge_model: 'gone' } },
      'NO_JUDGE_MODEL',
      /"gone"/,
    ],
    ...(
      [
        ['epochs', [0, 16, 2.5]],
        ['learning_rate', [0.00000099, 0.0100001]],
        ['lora_rank', [2, 7, 65, 128]],
        ['lora_alpha', [0, 513, 1.5]],
        ['replay_percent', [-1, 51, 10.5]],
      ] as const
    ).flatMap(([name, values]) =>
      values.map((value): [string, Case, string, RegExp] => [
        `${name} of ${value}`,
        training(name, value),
        'TRAINING_SETTING_OUT_OF_RANGE',
        new RegExp(`^${name} must be`),
      ]),
    ),
    [
      'an unknown policy',
      { body: { promotion: { policy: 'best' } } },
      'PROMOTION_POLICY_UNKNOWN',
      /holdout, all, primary/,
    ],
    ['k_of_n without k', { body: { promotion: { policy: 'k_of_n' } } }, 'PROMOTION_K_REQUIRED'],
    ['a k of 1.5', { body: { promotion: { policy: 'k_of_n', k: 1.5 } } }, 'PROMOTION_K_REQUIRED'],
    [
      'a k for another policy',
      { body: { promotion: { k: 1 } } },
      'BAD_REQUEST',
      /holdout takes no/,
    ],
    ['a k of 0', { body: { promotion: { policy: 'k_of_n', k: 0 } } }, 'PROMOTION_K_REQUIRED'],
    ['a k above 1', { body: { promotion: { policy: 'k_of_n', k: 2 } } }, 'PROMOTION_K_UNREACHABLE'],
    [
      'a k above what is measured',
      { body: { promotion: { policy: 'k_of_n', k: 4 } }, facts: { benchmarks: 2 } },
      'PROMOTION_K_UNREACHABLE',
      /at most 3/,
    ],
    [
      'primary without a benchmark',
      { body: { promotion: { policy: 'primary' } } },
      'PROMOTION_POLICY_NEEDS_BENCHMARK',
    ],
    ['an older revision', { body: { expected_revision: 3 } }, 'REVISION_MISMATCH', /revision 4/],
    [
      'a name that is taken',
      { body: { name: 'A' }, facts: { nameTaken: true } },
      'PIPELINE_NAME_TAKEN',
    ],
    [
      'a tag that is taken',
      { body: { name: 'A' }, facts: { revision: null, tagProblem: 'It is taken.' } },
      'OWN_TAG_TAKEN',
      /^It is taken\.$/,
    ],
    [
      'another model while an attempt is under way',
      { body: { model: { id: 'other' } }, facts: { runActive: true } },
      'RUN_ACTIVE',
    ],
  ]
  for (const [what, of, code, message] of refused) {
    test(what, () => {
      const settled = settle(of)
      assert.ok('refusal' in settled)
      assert.equal(settled.refusal.code, code)
      if (message) assert.match(settled.refusal.message, message)
    })
  }
})

test('of several causes the first by the table of codes is answered', () => {
  const wrong: PipelineChange = {
    rlhf_type: 'dpo',
    model: { id: 'x' },
    judge_model: { id: 'x' },
    training: { epochs: 99 },
    promotion: { policy: 'best' },
    expected_revision: 1,
    name: 'Taken',
  }
  const conflicts = { nameTaken: true, runActive: true }
  const found: string[] = []
  const left: PipelineChange = { ...wrong }
  for (const repaired of [
    'rlhf_type',
    'model',
    'judge_model',
    'training',
    'promotion',
    'expected_revision',
  ] as const) {
    const settled = settle({ body: left, facts: conflicts })
    assert.ok('refusal' in settled)
    found.push(settled.refusal.code)
    delete left[repaired]
  }
  for (const facts of [conflicts, { runActive: true }]) {
    const settled = settle({ body: { ...left, model: { id: 'other' } }, facts })
    assert.ok('refusal' in settled)
    found.push(settled.refusal.code)
  }
  assert.deepEqual(found, [
    'METHOD_NOT_ENABLED',
    'MODEL_NOT_TRAINABLE',
    'NO_JUDGE_MODEL',
    'TRAINING_SETTING_OUT_OF_RANGE',
    'PROMOTION_POLICY_UNKNOWN',
    'REVISION_MISMATCH',
    'PIPELINE_NAME_TAKEN',
    'RUN_ACTIVE',
  ])
})

describe('is taken:', () => {
  const chosen = { ...saved.training, epochs: 4 }
  const taken: [what: string, of: Case, changed: Partial<PipelineSettings>][] = [
    ['nothing', { body: {} }, {}],
    [
      'the model that it has, also while an attempt is under way',
      { body: { model: { id: 'base' } }, facts: { runActive: true } },
      {},
    ],
    [
      'another model with its revision',
      { body: { model: { id: 'other' } } },
      { model: 'other', model_revision: 'other hash' },
    ],
    ['a deployment with what it serves', { body: tuned, facts: deployed() }, onDeployment],
    [
      'the deployment that it has, also while an attempt is under way',
      { body: tuned, before: onDeployment, facts: { ...deployed(), runActive: true } },
      onDeployment,
    ],
    [
      'the base model instead of the deployment',
      { body: { model: { id: 'base' } }, before: onDeployment },
      { model_deployment: null, model_revision: 'hash' },
    ],
    [
      'files of the model that have changed',
      { body: {}, facts: withModel('base', { revision: 'new' }) },
      { model_revision: 'new' },
    ],
    [
      'pausing, although model and judge left the catalog and cannot be read',
      {
        body: { enabled: false },
        before: { challenger_model: 'gone', challenger_revision: 'old' },
        facts: { ...without('base'), judges: [] },
      },
      { enabled: false, challenger_model: 'gone', challenger_revision: 'old' },
    ],
    [
      'a challenger',
      { body: { challenger_model: { id: 'other' } } },
      { challenger_model: 'other', challenger_revision: 'other hash' },
    ],
    [
      'no challenger any more',
      {
        body: { challenger_model: null },
        before: { challenger_model: 'other', challenger_revision: 'other hash' },
      },
      { challenger_model: null, challenger_revision: null },
    ],
    [
      'the challenger and the model in each other’s place',
      {
        body: { model: { id: 'other' }, challenger_model: { id: 'base' } },
        before: { challenger_model: 'other' },
      },
      {
        model: 'other',
        model_revision: 'other hash',
        challenger_model: 'base',
        challenger_revision: 'hash',
      },
    ],
    [
      'a judge that is named',
      { body: { judge_model: { id: 'base' } } },
      { judge_named: 'base', judge_model: 'base' },
    ],
    [
      'another judge where none is named and the old one is gone',
      { body: {}, before: { judge_model: 'gone' } },
      { judge_model: 'judge' },
    ],
    [
      'a chosen judge in place of the named one',
      { body: { judge_model: null }, before: { judge_named: 'base', judge_model: 'base' } },
      { judge_named: null, judge_model: 'judge' },
    ],
    [
      'one member of training; the others stay',
      {
        body: { training: { lora_rank: 8, epochs: null } },
        before: { training: { ...chosen, lora_alpha: 1 } },
      },
      { training: { ...saved.training, lora_rank: 8, lora_alpha: 1 } },
    ],
    [
      'training that is automatic again',
      { body: { training: null }, before: { training: chosen } },
      { training: saved.training },
    ],
    ...(
      [
        { epochs: 1, learning_rate: 0.000001, lora_rank: 4, lora_alpha: 1, replay_percent: 0 },
        { epochs: 15, learning_rate: 0.01, lora_rank: 64, lora_alpha: 512, replay_percent: 50 },
      ] as const
    ).map((training): [string, Case, Partial<PipelineSettings>] => [
      `${JSON.stringify(training)}`,
      { body: { training } },
      { training },
    ]),
    [
      'a k that can be reached',
      { body: { promotion: { policy: 'k_of_n', k: 3 } }, facts: { benchmarks: 2 } },
      { promotion_policy: 'k_of_n', promotion_k: 3 },
    ],
    [
      'k_of_n again, with the k that it has',
      {
        body: { promotion: { policy: 'k_of_n' } },
        before: { promotion_policy: 'k_of_n', promotion_k: 1 },
      },
      { promotion_policy: 'k_of_n', promotion_k: 1 },
    ],
    [
      'a policy that goes by no k',
      {
        body: { promotion: { policy: 'all', k: null } },
        before: { promotion_policy: 'k_of_n', promotion_k: 1 },
      },
      { promotion_policy: 'all', promotion_k: null },
    ],
    [
      'evidence for life, with the policy that it has',
      {
        body: { promotion: { evidence: 'life' } },
        before: { promotion_policy: 'k_of_n', promotion_k: 1 },
      },
      { promotion_policy: 'k_of_n', promotion_k: 1, promotion_evidence: 'life' },
    ],
    [
      'another policy, with the evidence that it has',
      { body: { promotion: { policy: 'all' } }, before: { promotion_evidence: 'life' } },
      { promotion_policy: 'all', promotion_evidence: 'life' },
    ],
    [
      'primary with a benchmark',
      { body: { promotion: { policy: 'primary' } }, facts: { benchmarks: 1 } },
      { promotion_policy: 'primary' },
    ],
    [
      'resuming after missing funds paused it',
      { body: { enabled: true }, before: { enabled: false, paused_for_funds: true } },
      { enabled: true, paused_for_funds: false },
    ],
    [
      'another name for one that missing funds paused, which stays so',
      { body: { name: 'New' }, before: { enabled: false, paused_for_funds: true } },
      { name: 'New', enabled: false, paused_for_funds: true },
    ],
    [
      'settings that are stored as they are',
      {
        body: {
          tags: ['a'],
          datasets: ['d'],
          conditions: { feedback: 'accepted' },
          use_case: 'Codes',
          builds_on: 'base',
          schedule: { every: 'day', at: '03:30' },
          holdout: { percent: 20 },
          auto_scoring: false,
          max_versions: 3,
        },
      },
      {
        tags: ['a'],
        datasets: ['d'],
        conditions: { feedback: 'accepted' },
        use_case: 'Codes',
        builds_on: 'base',
        schedule: { every: 'day', at: '03:30' },
        held_back_percent: 20,
        auto_scoring: false,
        max_versions: 3,
      },
    ],
    [
      'settings that are removed',
      {
        body: { conditions: null, use_case: null, schedule: null, max_versions: null, tags: [] },
        before: {
          conditions: {},
          use_case: 'Codes',
          schedule: { every: 'day', at: '03:30' },
          max_versions: 3,
          tags: ['a'],
        },
      },
      { conditions: null, use_case: null, schedule: null, max_versions: null, tags: [] },
    ],
  ]
  for (const [what, of, changed] of taken) {
    test(what, () => {
      assert.deepEqual(settle(of), { settings: { ...saved, ...of.before, ...changed } })
    })
  }
})
