// One training run from rows to adapter. It says what it does through `report`, keeps its place in the job's folder,
// and looks at `signal` between steps. In which process it runs is not its concern.
import { writeAdapter } from '../../engine/embedded/llama/adapter.ts'
import type { ModelFolder } from '../../engine/embedded/llama/read-model-folder.ts'
import { writeFolderAside } from '../../lib/write-aside.ts'
import type { LeftOut, TrainingEnd, TrainingFailure, TrainingJob } from '../compute.ts'
import { effect } from '../effects.ts'
import { settingsFault } from '../training-settings.ts'
import { readBaseModel } from './base-model.ts'
import { adapterNorm, loraParameters } from './lora-parameters.ts'
import type { LoraParameters } from './lora-parameters.ts'
import { TrainingRun } from './training-run.ts'
import type { TrainContext } from './training-run.ts'
import { TrainingSession } from './training-session.ts'
import { readUsableRows } from './usable-rows.ts'
import type { UsableRows } from './usable-rows.ts'

export async function trainLora(job: TrainingJob, context: TrainContext): Promise<TrainingEnd> {
  context.report({ event: 'phase', phase: 'preparing' })
  const fault = settingsFault(job.settings)
  if (fault) return failed('BAD_SETTINGS', fault)
  const base = await readBaseModel(job.base, job.adapters)
  if ('code' in base) return failedHere(base.code, base.detail)
  const { model } = base
  let rows: UsableRows
  try {
    rows = await readUsableRows(job.rowsFile, model.config, job.seed)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    return failedHere('ROWS_UNREADABLE', `The rows of the job cannot be read: ${message}.`)
  }
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

function failed(code: TrainingFailure, message: string, leftOut: LeftOut[] = []): TrainingEnd {
  return { state: 'failed', code, message, leftOut }
}

/** By the fault of the server, so only operators are told which of its files are concerned. */
function failedHere(code: TrainingFailure, detail: string): TrainingEnd {
  return { state: 'failed', code, message: null, detail, leftOut: [] }
}

async function save(
  job: TrainingJob,
  { folder, report }: TrainContext,
  model: ModelFolder,
  parameters: LoraParameters,
  rows: UsableRows,
  run: TrainingRun,
): Promise<TrainingEnd> {
  report({ event: 'phase', phase: 'saving' })
  parameters.all.forEach(({ data }, i) => data.set(run.best[i]!))
  const norm = adapterNorm(parameters.layers)
  if (!(norm > 0) || !Number.isFinite(norm)) {
    return failed('ADAPTER_DID_NOT_MOVE', 'Training did not change the weights.', rows.leftOut)
  }
  const { lora_rank: rank, lora_alpha: alpha } = job.settings
  const adapter = { rank, alpha, layers: parameters.layers }
  await effect('write-adapter', async () => {
    await folder.make()
    await writeFolderAside(folder.adapterPath, (path) =>
      writeAdapter(path, model, adapter, job.baseName ?? job.base.path),
    )
  })
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
      stoppedEarly: state.step < run.steps,
      trainLoss: state.trainLoss,
      checkLossBefore: state.checkLossBefore,
      checkLoss: state.bestLoss,
      tokens: state.tokens,
      adapterNorm: norm,
    },
  }
}
