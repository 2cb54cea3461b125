// The port behind which the machines are that serve deployments. It knows nothing of workspaces, money or error codes.
import type { NamedWeights } from './deployment-store.ts'

/** What is to be served, and where. */
export type Target = NamedWeights & {
  /** Slug of the base model. */
  model: string
  machine: string
  /** For whose test it is there. */
  attempt_id?: string | null
}

export type ServingFailure =
  /** None is free, or none fits. */
  | 'no-gpu'
  /** The machine does not serve such weights. */
  | 'not-certified'
  | 'broken'

export type ServingStatus =
  /** It has answered. */
  | { state: 'ready' }
  | { state: 'starting' }
  /** The machine knows nothing of it, as after a restart. */
  | { state: 'unknown' }
  /** The sentence is shown to members. */
  | { state: 'failed'; failure: ServingFailure; sentence: string }

export interface Serving {
  /** Has it loaded and asks it for a word. May be repeated, also for what is ready. */
  prepare(target: Target, signal: AbortSignal): Promise<ServingStatus>
  status(target: Target, signal: AbortSignal): Promise<ServingStatus>
  /** It need not run any more. May be repeated. */
  stop(target: Target): Promise<void>
}
