// A deployment as it is stored, and what it stands for: pure functions of its row and its base model.
import type { CatalogModel, CatalogRoute, Machine } from '../catalog/catalog-file.ts'
import { engineNameOf } from '../engine/engine-name.ts'
import type { Away, ResolvedModel } from '../inference/model-resolver.ts'
import type { DeploymentRow } from './deployment-store.ts'
import { routeOn } from './machines.ts'
import type { Target } from './serving.ts'

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

/**
 * `tags` are the pipelines of the workspace, with their names. Null where its model left the catalog, or can be served no more on its
 * machine; a machine that left the catalog is as one that is away.
 */
export function deployedModel(
  row: DeploymentRow,
  { base, machine }: { base: CatalogModel | null; machine: Machine | null },
  { tags, modelPath }: { tags: ReadonlyMap<string, string>; modelPath: ModelPath },
): ResolvedModel | null {
  const route = machine ? base && targetRoute(row, base, machine, modelPath) : base?.routes[0]
  if (!base || !route) return null
  const tag = tagInName(row.name)
  const displayName = (tag !== null && tags.get(tag)) || row.name
  return {
    model: { ...base, id: row.name, display_name: displayName, routes: [route] },
    slug: base.id,
    engineName: nameAtEngine(row),
    source: { name: sourceOf(row.name, tags), serverless: false, versionNo: row.version_no },
    away: awayOf(machine ? row : { ...row, status: 'paused_by_platform' }),
  }
}

function nameAtEngine({ model, base_revision, adapter, merged }: Target): string {
  if (merged !== null) return `merged:${merged}`
  return engineNameOf(model, { baseRevision: base_revision, adapter })
}

const free = { input: 0n, output: 0n }

/** What is there for a test pays for its tokens, as the attempt reserved for them. */
function paysForTime(target: Target, { serving_usd_per_hour }: Machine): boolean {
  return serving_usd_per_hour > 0n && !target.attempt_id
}

/**
 * An adapter shares the weights of its base, as long as those are still what it was trained on; merged weights are a model folder of
 * their own. Both cost what the base costs, unless the time of their machine has a price: then tokens cost nothing.
 */
export function targetRoute(
  target: Target,
  base: CatalogModel,
  machine: Machine,
  modelPath: ModelPath,
): CatalogRoute | null {
  const found = routeOn(base, machine)
  if (!found) return null
  const route = paysForTime(target, machine) ? { ...found, pricing: free } : found
  if (route.engine !== 'embedded') return { ...route, model: route.model ?? base.id }
  const own = { ...route, model: nameAtEngine(target) }
  return target.merged === null ? own : { ...own, model_folder: modelPath(target.merged) }
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
