// A good body for every platform route that takes one, fresh each time, so that tests can spoil it field by field.
import type { RouteName } from '#contract/routes.ts'

let made = 0

export const absentId = '01900000-0000-7000-8000-000000000000'

const importRow = { prompt: 'Is it open?', completion: 'Until six.' }

const pipelineSettings = {
  tags: ['mail'],
  conditions: { feedback: 'good' },
  datasets: [],
  use_case: 'Opening hours',
  training: { epochs: 3 },
  builds_on: 'base',
  schedule: { every: 'week', at: '03:30', weekday: 'sunday' },
  holdout: { percent: 10 },
  promotion: { policy: 'k_of_n', k: 1, evidence: 'life' },
  auto_scoring: false,
  max_versions: 5,
}

export const goodBodies: Partial<Record<RouteName, () => Record<string, unknown>>> = {
  login: () => ({ email: `nobody-${++made}@example.com`, password: 'some password' }),
  changePassword: () => ({ current_password: 'not this one', new_password: 'a new password' }),
  createApiKey: () => ({ name: `Key ${++made}`, scopes: ['models:read'], expires_at: null }),
  createWorkspace: () => ({ name: `Workspace ${++made}` }),
  addMember: () => ({
    email: `new-${++made}@example.com`,
    name: 'New',
    role: 'viewer',
    workspace_ids: [],
    password: 'their password',
  }),
  updateMember: () => ({ user_id: absentId, role: 'viewer', workspace_ids: [] }),
  removeMember: () => ({ user_id: absentId }),
  createDeployment: () => ({ model: 'no/model', name: `served-${++made}` }),
  topUpWallet: () => ({ amount_usd: '1' }),
  connectStorage: () => ({
    endpoint: 'https://127.0.0.1',
    region: 'us-east-1',
    bucket: 'some-bucket',
    prefix: 'some/folder',
    access_key_id: 'some-access-key',
    secret_access_key: 'some-secret-key',
    force_path_style: true,
  }),
  createPipeline: () => ({
    name: `Pipeline ${++made}`,
    model: { id: 'no/model' },
    enabled: true,
    ...pipelineSettings,
  }),
  updatePipeline: () => ({
    name: `Pipeline ${++made}`,
    enabled: true,
    expected_revision: 1,
    ...pipelineSettings,
  }),
  runPipeline: () => ({ dry_run: true }),
  approveAttempt: () => ({ force: true, expected_revision: 1 }),
  postTrace: () => ({
    deployment_id: 'serverless',
    ...importRow,
    labels: ['mail'],
    feedback: { verdict: 'corrected', correction: 'Until seven.' },
  }),
  giveFeedback: () => ({ verdict: 'corrected', correction: 'Until seven.', labels: ['mail'] }),
  putCaptureConfig: () => ({ enabled: true, tags: ['mail'], sample_rate: 0.5, retention_days: 7 }),
  createDataset: () => ({
    name: `Dataset ${++made}`,
    conditions: { tags: ['mail'], match: 'any' },
  }),
  updateDataset: () => ({ name: `Dataset ${++made}`, conditions: {}, expected_revision: 1 }),
  importSamples: () => ({ source: 'a file', rows: [importRow], labels: ['mail'], row_offset: 0 }),
  importIntoPipeline: () => ({ rows: [importRow], labels: [], default_feedback: 'good' }),
}
