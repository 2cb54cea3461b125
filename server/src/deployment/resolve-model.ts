// What a model's name stands for when a call begins: a row of the catalog, or a deployment of the caller's workspace, which the name
// `loop-<tag>` of a pipeline is too. Catalog names are resolved without the database; deployments are cached by workspace.
import type { ModelRow } from '#contract/model.ts'
import type { Caller } from '../account/caller.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { CatalogModel, CatalogRoute } from '../catalog/catalog-file.ts'
import { modelRow } from '../catalog/model-row.ts'
import { Refusal } from '../core/refusal.ts'
import type { ModelResolver, ResolvedModel } from '../inference/model-resolver.ts'
import type { Storage } from '../storage/open-storage.ts'
import { WorkspaceCache } from '../storage/workspace-cache.ts'
import { deployedModel, type ModelPath, sourceOf, tagInName, targetRoute } from './deployment.ts'
import { type DeploymentRow, listDeployments } from './deployment-store.ts'
import { listReplaced, type ReplacedTarget } from './replaced-store.ts'
import { isForTest } from './serve-for-test.ts'

export type ResolverPorts = {
  storage: Storage
  catalog: Catalog
  modelPath: ModelPath
  /** The names of a workspace's pipelines by their tags. */
  pipelines: (workspaceId: string) => Promise<ReadonlyMap<string, string>>
}

/** What a workspace has beside the catalog. */
type Own = {
  rows: ReadonlyMap<string, DeploymentRow>
  tags: ReadonlyMap<string, string>
  /** What answered under one of the names a moment ago. */
  replaced: readonly ReplacedTarget[]
  /** By the row of the catalog on which each was worked out. */
  resolved: Map<string, { base: CatalogModel | null; model: ResolvedModel | null }>
}

export class Deployments implements ModelResolver {
  readonly #ports: ResolverPorts
  readonly #own: WorkspaceCache<Own>
  readonly #ofCatalog = new WeakMap<CatalogModel, ResolvedModel>()

  constructor(ports: ResolverPorts) {
    this.#ports = ports
    const { storage, pipelines } = ports
    // Pipelines notify as what is recorded does.
    const channels = ['deployments_changed', 'capture_changed'] as const
    this.#own = new WorkspaceCache(storage.changes, channels, async (workspaceId) => {
      const [rows, tags, replaced] = await Promise.all([
        listDeployments(storage.db, workspaceId),
        pipelines(workspaceId),
        listReplaced(storage.db, workspaceId),
      ])
      const byName = new Map(rows.map((row) => [row.name, row]))
      return { rows: byName, tags, replaced, resolved: new Map() }
    })
  }

  forget(workspaceId: string): void {
    this.#own.forget(workspaceId)
  }

  async resolve(
    caller: Caller,
    name: string,
    dialect: 'chat' | 'messages',
  ): Promise<ResolvedModel> {
    const listed = this.#ports.catalog.find(name)
    if (listed) return this.#listed(listed)
    let own = await this.#own.of(caller.workspace.id)
    let found = meaningOf(caller, name, own)
    if (found === null && (caller.key?.pipelineId ?? null) !== null) {
      // A test calls what it began to serve a moment ago, of which the notification may still be on its way.
      this.#own.forget(caller.workspace.id)
      own = await this.#own.of(caller.workspace.id)
      found = meaningOf(caller, name, own)
    }
    if (found === null) {
      throw notFound(
        `There is no model ${JSON.stringify(name.slice(0, 200))}; GET /v1/models lists them.`,
      )
    }
    const isTest = found.kind === 'deployment' && isForTest(found.row)
    // Spec 1, errors: a model that the key cannot reach. The key of a test needs no scope but its own.
    if (!isTest && !caller.scopes.has('deployments:read')) {
      throw notFound(`Calling ${name} needs a key with the scope deployments:read.`)
    }
    if (dialect === 'messages') {
      throw new Refusal(
        'unsupported_by_model',
        `${name} is a deployment and answers POST /v1/chat/completions only.`,
        { param: 'model' },
      )
    }
    switch (found.kind) {
      case 'deployment': {
        const deployed = this.#deployed(own, found.row)
        if (deployed) return deployed
        const { model } = found.row
        throw notFound(
          `${name} cannot be called because its model ${model} is not served any more.`,
        )
      }
      case 'without-version':
        throw notFound(
          `${name} has no live version yet; it can be called once its pipeline has put one live.`,
        )
    }
  }

  async deploymentsOf(caller: Caller): Promise<ModelRow[]> {
    if (!caller.scopes.has('serverless') || !caller.scopes.has('deployments:read')) return []
    const own = await this.#own.of(caller.workspace.id)
    return [...own.rows.values()].flatMap((row) => {
      if (isForTest(row)) return []
      const deployed = this.#ports.catalog.find(row.name) ? null : this.#deployed(own, row)
      return deployed ? [modelRow(deployed.model)] : []
    })
  }

  async sourceNamed(workspaceId: string, given: string): Promise<string | null> {
    const { rows, tags } = await this.#own.of(workspaceId)
    const row = rows.get(given) ?? [...rows.values()].find(({ id }) => id === given)
    return row === undefined || isForTest(row) ? null : sourceOf(row.name, tags)
  }

  routesInUse(now: Date): CatalogRoute[] {
    return [...this.#own.values].flatMap(({ resolved, replaced }) => [
      ...[...resolved.values()].flatMap(({ model }) =>
        model?.away === null ? model.model.routes : [],
      ),
      ...replaced.filter(({ stop_at }) => stop_at > now).flatMap((one) => this.#routeOf(one)),
    ])
  }

  #routeOf(target: ReplacedTarget): CatalogRoute[] {
    const { catalog, modelPath } = this.#ports
    const [base, machine] = [catalog.find(target.model), catalog.machine(target.machine)]
    const route = base && machine && targetRoute(target, base, machine, modelPath)
    return route ? [route] : []
  }

  #listed(model: CatalogModel): ResolvedModel {
    let resolved = this.#ofCatalog.get(model)
    if (!resolved) {
      const { id } = model
      const source = { name: id, serverless: true, versionNo: null }
      resolved = { model, slug: id, engineName: id, source, away: null }
      this.#ofCatalog.set(model, resolved)
    }
    return resolved
  }

  /** Once for each row, so that its routes stay the same objects, by which prices and health are remembered. */
  #deployed(own: Own, row: DeploymentRow): ResolvedModel | null {
    const base = this.#ports.catalog.find(row.model)
    const known = own.resolved.get(row.name)
    if (known?.base === base) return known.model
    const { catalog, modelPath } = this.#ports
    const machine = catalog.machine(row.machine)
    const model = deployedModel(row, { base, machine }, { tags: own.tags, modelPath })
    own.resolved.set(row.name, { base, model })
    return model
  }
}

/** What a name stands for that is in no catalog. */
type Meaning = { kind: 'deployment'; row: DeploymentRow } | { kind: 'without-version' }

function meaningOf({ key }: Caller, name: string, { rows, tags }: Own): Meaning | null {
  const row = rows.get(name)
  // What an attempt tests is there for the scoring key of its pipeline alone; for all others the name is unknown.
  if (row && isForTest(row) && row.pipeline_id !== key?.pipelineId) return null
  if (row) return { kind: 'deployment', row }
  const tag = tagInName(name)
  return tag !== null && tags.has(tag) ? { kind: 'without-version' } : null
}

function notFound(message: string): Refusal {
  return new Refusal('model_not_found', message, { param: 'model' })
}
