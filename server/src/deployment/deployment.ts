// A deployment as it is stored, and what it stands for: pure functions of its row and its base model.
import type { CatalogModel, CatalogRoute } from '../catalog/catalog-file.ts'
import { engineNameOf } from '../engine/engine-name.ts'
import type { Away, ResolvedModel } from '../inference/model-resolver.ts'
import type { DeploymentRow } from './deployment-store.ts'

/** Where the store of models has the folder of this hash. */
export type ModelPath = (hash: string) => string

const loopPrefix = 'loop-'

/** The tag of the pipeline that a name would belong to; null for a name of another kind. */
export function tagInName(name: string): string | null {
  return name.startsWith(loopPrefix) ? name.slice(loopPrefix.length) : null
}

/** A pipeline's live version is recorded under its tag, any other deployment under its own name. */
export function sourceOf(name: string, tags: ReadonlyMap<string, string>): string {
  const tag = tagInName(name)
  return tag !== null && tags.has(tag) ? tag : name
}

/** `tags` are the pipelines of the workspace, with their names. `base` is null where its model left the catalog. */
export function deployedModel(
  row: DeploymentRow,
  base: CatalogModel | null,
  { tags, modelPath }: { tags: ReadonlyMap<string, string>; modelPath: ModelPath },
): ResolvedModel | null {
  const routes = base ? routesOf(row, base, modelPath) : []
  if (!base || routes.length === 0) return null
  const tag = tagInName(row.name)
  const displayName = (tag !== null && tags.get(tag)) || row.name
  return {
    model: { ...base, id: row.name, display_name: displayName, routes },
    slug: base.id,
    engineName: nameAtEngine(row),
    source: { name: sourceOf(row.name, tags), serverless: false, versionNo: row.version_no },
    away: awayOf(row),
  }
}

function nameAtEngine({ model, base_revision, adapter, merged }: DeploymentRow): string {
  if (merged !== null) return `merged:${merged}`
  return engineNameOf(model, { baseRevision: base_revision, adapter })
}

/**
 * An adapter shares the weights of its base, as long as those are still what it was trained on; merged weights are a model folder of
 * their own. Both cost what the base costs.
 */
function routesOf(row: DeploymentRow, base: CatalogModel, modelPath: ModelPath): CatalogRoute[] {
  const route = base.routes.find(({ engine }) => engine === 'embedded')
  if (route?.engine !== 'embedded') return []
  const own = { ...route, model: nameAtEngine(row) }
  return [row.merged === null ? own : { ...own, model_folder: modelPath(row.merged) }]
}

const soon = 5
const later = 60

function awayOf({ name, status }: DeploymentRow): Away | null {
  switch (status) {
    case 'serving':
      return null
    case 'starting':
      return {
        sentence: `${name} is being started; try again in ${soon} s.`,
        retryAfterSeconds: soon,
        healsByItself: true,
      }
    case 'stopped':
      return notServing(`${name} is stopped; start its deployment to call it.`)
    case 'paused_for_funds':
      return notServing(`${name} is paused because the wallet is empty; add funds to call it.`)
    case 'paused_by_platform':
      return notServing(`${name} is paused by the platform.`)
    case 'failed':
      return notServing(`${name} could not be started; start its deployment again.`)
  }
}

function notServing(sentence: string): Away {
  return { sentence, retryAfterSeconds: later, healsByItself: false }
}
