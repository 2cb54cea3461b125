// Opens what operations are given. Nothing here waits for the database: whoever comes before it is there is told so.
import { dirname, join } from 'node:path'
import type { Logger } from 'pino'
import { Identity } from './account/identify-caller.ts'
import { LoginTurns } from './account/login-turns.ts'
import type { App } from './app.ts'
import { Catalog } from './catalog/catalog.ts'
import type { CatalogRoute } from './catalog/catalog-file.ts'
import { EmbeddedCompute } from './compute/embedded/embedded-compute.ts'
import type { Config } from './config.ts'
import { EngineServing } from './deployment/engine-serving.ts'
import { Deployments } from './deployment/resolve-model.ts'
import { walkedDeployments } from './deployment/walk.ts'
import type { Engine } from './engine/engine.ts'
import { Engines } from './engine/engines.ts'
import { AbortGuard } from './inference/abort-guard.ts'
import { CallPlaces } from './inference/call-places.ts'
import { countTurns } from './inference/count-turns.ts'
import { RouteHealth } from './inference/route-health.ts'
import { WorkspaceLimits } from './inference/workspace-limits.ts'
import type { Clock } from './lib/clock.ts'
import { createMetrics } from './lib/metrics.ts'
import { openSecrets } from './lib/secrets.ts'
import { ImportReader } from './samples/import/import-reader.ts'
import { longReadTurns } from './long-reads.ts'
import { openLoop } from './open-loop.ts'
import { OwnStorages } from './samples/own-storage/own-storages.ts'
import { listPipelineNames } from './loop/pipeline/pipeline-store.ts'
import { countMarks, removeMarks } from './loop/selection/mark-store.ts'
import { ThreadedRowSelector } from './loop/selection/threaded-row-selector.ts'
import { countTestRows, forgetTestWords, listWordsHeld } from './loop/test/test-words-store.ts'
import { readOldestDue } from './loop/attempt/attempt-due-store.ts'
import { findCheckpoint } from './loop/attempt/find-checkpoint.ts'
import { AttemptStarter } from './loop/attempt/attempt-starter.ts'
import { walkedAttempts } from './loop/attempt/walk.ts'
import { RedactionPool } from './samples/redact/redaction-pool.ts'
import { SampleIndexer } from './samples/search/sample-indexer.ts'
import { SearchSlots } from './samples/search/search-slots.ts'
import type { DerivedData } from './samples/retention/derived-data.ts'
import { ModelStore } from './model-store/model-store.ts'
import type { OpenDatabase } from './open-database.ts'
import type { OpenParts } from './open-parts.ts'
import { openWallets } from './open-wallets.ts'
import { PromptCache } from './prompt-cache/prompt-cache.ts'
import { makeStorage, type StorageOptions } from './storage/open-storage.ts'
import { RowWalker } from './storage/row-walker.ts'
import type { Background } from './task/all-tasks.ts'
import { UsageWriter } from './usage/usage-writer.ts'

export type AppOptions = {
  config: Config
  env: Record<string, string | undefined>
  clock: Clock
  log: Logger
  database: OpenDatabase
  leaseMs?: number | undefined
  storage?: StorageOptions | undefined
}

export async function openApp(
  parts: OpenParts,
  options: AppOptions,
): Promise<{ app: App; background: Background }> {
  const { config, clock, log, database } = options
  const storage = makeStorage(database.url, clock, options.storage)
  parts.add(() => storage.close())
  const metrics = createMetrics({
    chargesPending: () => wallets.chargesPending,
    storageConnected: () => storage.changes.connected,
    oldestDueAttempt: () => readOldestDue(storage.db, clock.now()),
    now: () => clock.now(),
  })
  const usage = new UsageWriter(storage)
  parts.addTogether(() => usage.flush())
  const wallets = openWallets({ config, clock, log, metrics, usage }, storage, options.leaseMs)
  parts.addTogether(() => wallets.close())
  const catalog = await Catalog.open(config.catalogFile, log)
  parts.add(() => catalog.close())
  // In the data folder that is a first start; elsewhere the name may be mistyped.
  if (catalog.isNew && dirname(config.catalogFile) !== config.dataDir) {
    log.warn(
      { file: config.catalogFile },
      'the file that HONE_CATALOG names did not exist, so the default catalog was written there',
    )
  }
  const secrets = await openSecrets(config.dataDir, config.secret)
  const storeRoot = join(config.dataDir, 'objects')
  const modelStore = new ModelStore(storeRoot)
  const engines = new Engines(
    options.env,
    secrets.keyFor('cache-salt'),
    modelStore,
    config.modelMemoryBytes,
  )
  parts.add(() => engines.close())
  const compute = new EmbeddedCompute({ root: join(config.dataDir, 'compute'), storeRoot })
  parts.add(() => compute.close())

  const self = { processId: wallets.processId, alone: database.exclusive }
  const callPlaces = new CallPlaces(storage, self)
  parts.addTogether(() => callPlaces.close())
  const limits = new WorkspaceLimits(storage, clock, callPlaces, () => ({
    requestsPerMinute: catalog.limits.requests_per_minute,
    tokensPerMinute: catalog.limits.tokens_per_minute,
    concurrentCalls: catalog.limits.concurrent_calls,
  }))
  parts.addTogether(() => limits.drained())
  const abortGuard = new AbortGuard(storage, clock, self)
  parts.addTogether(() => abortGuard.close())
  const promptCache = new PromptCache(storage, clock, log)
  parts.addTogether(() => promptCache.drained())

  const ownStorages = new OwnStorages(storage, clock, {
    key: secrets.keyFor('own-storage'),
    hosts: config.storageHosts,
  })
  parts.add(() => ownStorages.close())
  const imports = new ImportReader()
  parts.add(() => imports.close())
  const redaction = new RedactionPool()
  parts.add(() => redaction.close())
  const threadSettings = {
    databaseUrl: database.url,
    ownStorage: { key: ownStorages.key, hosts: ownStorages.hosts.text },
  }
  const loop = openLoop({
    storage,
    clock,
    log,
    recording: threadSettings,
    loopOn: config.loopOn,
  })
  parts.addTogether(() => loop.close())
  const indexer = new SampleIndexer(database.url)
  parts.addTogether(() => indexer.close())
  const rowSelector = new ThreadedRowSelector(threadSettings)
  parts.addTogether(() => rowSelector.close())

  const walker = new RowWalker(walkedAttempts, self)
  parts.addTogether(() => walker.close())
  const deployments = new RowWalker(walkedDeployments, self)
  parts.addTogether(() => deployments.close())
  const modelPath = (hash: string): string => modelStore.modelPath(hash)
  const engineAt = (route: CatalogRoute): Engine => engines.at(route)

  const app: App = {
    config,
    clock,
    log,
    metrics,
    storage,
    catalog,
    calls: {
      models: new Deployments({
        storage,
        catalog,
        modelPath,
        pipelines: (workspaceId) => listPipelineNames(storage.db, workspaceId),
      }),
      limits,
      abortGuard,
      promptCache,
      recorder: loop.recorder,
      answerPorts: {
        engineAt,
        health: new RouteHealth(),
        monotonicMs: () => clock.monotonicMs(),
      },
      counts: countTurns(),
      thinkingKey: secrets.keyFor('thinking'),
      underWay: new Set(),
    },
    money: { wallets, usage },
    samples: {
      captureBook: loop.captureBook,
      redaction,
      imports,
      ownStorages,
      searches: new SearchSlots(),
      longReads: longReadTurns(),
      derived: derivedOfLoop,
    },
    serving: {
      machines: new EngineServing({ catalog, clock, modelPath, engineAt }),
      findCheckpoint: (workspaceId, hash) => findCheckpoint(storage.db, workspaceId, hash),
    },
    learning: { compute, modelStore, rowSelector },
    operations: {
      identity: new Identity(storage, clock, secrets.keyFor('access-token')),
      loginTurns: new LoginTurns(),
      opening: true,
      closing: false,
    },
  }
  const starter = new AttemptStarter()
  return { app, background: { engines, indexer, walker, starter, deployments } }
}

/** What tests and trainings keep of samples goes with them. */
const derivedOfLoop: DerivedData = {
  async forget(tx, sampleIds) {
    const objects = await forgetTestWords(tx, sampleIds)
    await removeMarks(tx, sampleIds)
    return objects
  },
  async countRows(db, sampleIds) {
    const counts = new Map(await countTestRows(db, sampleIds))
    for (const [id, marks] of await countMarks(db, sampleIds)) {
      counts.set(id, (counts.get(id) ?? 0) + marks)
    }
    return counts
  },
  listObjects: listWordsHeld,
}
