// The ports of the running application, grouped by what they are for. Operations take it first: `verb(app, caller, params)`.
import type { Logger } from 'pino'
import type { Identity } from './account/identify-caller.ts'
import type { LoginTurns } from './account/login-turns.ts'
import type { Catalog } from './catalog/catalog.ts'
import type { Compute } from './compute/compute.ts'
import type { Config } from './config.ts'
import type { FindCheckpoint } from './deployment/checkpoint.ts'
import type { Serving } from './deployment/serving.ts'
import type { AbortGuard } from './inference/abort-guard.ts'
import type { AnswerPorts } from './inference/answer-call.ts'
import type { ModelResolver } from './inference/model-resolver.ts'
import type { Recorder } from './inference/recorder.ts'
import type { WorkspaceLimits } from './inference/workspace-limits.ts'
import type { Clock } from './lib/clock.ts'
import type { Metrics } from './lib/metrics.ts'
import type { WorkspaceTurns } from './lib/workspace-turns.ts'
import type { RowSelector } from './loop/selection/rows-selection.ts'
import type { ModelStore } from './model-store/model-store.ts'
import type { PromptCache } from './prompt-cache/prompt-cache.ts'
import type { CaptureBook } from './samples/capture/capture-book.ts'
import type { ImportReader } from './samples/import/import-reader.ts'
import type { OwnStorages } from './samples/own-storage/own-storages.ts'
import type { DerivedData } from './samples/retention/derived-data.ts'
import type { Redaction } from './samples/sample/redaction.ts'
import type { SearchSlots } from './samples/search/search-slots.ts'
import type { Storage } from './storage/open-storage.ts'
import type { UsageWriter } from './usage/usage-writer.ts'
import type { Wallets } from './wallet/wallets.ts'

export type App = {
  config: Config
  clock: Clock
  log: Logger
  metrics: Metrics
  storage: Storage
  catalog: Catalog
  calls: Calls
  money: Money
  samples: Samples
  serving: ServingPorts
  learning: Learning
  operations: Operations
}

/** What a call of a model passes through. */
export type Calls = {
  /** What the names of models stand for. */
  models: ModelResolver
  limits: WorkspaceLimits
  abortGuard: AbortGuard
  promptCache: PromptCache
  recorder: Recorder
  answerPorts: AnswerPorts
  /** For prompts that are only counted. */
  counts: WorkspaceTurns
  thinkingKey: Uint8Array
  /** So that a shutdown that runs out of patience can end them. */
  underWay: Set<AbortController>
}

export type Money = {
  wallets: Wallets
  usage: UsageWriter
}

export type Samples = {
  captureBook: CaptureBook
  redaction: Redaction
  imports: ImportReader
  ownStorages: OwnStorages
  searches: SearchSlots
  /** For statements that may read all that a workspace has. */
  longReads: WorkspaceTurns
  derived: DerivedData
}

/** What deployments are served by. */
export type ServingPorts = {
  machines: Serving
  findCheckpoint: FindCheckpoint
}

export type Learning = {
  /** Trains and merges models. */
  compute: Compute
  /** Models and adapters that Hone keeps, by content hash. */
  modelStore: ModelStore
  rowSelector: RowSelector
}

export type Operations = {
  identity: Identity
  loginTurns: LoginTurns
  /** Until the database has been reached and is as this version needs it. */
  opening: boolean
  /** Set once the signal to stop has come. */
  closing: boolean
}
