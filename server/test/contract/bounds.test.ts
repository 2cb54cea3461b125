// Both sides of every bound of what the platform routes take, in numbers of its own: tests that read a limit off the contract
// follow it wherever it goes.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { z } from 'zod'
import { usageQuery } from '#contract/analytics.ts'
import { createApiKeyBody } from '#contract/api-key.ts'
import { changePasswordBody, loginBody } from '#contract/auth.ts'
import { captureConfigBody } from '#contract/capture.ts'
import { conditions, createDatasetBody, updateDatasetBody } from '#contract/dataset.ts'
import { statusOf } from '#contract/errors.ts'
import { importBody, importQuery, importRoutes } from '#contract/import.ts'
import * as limits from '#contract/limits.ts'
import { addMemberBody, createWorkspaceBody, updateMemberBody } from '#contract/member.ts'
import { connectStorageBody } from '#contract/own-storage.ts'
import { createPipelineBody, updatePipelineBody } from '#contract/pipeline-settings.ts'
import { idInput, pageQuery, text, timestampInput } from '#contract/route.ts'
import { postTraceBody, signalBody, traceQuery } from '#contract/sample.ts'
import { scopes } from '#contract/scopes.ts'
import { topUpHeaders } from '#contract/wallet.ts'

const MiB = 1024 * 1024
const id = '01900000-0000-7000-8000-000000000000'
const letters = (count: number): string => 'x'.repeat(count)
const many = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index))

const row = { prompt: 'Is it open?', completion: 'Until six.' }
const trace = { deployment_id: 'serverless', ...row }
const bucket = {
  endpoint: 'https://store.example',
  region: 'auto',
  bucket: 'texts',
  access_key_id: 'key',
}
const member = { email: 'a@b.co', role: 'viewer' }
const passwords = (size: number): object => ({ current_password: '', new_password: letters(size) })

type Bound = [
  what: string,
  schema: z.ZodType,
  least: number | null,
  most: number | null,
  of: (size: number) => unknown,
]

const bounds: Bound[] = [
  [
    'the name of a key',
    createApiKeyBody,
    1,
    120,
    (n) => ({ name: letters(n), scopes: ['serverless'] }),
  ],
  [
    'the scopes of a key',
    createApiKeyBody,
    1,
    16,
    (n) => ({ name: 'k', scopes: many(n, (i) => scopes[i] ?? 'none') }),
  ],
  ['the e-mail at login', loginBody, 0, 254, (n) => ({ email: letters(n), password: '' })],
  ['the password at login', loginBody, 0, 200, (n) => ({ email: '', password: letters(n) })],
  [
    'the old password',
    changePasswordBody,
    0,
    200,
    (n) => ({ ...passwords(10), current_password: letters(n) }),
  ],
  ['the new password', changePasswordBody, 10, 200, passwords],
  [
    'the e-mail of a person',
    addMemberBody,
    3,
    254,
    (n) => ({ ...member, email: '@b'.padStart(n, 'x') }),
  ],
  ['the name of a person', addMemberBody, 1, 120, (n) => ({ ...member, name: letters(n) })],
  [
    'the password of a person',
    addMemberBody,
    10,
    200,
    (n) => ({ ...member, password: letters(n) }),
  ],
  [
    'the workspaces of a person',
    addMemberBody,
    0,
    1000,
    (n) => ({ ...member, workspace_ids: many(n, () => id) }),
  ],
  [
    'the changed workspaces',
    updateMemberBody,
    0,
    1000,
    (n) => ({ user_id: id, workspace_ids: many(n, () => id) }),
  ],
  ['the name of a workspace', createWorkspaceBody, 1, 120, (n) => ({ name: letters(n) })],
  ['the Idempotency-Key', topUpHeaders, 1, 255, (n) => ({ 'idempotency-key': letters(n) })],
  ['the page of a list', pageQuery, 1, 200, (n) => ({ limit: String(n) })],
  ['the cursor of a list', pageQuery, 0, 200, (n) => ({ cursor: letters(n) })],
  [
    'the days of retention',
    captureConfigBody,
    1,
    3650,
    (n) => ({ enabled: true, retention_days: n }),
  ],
  ['the share of the calls', captureConfigBody, 0, 1, (n) => ({ enabled: true, sample_rate: n })],
  [
    'the recorded tags',
    captureConfigBody,
    0,
    32,
    (n) => ({ enabled: true, tags: many(n, (i) => `t${i}`) }),
  ],
  ['a recorded tag', captureConfigBody, 1, 63, (n) => ({ enabled: true, tags: [letters(n)] })],
  ['the name of a dataset', createDatasetBody, 1, 120, (n) => ({ name: letters(n) })],
  ['the new name of a dataset', updateDatasetBody, 1, 120, (n) => ({ name: letters(n) })],
  ['the revision of a dataset', updateDatasetBody, 1, null, (n) => ({ expected_revision: n })],
  ['the model of a dataset', conditions, 1, 200, (n) => ({ model: letters(n) })],
  [
    'the name of a pipeline',
    createPipelineBody,
    1,
    120,
    (n) => ({ name: letters(n), model: { id: 'm' } }),
  ],
  [
    'the model of a pipeline',
    createPipelineBody,
    1,
    200,
    (n) => ({ name: 'p', model: { id: letters(n) } }),
  ],
  ['the new name of a pipeline', updatePipelineBody, 1, 120, (n) => ({ name: letters(n) })],
  ['the revision of a pipeline', updatePipelineBody, 1, null, (n) => ({ expected_revision: n })],
  ['the held-back share', updatePipelineBody, 1, 20, (n) => ({ holdout: { percent: n } })],
  ['the versions of a pipeline', updatePipelineBody, 1, 100, (n) => ({ max_versions: n })],
  ['the use case of a pipeline', updatePipelineBody, 0, 2000, (n) => ({ use_case: letters(n) })],
  ['the tags of a pipeline', updatePipelineBody, 0, 32, (n) => ({ tags: many(n, (i) => `t${i}`) })],
  [
    'the datasets of a pipeline',
    updatePipelineBody,
    0,
    32,
    (n) => ({ datasets: many(n, (i) => id.slice(0, -2) + (i + 10)) }),
  ],
  [
    'the day of a schedule',
    updatePipelineBody,
    1,
    31,
    (n) => ({ schedule: { every: 'month', at: '00:00', day: n } }),
  ],
  ['the words of a search', traceQuery, 2, 200, (n) => ({ q: letters(n) })],
  ['the letters of a search', traceQuery, 2, 200, (n) => ({ q: 'e\u0301'.repeat(n) })],
  ['the page of samples', traceQuery, 1, 1_000_000, (n) => ({ page: String(n) })],
  ['the model of a list', traceQuery, 1, 200, (n) => ({ model: letters(n) })],
  ['the tags of a list', traceQuery, 1, 32, (n) => ({ tags: many(n, (i) => `t${i}`).join(',') })],
  [
    'the source of a sample',
    postTraceBody,
    1,
    200,
    (n) => ({ ...trace, deployment_id: letters(n) }),
  ],
  ['the model of a sample', postTraceBody, 1, 200, (n) => ({ ...trace, model: letters(n) })],
  ['the request of a sample', postTraceBody, 1, 128, (n) => ({ ...trace, request_id: letters(n) })],
  [
    'the labels of a sample',
    postTraceBody,
    0,
    32,
    (n) => ({ ...trace, labels: many(n, (i) => `t${i}`) }),
  ],
  [
    'the labels of feedback',
    signalBody,
    0,
    32,
    (n) => ({ verdict: 'good', labels: many(n, (i) => `t${i}`) }),
  ],
  [
    'a correction',
    signalBody,
    1,
    1_000_000,
    (n) => ({ verdict: 'edited', correction: letters(n) }),
  ],
  ['the rows of an import', importBody, 1, 5000, (n) => ({ rows: many(n, () => row) })],
  ['the rows alone', importRoutes[0].rows, 1, 5000, (n) => many(n, () => row)],
  ['the source of an import', importBody, 1, 200, (n) => ({ rows: [row], source: letters(n) })],
  [
    'the labels of an import',
    importBody,
    0,
    32,
    (n) => ({ rows: [row], labels: many(n, (i) => `t${i}`) }),
  ],
  ['a label of an import', importBody, 1, 63, (n) => ({ rows: [row], labels: [letters(n)] })],
  ['the id of an import', importBody, 1, 128, (n) => ({ rows: [row], import_id: letters(n) })],
  ['the ids of rows', importBody, 0, 5000, (n) => ({ rows: [row], row_ids: many(n, String) })],
  ['the id of a row', importBody, 1, 200, (n) => ({ rows: [row], row_ids: [letters(n)] })],
  [
    'the rows before',
    importBody,
    0,
    Number.MAX_SAFE_INTEGER - 5000,
    (n) => ({ rows: [row], row_offset: n }),
  ],
  [
    'the rows before, in a query',
    importQuery,
    0,
    Number.MAX_SAFE_INTEGER - 5000,
    (n) => ({ row_offset: String(n) }),
  ],
  [
    'the endpoint of a bucket',
    connectStorageBody,
    1,
    500,
    (n) => ({ ...bucket, endpoint: letters(n) }),
  ],
  ['the region of a bucket', connectStorageBody, 1, 64, (n) => ({ ...bucket, region: letters(n) })],
  ['the name of a bucket', connectStorageBody, 3, 63, (n) => ({ ...bucket, bucket: letters(n) })],
  [
    'the prefix in a bucket',
    connectStorageBody,
    0,
    200,
    (n) => ({ ...bucket, prefix: letters(n) }),
  ],
  ['an access key', connectStorageBody, 1, 200, (n) => ({ ...bucket, access_key_id: letters(n) })],
  [
    'a secret key',
    connectStorageBody,
    1,
    200,
    (n) => ({ ...bucket, secret_access_key: letters(n) }),
  ],
]

describe('both sides of', () => {
  for (const [what, schema, least, most, of] of bounds) {
    test(what, () => {
      const takes = (size: number): boolean => schema.safeParse(of(size)).success
      if (least !== null) assert.ok(takes(least), `${least}`)
      if (least !== null && least > 0) assert.ok(!takes(least - 1), `${least - 1}`)
      if (most !== null) assert.ok(takes(most), `${most}`)
      if (most !== null) assert.ok(!takes(most + 1), `${most + 1}`)
    })
  }

  test('numbers that are whole, and not less than nothing', () => {
    for (const [schema, body] of [
      [captureConfigBody, { enabled: true, sample_rate: -0.01 }],
      [captureConfigBody, { enabled: true, retention_days: 1.5 }],
      [updateDatasetBody, { expected_revision: 1.5 }],
      [updatePipelineBody, { expected_revision: 1.5 }],
      [updatePipelineBody, { holdout: { percent: 5.5 } }],
      [updatePipelineBody, { max_versions: 1.5 }],
      [importBody, { rows: [row], row_offset: 0.5 }],
      [importBody, { rows: [row], row_offset: -1 }],
    ] as const) {
      assert.ok(!schema.safeParse(body).success, JSON.stringify(body))
    }
  })
})

/** What spec 1, spec 2 and design.md say, and what a client was told once. */
test('the numbers are those of the requirements', () => {
  const said: Partial<Record<keyof typeof limits, number | string>> = {
    inferenceBodyBytesMax: 32 * MiB,
    platformBodyBytesMax: MiB,
    keepAliveSeconds: 15,
    loginTriesPerMinute: 10,
    accessTokenSeconds: 3600,
    topUpUsdMin: '0.01',
    topUpUsdMax: '1000000',
    listPageSizeDefault: 50,
    usageDaysDefault: 30,
    usageDaysMax: 400,
    importRowsMax: 5000,
    importBodyBytesMax: 64 * MiB,
    sampleBodyBytesMax: 5 * MiB,
    tagsPerSampleMax: 32,
    tagCharactersMax: 63,
    searchCharactersMin: 2,
    searchCharactersMax: 200,
    samplesPerPage: 25,
    pipelinesPerList: 20,
    recordedRetentionDays: 30,
    importedRetentionDays: 365,
    platformBytesInFlightMax: 128 * MiB,
    platformBytesPerWorkspaceMax: 64 * MiB,
    importBytesInFlightMax: 192 * MiB,
    importBytesPerWorkspaceMax: 96 * MiB,
    bodyBytesInFlightMax: 256 * MiB,
    bodyBytesPerWorkspaceMax: 128 * MiB,
    bodyBytesSmall: 64 * 1024,
    earlyRequestsMax: 64,
    jsonShapesMax: 10_000,
    jsonKeyBytesMax: MiB,
    jsonEscapesMax: 2_000_000,
  }
  for (const [name, value] of Object.entries(said)) {
    assert.equal(limits[name as keyof typeof limits], value, name)
  }
})

test('nothing more is asked for than there was', () => {
  const least: [schema: z.ZodType, body: object, filled: object][] = [
    [pageQuery, {}, { limit: 50 }],
    [usageQuery, {}, { group_by: 'day' }],
    [traceQuery, {}, { page: 1 }],
    [addMemberBody, member, member],
    [captureConfigBody, { enabled: false }, { enabled: false, tags: [] }],
    [createDatasetBody, { name: 'd' }, { name: 'd', conditions: {} }],
    [updateDatasetBody, {}, {}],
    [
      createPipelineBody,
      { name: 'p', model: { id: 'm' } },
      { name: 'p', model: { id: 'm' }, enabled: true },
    ],
    [updatePipelineBody, {}, {}],
    [postTraceBody, { deployment_id: 'd' }, { deployment_id: 'd' }],
    [signalBody, { verdict: 'good' }, { verdict: 'good' }],
    [importBody, { rows: 'a line' }, { rows: 'a line' }],
    [importQuery, {}, {}],
    [connectStorageBody, bucket, { ...bucket, force_path_style: true }],
  ]
  for (const [schema, body, filled] of least) assert.deepEqual(schema.parse(body), filled)
})

test('nothing less is asked for than there must be', () => {
  const [toImport] = importRoutes
  const refused: [schema: z.ZodType, bodies: object[]][] = [
    [loginBody, [{ email: 'a' }, { password: 'b' }]],
    [changePasswordBody, [{ current_password: 'a' }, { new_password: letters(10) }]],
    [
      createApiKeyBody,
      [
        { name: 'k' },
        { scopes: ['serverless'] },
        { name: 'k', scopes: ['serverless'], scope_preset: 'all' },
        { name: 'k', scopes: ['serverless', 'serverless'] },
      ],
    ],
    [createWorkspaceBody, [{}, { name: ' ' }]],
    [addMemberBody, [{ role: 'viewer' }, { email: 'a@b.co' }, { ...member, role: 'king' }]],
    [updateMemberBody, [{ user_id: id }, { role: 'viewer' }]],
    [topUpHeaders, [{}]],
    [captureConfigBody, [{}, { tags: [] }]],
    [createDatasetBody, [{}, { name: ' ' }]],
    [
      createPipelineBody,
      [{ name: 'p' }, { model: { id: 'm' } }, { name: ' ', model: { id: 'm' } }],
    ],
    [postTraceBody, [row]],
    [
      signalBody,
      [
        {},
        { verdict: 'edited' },
        { verdict: 'good', correction: 'no' },
        { verdict: 'edited', correction: ' \u200b' },
      ],
    ],
    [importBody, [{ source: 'f' }, { rows: ' \n' }]],
    [toImport.body, [{ rows: [row] }]],
    [
      connectStorageBody,
      ['endpoint', 'region', 'bucket', 'access_key_id'].map((name) => ({
        ...bucket,
        [name]: undefined,
      })),
    ],
    [conditions, [{ from: '2026-01-02T00:00:00Z', to: '2026-01-02T00:00:00Z' }]],
  ]
  for (const [schema, bodies] of refused) {
    for (const body of bodies) assert.ok(!schema.safeParse(body).success, JSON.stringify(body))
  }
})

test('texts, ids and times are taken in the spellings that can be kept', () => {
  for (const fine of ['', 'é', '🗝️', '\n']) assert.ok(text.safeParse(fine).success)
  for (const odd of ['\0', 'a\0b', '\ud800']) assert.ok(!text.safeParse(odd).success)
  assert.equal(
    idInput.parse('0190ABCD-0000-7000-8000-0000000000EF'),
    '0190abcd-0000-7000-8000-0000000000ef',
  )
  for (const odd of ['', 'x'.padEnd(36, '0'), `${id} `, `{${id}}`]) {
    assert.ok(!idInput.safeParse(odd).success, odd)
  }
  for (const odd of ['', ' 1', '1 ', '+1', '1e1', '1.0', '0x1', '１']) {
    assert.ok(!pageQuery.safeParse({ limit: odd }).success, odd)
  }
  assert.ok(timestampInput.safeParse('2026-01-01T00:00:00+05:30').success)
  assert.ok(timestampInput.safeParse('9999-12-31T23:59:59Z').success)
  assert.ok(!timestampInput.safeParse('9999-12-31T23:59:59-01:00').success)
  const day = { from: '2026-01-01T00:00:00Z', to: '2026-01-01T00:00:00.001Z' }
  assert.ok(conditions.safeParse(day).success)
})

test('each refusal has the status that the spec gives it', () => {
  const statuses = {
    BAD_REQUEST: 400,
    UNAUTHORIZED: 401,
    FORBIDDEN: 403,
    LOOP_COMING_SOON: 403,
    NOT_FOUND: 404,
    METHOD_NOT_ALLOWED: 405,
    CONFLICT: 409,
    SAMPLE_NOT_YET_RECORDED: 409,
    PIPELINE_NAME_TAKEN: 409,
    OWN_TAG_TAKEN: 409,
    DATASET_NAME_TAKEN: 409,
    REVISION_MISMATCH: 409,
    LAST_OWNER: 409,
    IDEMPOTENCY_KEY_REUSED: 409,
    PAYLOAD_TOO_LARGE: 413,
    METHOD_NOT_ENABLED: 422,
    MODEL_NOT_TRAINABLE: 422,
    NO_GPU_FITS: 422,
    NO_JUDGE_MODEL: 422,
    MODEL_REVISION_UNAVAILABLE: 422,
    PROMOTION_POLICY_UNKNOWN: 422,
    PROMOTION_K_REQUIRED: 422,
    PROMOTION_K_UNREACHABLE: 422,
    PROMOTION_POLICY_NEEDS_BENCHMARK: 422,
    TRAINING_SETTING_OUT_OF_RANGE: 422,
    NOT_ENOUGH_SAMPLES: 422,
    BENCHMARK_SET_TOO_SMALL: 422,
    BENCHMARK_SET_TOO_LARGE: 422,
    BENCHMARK_ROW_UNUSABLE: 422,
    BENCHMARK_ROW_HAS_NO_ANSWER: 422,
    BENCHMARK_JUDGE_HAS_NO_MODEL: 422,
    VERSION_NOT_FOUND: 404,
    BENCHMARK_NOT_ATTACHED: 404,
    CHAINED_ADAPTER_NOT_DEPLOYABLE: 400,
    TRAINING_CURVE_UNAVAILABLE: 503,
    GPU_OPTIONS_UNAVAILABLE: 503,
    AGENT_COULD_NOT_START: 503,
    RATE_LIMITED: 429,
    INTERNAL_ERROR: 500,
    IMPORT_INCOMPLETE: 500,
    MODELS_UNAVAILABLE: 503,
    UNAVAILABLE: 503,
    missing_bearer_token: 401,
    invalid_api_key: 401,
    insufficient_scope: 401,
    insufficient_balance: 402,
    model_not_found: 404,
    method_not_allowed: 405,
    request_too_large: 413,
    invalid_json: 400,
    rate_limit_exceeded: 429,
    no_healthy_route: 503,
    unavailable: 503,
  } as const
  for (const [code, status] of Object.entries(statuses)) {
    assert.equal(statusOf(code as keyof typeof statuses), status, code)
  }
})
