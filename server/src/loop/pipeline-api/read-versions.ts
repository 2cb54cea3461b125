// Reads the versions of a pipeline, and which of them was live when. Those of a deleted pipeline are kept and hidden. Spec 2, deletion.
import type { LiveEntry, Version } from '#contract/version.ts'
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import { describeLiveEntry, describeVersion } from '../version/describe-version.ts'
import * as store from '../version/version-store.ts'
import { requirePipeline } from '../pipeline/require-pipeline.ts'

/** v1 first; `after` is the last number of the page before. */
export async function listVersions(
  app: App,
  caller: Caller,
  id: string,
  page: { limit: number; after: number },
): Promise<Version[]> {
  const pipeline = await requirePipeline(app, caller, id)
  return (await store.listVersions(app.storage.db, pipeline.id, page)).map(describeVersion)
}

/** Newest first; `before` is the last number of the page before. */
export async function listLiveHistory(
  app: App,
  caller: Caller,
  id: string,
  page: { limit: number; before: number | null },
): Promise<{ no: number; entry: LiveEntry }[]> {
  const pipeline = await requirePipeline(app, caller, id)
  const rows = await store.listLiveHistory(app.storage.db, pipeline.id, page)
  return rows.map((row) => ({ no: row.no, entry: describeLiveEntry(row) }))
}
