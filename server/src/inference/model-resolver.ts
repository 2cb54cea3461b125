// What the name of a model stands for, as a port: inference declares it and does not know deployments.
import type { ModelRow } from '#contract/model.ts'
import type { Caller } from '../account/caller.ts'
import type { CatalogModel, CatalogRoute } from '../catalog/catalog-file.ts'
import type { RecordingSource } from './recorder.ts'

/** What a name stood for when its call began. It never changes, so a call stays whole with the model it began on. */
export type ResolvedModel = {
  /** Abilities, windows, and routes with their prices, under the name by which it is called. */
  readonly model: CatalogModel
  /** The catalog's slug of the base model, for what is counted over all workspaces. */
  readonly slug: string
  /** The same name always stands for the same weights, so that cached prompts belong to it. */
  readonly engineName: string
  readonly source: RecordingSource
  /** Null while it serves. Else its calls are refused once nothing else is wrong with them. */
  readonly away: Away | null
}

export type Away = { sentence: string; retryAfterSeconds: number; healsByItself: boolean }

export interface ModelResolver {
  /** Fails with a Refusal for what does not exist for this caller, or does not speak this dialect. */
  resolve(caller: Caller, name: string, dialect: 'chat' | 'messages'): Promise<ResolvedModel>
  /** The deployments that this caller may call, as rows of the catalog. */
  deploymentsOf(caller: Caller): Promise<ModelRow[]>
  /** Where deployments lead that were called here lately, or that were replaced a moment ago, so that their engines stay open. */
  routesInUse(now: Date): CatalogRoute[]
  /**
   * The source of calls that this id or name of a deployment stands for, beside the models of the catalog and the tags of pipelines; null
   * where the workspace has none.
   */
  sourceNamed(workspaceId: string, given: string): Promise<string | null>
  /** For a change made in this process, so that its next call sees it. */
  forget(workspaceId: string): void
}
