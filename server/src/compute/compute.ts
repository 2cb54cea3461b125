// The port behind which models are trained and merged: on this computer, or later on machines of a cluster. A caller
// tokenizes and masks; the port knows nothing of prompts, samples or money.
import type { TrainingSettings } from '#contract/training.ts'

/** A line of the rows file: one conversation as token ids, with −100 as the label of every token that is not to be learned. */
export type TrainingRow = { inputIds: number[]; labels: number[] }

export type BaseModel = {
  /** A Hugging Face folder. */
  path: string
  /** The content hash that the folder must have. */
  revision: string
}

export type TrainingJob = {
  /** A UUID of the caller's. A second `train` with the same id attaches to the first. */
  id: string
  base: BaseModel
  /** How the base is called in the adapter's config; the folder's path if absent. */
  baseName?: string
  /** PEFT folders merged into the base, in order, before training starts. */
  adapters?: readonly string[]
  /** JSON lines of `TrainingRow`. The job owns the file: it is deleted when the job ends. */
  rowsFile: string
  /** `replay_percent` says how the rows were chosen; the trainer only checks its range. */
  settings: TrainingSettings
  /** True if absent. Without it all steps run, and the parameters of the last step are kept, not those of the best check. */
  stopsEarly?: boolean
  seed: number
}

export type TrainingPhase = 'waiting' | 'preparing' | 'training' | 'checking' | 'saving'

/** Named as on the wire. */
export type CurvePoint = { step: number; loss: number | null; check_loss: number | null }

export type TrainingProgress = {
  phase: TrainingPhase
  step: number
  /** Of the whole run; 0 until they are known. */
  steps: number
  loss: number | null
  checkLoss: number | null
  learningRate: number
  /** Tokens trained on so far, repeats counted. */
  tokens: number
  /** Used so far, as in the outcome. */
  seconds: number
  /** At the pace of recent steps, if training does not stop early; null until there is a pace. */
  secondsLeft: number | null
  /** Mean loss between points, and the checks. A few hundred points at most. */
  curve: CurvePoint[]
}

/** Rows that were not trained on. `too-long` exceeds the context window; `nothing-to-learn` has no label. */
export type LeftOut = { reason: 'too-long' | 'nothing-to-learn' | 'malformed'; count: number }

export type TrainingMetrics = {
  rowsTrained: number
  rowsChecked: number
  stepsRun: number
  stoppedEarly: boolean
  trainLoss: number
  checkLossBefore: number
  /** Of the parameters that were kept. */
  checkLoss: number
  tokens: number
  /** Euclidean length of all B matrices together: how far the adapter moved. */
  adapterNorm: number
}

export type TrainingFailure =
  | 'BAD_SETTINGS'
  | 'NO_ROWS'
  | 'ROWS_UNREADABLE'
  | 'MODEL_UNREADABLE'
  | 'BASE_CHANGED'
  | 'LOSS_NOT_FINITE'
  | 'ADAPTER_DID_NOT_MOVE'
  | 'TRAINER_CRASHED'

/** How a training ended, but for the time it took. */
export type TrainingEnd =
  | {
      state: 'succeeded'
      adapterPath: string
      /** The step whose parameters were kept. */
      bestStep: number
      metrics: TrainingMetrics
      leftOut: LeftOut[]
    }
  | {
      state: 'failed'
      code: TrainingFailure
      /** For members, so without a path of the server; null where the code says it all. */
      message: string | null
      /** For operators. */
      detail?: string
      leftOut: LeftOut[]
    }
  | { state: 'stopped' }

export type TrainingOutcome = TrainingEnd & {
  /** Wall time that led to the outcome: what a killed process did after the checkpoint that was gone on from is left out, and so is time in the queue. */
  seconds: number
}

export type TrainingStatus =
  | { state: 'unknown' }
  | { state: 'running'; progress: TrainingProgress }
  /** An unfinished job that this process has not been told to work on; `train` takes it up. */
  | { state: 'idle'; progress: TrainingProgress }
  | { state: 'ended'; progress: TrainingProgress; outcome: TrainingOutcome }

export type MergeFailure = 'MODEL_UNREADABLE' | 'BASE_CHANGED' | 'MERGE_CRASHED'

export type MergeOutcome =
  /** The content hash of the merged model, under which the model store has it. */
  | { state: 'merged'; revision: string }
  /** `detail` is for operators, with paths of the server. */
  | { state: 'failed'; code: MergeFailure; detail: string }

export interface Compute {
  /**
   * Starts the job, attaches to it if it runs, takes up an unfinished one of an earlier process from its last check, or finds how it
   * ended. Jobs run one at a time, in order of arrival.
   */
  train(job: TrainingJob): Promise<TrainingStatus>
  /** Changes nothing. `unknown` for an id that no job has. */
  status(id: string): Promise<TrainingStatus>
  /** Ends the job within two seconds, unless it has already ended; then its outcome stands. */
  stop(id: string): Promise<TrainingStatus>
  /** Removes all that an ended job has left, its adapter included; refused while it runs. May be repeated. */
  forget(id: string): Promise<void>
  /** Adds the adapters to the base, in order, and keeps the result in the model store. May be repeated. */
  merge(base: BaseModel, adapters: readonly string[]): Promise<MergeOutcome>
  /** Removes what killed processes left of jobs that were forgotten and of merges. */
  removeLeft(): Promise<void>
  /** The pace at which this model would be trained, measured with a few steps on rows of about so many tokens. */
  secondsPerToken(modelFolder: string, tokensPerRow: number): Promise<number>
  /** Lets go of running jobs without ending them: the next `train` takes them up from their last check. */
  close(): Promise<void>
}
