// Deployments as rows, and the weights behind them, as if training had put them there.
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { App, Learning } from '#server/app.ts'
import { insertDeployment, type NewDeployment } from '#server/deployment/deployment-store.ts'
import { bundledModel } from '#server/engine/engines.ts'
import { newId } from '#server/lib/id.ts'
import { goLive } from '#server/loop/attempt/go-live.ts'
import type { Database } from '#server/storage/schema.ts'
import { endedAs, keepAttempt } from './attempt-rows.ts'
import { miniAdapter } from './scripted-compute.ts'
import type { TestHone } from './test-hone.ts'

export type DeploymentOf = Database['deployment']

/** Serves the bundled model's weights unless something else is said. */
export async function deployment(
  hone: TestHone,
  row: Partial<DeploymentOf> & { name: string; workspace_id: string },
): Promise<DeploymentOf> {
  const now = hone.app.clock.now()
  const stored: NewDeployment = {
    id: newId(now),
    model: 'hone/hone-mini',
    base_revision: null,
    adapter: null,
    merged: null,
    pipeline_id: null,
    version_no: null,
    attempt_id: null,
    status: 'serving',
    machine: 'embedded',
    created_at: now,
    started_at: now,
    ...row,
  }
  // What this process has cached of the workspace is invalidated by the notification.
  const heard = new Promise<void>((resolve) => {
    hone.app.storage.changes.on('deployments_changed', (workspaceId) => {
      if (workspaceId === null || workspaceId === stored.workspace_id) resolve()
    })
  })
  const inserted = await insertDeployment(hone.app.storage.db, stored)
  await heard
  return inserted
}

/** An adapter of the bundled model that changes its answers; by its hash. */
export function storeAdapter({
  app,
}: {
  app: { learning: Pick<Learning, 'modelStore'> }
}): Promise<string> {
  return app.learning.modelStore.keepAdapter(miniAdapter)
}

/** What an attempt has that trained this adapter on the bundled model. */
export async function trainedWeights(
  hone: TestHone,
): Promise<{ adapter: string; model_revision: string }> {
  const model_revision = await hone.app.learning.modelStore.keepModel(bundledModel)
  return { adapter: await storeAdapter(hone), model_revision }
}

/** Another one, that changes them so little that they are the bundled model's own; by its hash. */
export async function storeFaintAdapter(hone: TestHone): Promise<string> {
  const folder = join(hone.app.config.dataDir, 'faint-adapter')
  await cp(miniAdapter, folder, { recursive: true })
  const file = join(folder, 'adapter_config.json')
  const fields = JSON.parse(await readFile(file, 'utf8')) as object
  await writeFile(file, JSON.stringify({ ...fields, lora_alpha: 1e-6 }))
  return hone.app.learning.modelStore.keepAdapter(folder)
}

/** Puts an adapter live in a pipeline, as its next version. */
export async function putVersionLive(
  { app }: { app: Pick<App, 'storage' | 'clock'> & { learning: Pick<Learning, 'modelStore'> } },
  pipelineId: string,
  { attemptNo, adapter }: { attemptNo: number; adapter: string },
): Promise<number> {
  const id = newId(app.clock.now())
  const ended = { ...endedAs('not_tested'), attempt_no: attemptNo, adapter }
  const model_revision = await app.learning.modelStore.keepModel(bundledModel)
  const attempt = await keepAttempt({ app }, pipelineId, { id, ...ended, model_revision })
  return app.storage.db.transaction().execute((tx) =>
    goLive(tx, {
      attempt,
      rates: { candidate: null, live: null },
      movedBy: 'promotion',
      userId: null,
      at: app.clock.now(),
    }),
  )
}

/** A whole model folder, whose weights are the bundled ones; by its hash. */
export function storeMerged(hone: TestHone): Promise<string> {
  return hone.app.learning.modelStore.keepModel(bundledModel)
}
