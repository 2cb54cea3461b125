// The port behind which models are trained: on this computer, or later on machines of a cluster. A caller tokenizes
// and masks; the port knows nothing of prompts, samples or money.

/** One conversation as token ids, with −100 as the label of every token that is not to be learned. */
export type TrainingRow = { inputIds: number[]; labels: number[] }

/** Named as on the wire, where these settings come from. */
export type TrainingSettings = {
  epochs: number
  learning_rate: number
  lora_rank: number
  lora_alpha: number
}

export type TrainingJob = {
  /** The caller's own. A second `train` with the same id attaches to the first. */
  id: string
  /** A Hugging Face folder. */
  baseModel: string
  /** How the base is called in the adapter's config; the folder's path if absent. */
  baseModelName?: string
  /** PEFT folders merged into the base, in order, before training starts. */
  adapterChain?: string[]
  rows: TrainingRow[]
  settings: TrainingSettings
  seed: number
  /** Everything the job writes lies here. The folder belongs to this job alone. */
  outputFolder: string
}

export type TrainingPhase = 'waiting' | 'preparing' | 'training' | 'checking' | 'saving'

export type CurvePoint = { step: number; loss: number | null; evalLoss: number | null }

export type TrainingProgress = {
  phase: TrainingPhase
  step: number
  totalSteps: number
  loss: number | null
  evalLoss: number | null
  learningRate: number
  /** Tokens trained on so far, repeats counted. */
  tokens: number
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
  evalLossBefore: number
  evalLoss: number
  tokens: number
  seconds: number
  /** Euclidean length of all B matrices together: how far the adapter moved. */
  adapterNorm: number
}

export type TrainingFailure =
  | 'BAD_SETTINGS'
  | 'NO_ROWS'
  | 'MODEL_UNREADABLE'
  | 'LOSS_NOT_FINITE'
  | 'WEIGHTS_DID_NOT_MOVE'
  | 'TRAINER_CRASHED'

export type TrainingOutcome =
  | {
      state: 'succeeded'
      adapterPath: string
      bestStep: number
      metrics: TrainingMetrics
      leftOut: LeftOut[]
    }
  | { state: 'failed'; code: TrainingFailure; message: string; leftOut: LeftOut[] }
  | { state: 'stopped' }

export type TrainingStatus =
  | { state: 'unknown' }
  | { state: 'running'; progress: TrainingProgress }
  | { state: 'ended'; progress: TrainingProgress | null; outcome: TrainingOutcome }

export interface Compute {
  /** Starts the job, attaches to it if it runs, or finds how it ended. */
  train(job: TrainingJob): Promise<TrainingStatus>
  /** `unknown` for a job this process has not been told of since it started: call `train` again. */
  status(id: string): Promise<TrainingStatus>
  /** Ends the job within two seconds, unless it has already ended; then its outcome stands. */
  stop(id: string): Promise<TrainingStatus>
  /** Lets go of running jobs without ending them: the next `train` takes them up from their last check. */
  close(): Promise<void>
}
