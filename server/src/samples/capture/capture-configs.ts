// Read, set and forget how a source is recorded.
import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import type { CaptureConfig, captureConfigBody } from '#contract/capture.ts'
import { actorOf } from '../../account/actor.ts'
import { recordAudit } from '../../account/audit-store.ts'
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import * as store from './capture-config-store.ts'
import { requireStorableLabels } from '../sample/require-storable-labels.ts'
import { requireSource } from './require-source.ts'

export async function readCaptureConfig(
  app: App,
  caller: Caller,
  given: string,
): Promise<{ config: CaptureConfig }> {
  const { source } = await requireSource(app, caller, given)
  const row = await findConfig(app, caller, source)
  return { config: row ? shown(row) : neverSet(source) }
}

export async function putCaptureConfig(
  app: App,
  caller: Caller,
  given: string,
  body: z.infer<typeof captureConfigBody>,
): Promise<{ config: CaptureConfig }> {
  const { source } = await requireSource(app, caller, given)
  requireStorableLabels(body.tags, 'tags')
  const now = app.clock.now()
  const row: store.CaptureConfigRow = {
    workspace_id: caller.workspace.id,
    source,
    enabled: body.enabled,
    tags: body.tags,
    sample_rate: body.sample_rate ?? 1,
    retention_days: body.retention_days ?? null,
    updated_at: now,
  }
  const before = await findConfig(app, caller, source)
  if (before && isDeepStrictEqual({ ...row, updated_at: before.updated_at }, before)) {
    return { config: shown(before) }
  }
  await app.storage.db.transaction().execute(async (tx) => {
    await store.putCaptureConfigRow(tx, row)
    const { workspace_id: _, updated_at: __, ...detail } = row
    await recordAudit(
      tx,
      actorOf(caller),
      { action: 'capture_config.set', targetId: null, detail },
      now,
    )
  })
  app.samples.captureBook.forget(caller.workspace.id)
  return { config: shown(row) }
}

export async function deleteCaptureConfig(app: App, caller: Caller, given: string): Promise<void> {
  const { source } = await requireSource(app, caller, given)
  await app.storage.db.transaction().execute(async (tx) => {
    if (!(await store.deleteCaptureConfigRow(tx, caller.workspace.id, source))) return
    await recordAudit(
      tx,
      actorOf(caller),
      { action: 'capture_config.deleted', targetId: null, detail: { source } },
      app.clock.now(),
    )
  })
  app.samples.captureBook.forget(caller.workspace.id)
}

async function findConfig(
  app: App,
  caller: Caller,
  source: string,
): Promise<store.CaptureConfigRow | undefined> {
  const rows = await store.listCaptureConfigs(app.storage.db, caller.workspace.id)
  return rows.find((one) => one.source === source)
}

function shown(row: store.CaptureConfigRow): CaptureConfig {
  return {
    deployment_id: row.source,
    enabled: row.enabled,
    tags: row.tags,
    sample_rate: row.sample_rate,
    retention_days: row.retention_days,
    updated_at: row.updated_at.toISOString(),
  }
}

function neverSet(source: string): CaptureConfig {
  return {
    deployment_id: source,
    enabled: false,
    tags: [],
    sample_rate: 1,
    retention_days: null,
    updated_at: null,
  }
}
