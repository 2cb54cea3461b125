// Connects a workspace's own bucket, shows it, and forgets it.
import type { ConnectFailure, ConnectStorageBody, OwnStorage } from '#contract/own-storage.ts'
import { actorOf } from '../../account/actor.ts'
import { recordAudit } from '../../account/audit-store.ts'
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import { Refusal } from '../../core/refusal.ts'
import { newId } from '../../lib/id.ts'
import { readSizes } from '../sample/stored-size-store.ts'
import { checkEndpoint } from './check-endpoint.ts'
import { countErasures, wakeErasures } from './erasure-store.ts'
import { folderOf } from './object-key.ts'
import * as store from './own-storage-store.ts'
import { probeBucket } from './probe-bucket.ts'
import { openSecret, sealSecret } from './seal-secret.ts'

/** One try each: whoever connects a bucket waits for the answer. */
const probeOptions = { requestMs: 8_000, totalMs: 8_000, triesMax: 1 }
const erasuresCountedMax = 1_000

export async function readOwnStorage(
  app: App,
  caller: Caller,
): Promise<{ storage: OwnStorage | null }> {
  const rows = await store.listStorages(app.storage.db, caller.workspace.id)
  const row = rows.find(({ is_default }) => is_default)
  return { storage: row ? await describe(app, row) : null }
}

export async function connectStorage(
  app: App,
  caller: Caller,
  body: ConnectStorageBody,
): Promise<{ storage: OwnStorage }> {
  const {
    storage,
    clock,
    samples: { ownStorages },
  } = app
  const workspaceId = caller.workspace.id
  const endpoint = checkEndpoint(body.endpoint, ownStorages.hosts)
  const rows = await store.listStorages(storage.db, workspaceId)
  const place = { ...body, endpoint: endpoint ?? body.endpoint, prefix: body.prefix ?? '' }
  const secret = body.secret_access_key ?? savedSecret(app, rows, place)
  if (endpoint === null) throw cannotConnect('unreachable', null)

  const objects = ownStorages.openBucket(place, secret, probeOptions)
  const probeKey = `${folderOf(place.prefix, workspaceId)}probe/${newId(clock.now())}.json`
  const failure = await probeBucket(objects, probeKey).finally(() => objects.close())
  if (failure) throw cannotConnect(failure.reason, failure.code)

  const row = await storage.db.transaction().execute(async (tx) => {
    await store.lockStorages(tx, workspaceId)
    const now = clock.now()
    const before = await store.listStorages(tx, workspaceId)
    if (body.secret_access_key === undefined && !sameAccess(defaultOf(before), place)) {
      throw new Refusal('CONFLICT', 'The storage was changed meanwhile; read it again and retry.')
    }
    // A bucket that was connected before is the same one again, with the samples that are in it.
    const known = before.find((other) => isSamePlace(other, place))
    const { region, bucket, prefix, access_key_id, force_path_style } = place
    const unsealed = {
      id: known?.id ?? newId(now),
      workspace_id: workspaceId,
      ...{ endpoint, region, bucket, prefix, access_key_id, force_path_style },
      is_default: true,
      created_at: known?.created_at ?? now,
      updated_at: now,
    }
    const saved = { ...unsealed, secret: sealSecret(ownStorages.key, unsealed, secret) }
    await store.saveDefault(tx, saved)
    await wakeErasures(tx, saved.id, now)
    const detail = { endpoint, bucket, prefix, access_key_id_ending: ending(access_key_id) }
    const event = { action: 'storage.connected', targetId: saved.id, detail }
    await recordAudit(tx, actorOf(caller), event, now)
    return saved
  })
  ownStorages.forget(workspaceId)
  return { storage: await describe(app, row) }
}

export async function disconnectStorage(app: App, caller: Caller): Promise<void> {
  const workspaceId = caller.workspace.id
  await app.storage.db.transaction().execute(async (tx) => {
    await store.lockStorages(tx, workspaceId)
    const now = app.clock.now()
    if (!(await store.forgetSecrets(tx, workspaceId, now))) return
    const event = { action: 'storage.disconnected', targetId: null, detail: {} }
    await recordAudit(tx, actorOf(caller), event, now)
  })
  app.samples.ownStorages.forget(workspaceId)
}

type Place = Pick<store.StorageRow, 'endpoint' | 'bucket' | 'prefix' | 'access_key_id'>

function defaultOf(rows: readonly store.StorageRow[]): store.StorageRow | null {
  return rows.find(({ is_default }) => is_default) ?? null
}

function isSamePlace(row: Place, place: Place): boolean {
  return (
    row.endpoint === place.endpoint && row.bucket === place.bucket && row.prefix === place.prefix
  )
}

function sameAccess(row: Place | null, place: Place): boolean {
  return (
    row?.endpoint === place.endpoint &&
    row.bucket === place.bucket &&
    row.access_key_id === place.access_key_id
  )
}

/** A secret that is known here goes nowhere but to where it was given for. */
function savedSecret(app: App, rows: readonly store.StorageRow[], place: Place): string {
  const row = defaultOf(rows)
  const secret =
    row?.secret && sameAccess(row, place)
      ? openSecret(app.samples.ownStorages.key, row, row.secret)
      : null
  if (secret !== null) return secret
  throw new Refusal(
    'BAD_REQUEST',
    'body field secret_access_key: must be sent again unless endpoint, bucket and access_key_id stay as they are.',
  )
}

const sentences: Record<ConnectFailure, string> = {
  unreachable:
    'The endpoint does not answer; it must be the https address of an S3-compatible store that this platform may reach.',
  credentials: 'The store does not accept this access_key_id with this secret_access_key.',
  no_such_bucket: 'There is no such bucket at this endpoint.',
  refused: 'The bucket does not let Hone write an object, read it back and delete it',
}

function cannotConnect(reason: ConnectFailure, code: string | null): Refusal {
  const sentence =
    reason === 'refused' ? `${sentences.refused}${code ? `: ${code}` : ''}.` : sentences[reason]
  return new Refusal('CONFLICT', sentence, { extra: { reason } })
}

async function describe(app: App, row: store.StorageRow): Promise<OwnStorage> {
  const { db } = app.storage
  const sizes = await readSizes(db, row.workspace_id, '')
  const size = sizes.find(({ place }) => place === row.id)
  return {
    endpoint: row.endpoint,
    region: row.region,
    bucket: row.bucket,
    prefix: row.prefix === '' ? null : row.prefix,
    access_key_id_ending: ending(row.access_key_id),
    force_path_style: row.force_path_style,
    samples: size?.samples ?? 0,
    bytes: size?.bytes ?? 0,
    erasures_waiting: await countErasures(db, row.workspace_id, erasuresCountedMax),
    connected_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

function ending(accessKeyId: string): string {
  return accessKeyId.length > 8 ? accessKeyId.slice(-4) : ''
}
