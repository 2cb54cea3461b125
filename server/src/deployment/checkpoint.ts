// What training made, as deployments need to know it. The loop says it, and deployments do not know the loop.
export type Checkpoint = {
  /** Slug of the base model, and the content hash of its weights. */
  model: string
  baseRevision: string
  kind: 'adapter' | 'merged'
  /** It was trained on top of an earlier version, so that the adapter alone is not the model. */
  chained: boolean
  /** The pipeline that it is live in, where nothing serves it. */
  unserved: { pipelineId: string; versionNo: number; name: string } | null
}

/** Null for what no attempt of the workspace has made. */
export type FindCheckpoint = (workspaceId: string, hash: string) => Promise<Checkpoint | null>
