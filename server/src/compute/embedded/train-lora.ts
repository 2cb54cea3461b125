// One training run from rows to adapter. It says what it does through `report`, keeps its place in the job's folder,
// and looks at `signal` between steps. In which process it runs is not its concern.
import { mkdir } from 'node:fs/promises'
import { readAdapter, writeAdapter } from '../../engine/embedded/llama/adapter.ts'
import { addAdapter } from '../../engine/embedded/llama/merge-adapter.ts'
import { ModelFileError } from '../../engine/embedded/llama/model-file-error.ts'
import { readModelFolder } from '../../engine/embedded/llama/read-model-folder.ts'
import type { ModelFolder } from '../../engine/embedded/llama/read-model-folder.ts'
import { writeFolderAside } from '../../lib/write-aside.ts'
import type { LeftOut, TrainingFailure, TrainingJob, TrainingOutcome } from '../compute.ts'
import { settingsFault } from '../training-settings.ts'
import { adapterNorm, loraParameters } from './lora-parameters.ts'
import type { LoraParameters } from './lora-parameters.ts'
import { TrainingRun } from './training-run.ts'
import type { TrainContext } from './training-run.ts'
import { TrainingSession } from './training-session.ts'
import { usableRows } from './usable-rows.ts'
import type { UsableRows } from './usable-rows.ts'

export async function trainLora(job: TrainingJob, context: TrainContext): Promise<TrainingOutcome> {
  context.report({ event: 'phase', phase: 'preparing' })
  const fault = settingsFault(job.settings)
  if (fault) return failed('BAD_SETTINGS', fault)
  let model: ModelFolder
  try {
    model = await baseModel(job)
  } catch (error) {
    if (error instanceof ModelFileError) return failed('MODEL_UNREADABLE', error.message)
    throw error
  }
  const rows = usableRows(job.rows, model.config, job.seed)
  if (rows.training.length === 0) {
    return failed(
      'NO_ROWS',
      'No row has anything to learn within the context window.',
      rows.leftOut,
    )
  }
  const size = { rank: job.settings.lora_rank, alpha: job.settings.lora_alpha }
  const parameters = loraParameters(model.config, size.rank, job.seed)
  const session = await TrainingSession.open(model, size, parameters, context)
  try {
    const run = new TrainingRun(job, context, rows, parameters, session)
    const end = await run.train()
    if (end === 'stopped') return { state: 'stopped' }
    if (end === 'not-finite') {
      return failed(
        'LOSS_NOT_FINITE',
        `The loss was no longer a number at step ${run.state.step}; a smaller learning_rate may help.`,
        rows.leftOut,
      )
    }
    return await save(job, context, model, parameters, rows, run)
  } finally {
    await session.close()
  }
}

async function baseModel(job: TrainingJob): Promise<ModelFolder> {
  const model = await readModelFolder(job.baseModel)
  for (const path of job.adapterChain ?? []) addAdapter(model, await readAdapter(path, model))
  return model
}

function failed(code: TrainingFailure, message: string, leftOut: LeftOut[] = []): TrainingOutcome {
  return { state: 'failed', code, message, leftOut }
}

async function save(
  job: TrainingJob,
  { folder, report }: TrainContext,
  model: ModelFolder,
  parameters: LoraParameters,
  rows: UsableRows,
  run: TrainingRun,
): Promise<TrainingOutcome> {
  report({ event: 'phase', phase: 'saving' })
  parameters.all.forEach(({ data }, i) => data.set(run.best[i]!))
  const norm = adapterNorm(parameters.layers)
  if (!(norm > 0) || !Number.isFinite(norm)) {
    return failed('WEIGHTS_DID_NOT_MOVE', 'Training did not change the weights.', rows.leftOut)
  }
  const { lora_rank: rank, lora_alpha: alpha } = job.settings
  await mkdir(folder.path, { recursive: true })
  await writeFolderAside(folder.adapterPath, (path) =>
    writeAdapter(
      path,
      model,
      { rank, alpha, layers: parameters.layers },
      job.baseModelName ?? job.baseModel,
    ),
  )
  const { state } = run
  return {
    state: 'succeeded',
    adapterPath: folder.adapterPath,
    bestStep: state.bestStep,
    leftOut: rows.leftOut,
    metrics: {
      rowsTrained: rows.training.length,
      rowsChecked: rows.checking.length,
      stepsRun: state.step,
      stoppedEarly: state.step < run.totalSteps,
      trainLoss: state.trainLoss,
      evalLossBefore: state.evalLossBefore,
      evalLoss: state.bestLoss,
      tokens: state.tokens,
      seconds: state.seconds,
      adapterNorm: norm,
    },
  }
}
