// The scoring key of a pipeline: Hone makes it, and asks models and judges on it while it tests. Its secret is forgotten at once, so
// no request authenticates with it; a member who may see all keys sees it in the list, and revokes it to stop the tests.
import type { Transaction } from 'kysely'
import { nameCharactersMax } from '#contract/limits.ts'
import * as store from '../../../account/api-key-store.ts'
import type { Caller } from '../../../account/caller.ts'
import { hashKeySecret, keyPrefixLength, newKeySecret } from '../../../account/key-secret.ts'
import type { App } from '../../../app.ts'
import { Refusal } from '../../../core/refusal.ts'
import { newId } from '../../../lib/id.ts'
import type { Db } from '../../../storage/open-storage.ts'
import type { Database } from '../../../storage/schema.ts'

type Tx = Transaction<Database>

type KeyedPipeline = { id: string; workspace_id: string; name: string }

/** Fails as AGENT_COULD_NOT_START, with which the transaction fails too. */
export async function makeScoringKey(tx: Tx, pipeline: KeyedPipeline, at: Date): Promise<void> {
  const secret = newKeySecret(true)
  const key = {
    id: newId(at),
    workspaceId: pipeline.workspace_id,
    pipelineId: pipeline.id,
    name: scoringKeyName(pipeline.name),
    secretHash: hashKeySecret(secret),
    prefix: secret.slice(0, keyPrefixLength),
    scopes: ['serverless' as const],
    scopePreset: 'serverless',
    at,
    expiresAt: null,
  }
  await store.insertKey(tx, key).catch((cause: unknown) => {
    throw new Refusal(
      'AGENT_COULD_NOT_START',
      'The scoring key of the pipeline could not be made, so nothing was started or saved; try again in a moment.',
      { retryAfterSeconds: 5, cause },
    )
  })
}

/** Not usable once it was revoked; null where there never was one. */
export async function findScoringKey(
  db: Db | Tx,
  pipelineId: string,
): Promise<{ id: string; usable: boolean } | null> {
  const key = await store.findPipelineKey(db, pipelineId)
  return key && { id: key.id, usable: key.revokedAt === null }
}

/**
 * Makes another where none is usable; the record of a revoked one stays. False where none is usable even then. For callers that
 * have locked the pipeline.
 */
export async function renewScoringKey(tx: Tx, pipeline: KeyedPipeline, at: Date): Promise<boolean> {
  const isUsable = async (): Promise<boolean> =>
    (await findScoringKey(tx, pipeline.id))?.usable ?? false
  if (await isUsable()) return true
  await makeScoringKey(tx, pipeline, at)
  return isUsable()
}

export async function renameScoringKey(
  tx: Tx,
  { id, name }: Pick<KeyedPipeline, 'id' | 'name'>,
): Promise<void> {
  await store.changePipelineKey(tx, id, { name: scoringKeyName(name) })
}

export async function revokeScoringKey(tx: Tx, pipelineId: string, at: Date): Promise<void> {
  await store.changePipelineKey(tx, pipelineId, { revoked_at: at })
}

/** Within the limit of names, and never through the middle of a character. */
export function scoringKeyName(pipelineName: string): string {
  const name = `Scoring key of ${pipelineName}`
  if (name.length <= nameCharactersMax) return name
  return `${name.slice(0, nameCharactersMax - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/** Hone itself, where a caller must name a person: no account has this id, and no role gives less. */
const platformUser: Caller['user'] = {
  id: '00000000-0000-0000-0000-000000000000',
  name: 'Hone',
  email: '',
  role: 'viewer',
}

/** Who makes the calls of a pipeline's tests; null while its scoring key is missing or revoked. */
export async function scoringCaller(
  { storage }: Pick<App, 'storage'>,
  pipelineId: string,
): Promise<Caller | null> {
  const key = await store.findPipelineKey(storage.db, pipelineId)
  if (key?.revokedAt !== null) return null
  const { id, name, prefix, scopePreset, createdAt, org, workspace } = key
  return {
    kind: 'key',
    org,
    workspace,
    user: platformUser,
    scopes: new Set(['serverless']),
    permissions: new Set(),
    key: { id, name, prefix, scopePreset, createdAt, expiresAt: null, pipelineId },
  }
}
