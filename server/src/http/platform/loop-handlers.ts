// What each route of the loop does: read what the contract parsed, call the operation, shape the answer.
import { isId } from '../../lib/id.ts'
import { cancelAttempt } from '../../loop/attempt/cancel-attempt.ts'
import * as attempts from '../../loop/attempt/read-attempts.ts'
import * as captureConfigs from '../../samples/capture/capture-configs.ts'
import * as datasets from '../../samples/dataset/datasets.ts'
import { giveFeedback } from '../../samples/feedback/give-feedback.ts'
import { retestAttempt } from '../../loop/attempt/retest-attempt.ts'
import { approveAttempt, rejectAttempt } from '../../loop/attempt/review-attempt.ts'
import { readReport } from '../../loop/test/read-report.ts'
import { createPipeline } from '../../loop/pipeline-api/create-pipeline.ts'
import { deletePipeline } from '../../loop/pipeline-api/delete-pipeline.ts'
import { describePipelines } from '../../loop/pipeline-api/describe-pipeline.ts'
import { dryRunPipeline } from '../../loop/pipeline-api/dry-run.ts'
import { listPipelines, readPipeline } from '../../loop/pipeline-api/read-pipeline.ts'
import { requirePipeline } from '../../loop/pipeline/require-pipeline.ts'
import * as versions from '../../loop/pipeline-api/read-versions.ts'
import { listTrainableModels } from '../../loop/pipeline/trainable-models.ts'
import { updatePipeline } from '../../loop/pipeline-api/update-pipeline.ts'
import { startAttempt } from '../../loop/attempt/start-attempt.ts'
import { deleteTrace } from '../../samples/trace/delete-trace.ts'
import { postTrace } from '../../samples/trace/post-trace.ts'
import { readTrace } from '../../samples/trace/read-trace.ts'
import { listTraces } from '../../samples/trace/list-traces.ts'
import { readStats } from '../../samples/stats/read-stats.ts'
import type { Handlers, PlatformRouteName } from './handler.ts'
import { cutPage, readCursor } from './page.ts'

const isNumber = (text: string): boolean => /^\d{1,9}$/.test(text)

export const loopHandlers = {
  listTrainableModels: async ({ app }) => ({
    models: listTrainableModels(app.catalog),
    next_cursor: null,
  }),
  createPipeline: ({ app, caller, body }) => createPipeline(app, caller, body),
  listPipelines: async ({ app, caller, query }) => {
    const before = readCursor('pipelines', query.cursor, isId)
    const found = await listPipelines(app, caller, { limit: query.limit + 1, before })
    const { rows, next_cursor } = cutPage('pipelines', found, query.limit, (row) => row.id)
    return { pipelines: await describePipelines(app, rows), next_cursor }
  },
  getPipeline: ({ app, caller, params }) => readPipeline(app, caller, params.pipeline_id ?? ''),
  updatePipeline: ({ app, caller, params, body }) =>
    updatePipeline(app, caller, params.pipeline_id ?? '', body),
  deletePipeline: ({ app, caller, params }) =>
    deletePipeline(app, caller, params.pipeline_id ?? ''),
  runPipeline: async ({ app, caller, params, body }) => {
    const id = params.pipeline_id ?? ''
    if (body.dry_run === true) return dryRunPipeline(app, caller, id)
    return attempts.showAttempt(app, await startAttempt(app, caller, id))
  },

  listAttempts: async ({ app, caller, params, query }) => {
    const before = readCursor('attempts', query.cursor, isId)
    const { id } = await requirePipeline(app, caller, params.pipeline_id ?? '')
    const page = { limit: query.limit + 1, before, result: query.result ?? null }
    const found = await attempts.listAttemptRows(app, id, page)
    const { rows, next_cursor } = cutPage('attempts', found, query.limit, (row) => row.id)
    return { attempts: await attempts.describeAttempts(app, rows), next_cursor }
  },
  getAttempt: ({ app, caller, params }) =>
    attempts.readAttempt(app, caller, params.attempt_id ?? ''),
  getAttemptCurve: ({ app, caller, params }) =>
    attempts.readCurve(app, caller, params.attempt_id ?? ''),
  getAttemptReport: async ({ app, caller, params, query }) =>
    readReport(app, await attempts.requireAttempt(app, caller, params.attempt_id ?? ''), query),
  cancelAttempt: async ({ app, caller, params }) => {
    const { id } = await attempts.requireAttempt(app, caller, params.attempt_id ?? '')
    return attempts.showAttempt(app, await cancelAttempt(app, caller, id))
  },
  approveAttempt: async ({ app, caller, params, body }) => {
    const row = await approveAttempt(app, caller, params.attempt_id ?? '', body)
    return attempts.showAttempt(app, row)
  },
  rejectAttempt: async ({ app, caller, params }) => {
    const row = await rejectAttempt(app, caller, params.attempt_id ?? '')
    return attempts.showAttempt(app, row)
  },
  retestAttempt: async ({ app, caller, params }) => {
    const row = await retestAttempt(app, caller, params.attempt_id ?? '')
    return attempts.showAttempt(app, row)
  },

  listVersions: async ({ app, caller, params, query }) => {
    const page = {
      limit: query.limit + 1,
      after: Number(readCursor('versions', query.cursor, isNumber) ?? 0),
    }
    const found = await versions.listVersions(app, caller, params.pipeline_id ?? '', page)
    const numberOf = ({ version_no }: { version_no: number }) => version_no.toString()
    const { rows, next_cursor } = cutPage('versions', found, query.limit, numberOf)
    return { versions: rows, next_cursor }
  },
  getLiveHistory: async ({ app, caller, params, query }) => {
    const cursor = readCursor('entries', query.cursor, isNumber)
    const page = { limit: query.limit + 1, before: cursor === null ? null : Number(cursor) }
    const found = await versions.listLiveHistory(app, caller, params.pipeline_id ?? '', page)
    const numberOf = ({ no }: { no: number }) => no.toString()
    const { rows, next_cursor } = cutPage('entries', found, query.limit, numberOf)
    return { entries: rows.map(({ entry }) => entry), next_cursor }
  },

  getCaptureConfig: ({ app, caller, params }) =>
    captureConfigs.readCaptureConfig(app, caller, params.deployment_id ?? ''),
  putCaptureConfig: ({ app, caller, params, body }) =>
    captureConfigs.putCaptureConfig(app, caller, params.deployment_id ?? '', body),
  deleteCaptureConfig: ({ app, caller, params }) =>
    captureConfigs.deleteCaptureConfig(app, caller, params.deployment_id ?? ''),
  getLoopStats: ({ app, caller }) => readStats(app, caller),

  postTrace: ({ app, caller, body }) => postTrace(app, caller, body),
  listTraces: ({ app, caller, query }) => listTraces(app, caller, query),
  getTrace: ({ app, caller, params }) => readTrace(app, caller, params.sample_id ?? ''),
  deleteTrace: ({ app, caller, params }) => deleteTrace(app, caller, params.sample_id ?? ''),
  giveFeedback: ({ app, caller, params, body }) =>
    giveFeedback(app, caller, params.sample_id ?? '', body),

  listDatasets: async ({ app, caller, query }) => {
    const before = readCursor('datasets', query.cursor, isId)
    const found = await datasets.listDatasets(app, caller, { limit: query.limit + 1, before })
    const { rows, next_cursor } = cutPage('datasets', found, query.limit, (row) => row.id)
    return { datasets: await datasets.describeDatasets(app, rows, query.count), next_cursor }
  },
  createDataset: ({ app, caller, body }) => datasets.createDataset(app, caller, body),
  getDataset: ({ app, caller, params, query }) =>
    datasets.readDataset(app, caller, params.dataset_id ?? '', query.count),
  updateDataset: ({ app, caller, params, body }) =>
    datasets.updateDataset(app, caller, params.dataset_id ?? '', body),
  deleteDataset: ({ app, caller, params }) =>
    datasets.deleteDataset(app, caller, params.dataset_id ?? ''),
} satisfies Partial<Handlers<PlatformRouteName>>
