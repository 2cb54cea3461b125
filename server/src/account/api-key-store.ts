// The only file that writes the table of keys; whom a key authenticates is read in credential-store.
import type { Selectable, Transaction } from 'kysely'
import type { ApiKey } from '#contract/api-key.ts'
import type { Role, Scope } from '#contract/scopes.ts'
import type { Db } from '../storage/open-storage.ts'
import type { Database } from '../storage/schema.ts'
import { effectiveScopes, keyStatus, type Named } from './caller.ts'

export type NewKey = {
  id: string
  workspaceId: string
  name: string
  secretHash: Buffer
  prefix: string
  scopes: Scope[]
  scopePreset: string
  at: Date
  expiresAt: Date | null
} & KeyOwner

/** A member, or the pipeline whose tests Hone runs on it. */
type KeyOwner = { createdBy: string } | { pipelineId: string }

export async function insertKey(db: Transaction<Database>, key: NewKey): Promise<void> {
  await db
    .insertInto('api_key')
    .values({
      id: key.id,
      workspace_id: key.workspaceId,
      created_by: 'createdBy' in key ? key.createdBy : null,
      pipeline_id: 'pipelineId' in key ? key.pipelineId : null,
      name: key.name,
      secret_hash: key.secretHash,
      prefix: key.prefix,
      scopes: key.scopes,
      scope_preset: key.scopePreset,
      created_at: key.at,
      expires_at: key.expiresAt,
      revoked_at: null,
    })
    .execute()
}

export async function listKeys(
  db: Db | Transaction<Database>,
  workspaceId: string,
  filter: { createdBy?: string; id?: string; before?: string | null; limit: number },
  now: Date,
): Promise<ApiKey[]> {
  let query = db
    .selectFrom('api_key')
    .leftJoin('person', 'person.id', 'api_key.created_by')
    .innerJoin('workspace', 'workspace.id', 'api_key.workspace_id')
    .leftJoin('member', (join) =>
      join
        .onRef('member.org_id', '=', 'workspace.org_id')
        .onRef('member.user_id', '=', 'api_key.created_by'),
    )
    .leftJoin('workspace_member', (join) =>
      join
        .onRef('workspace_member.workspace_id', '=', 'api_key.workspace_id')
        .onRef('workspace_member.user_id', '=', 'api_key.created_by'),
    )
    .selectAll('api_key')
    .select(['person.name as user_name', 'person.email as user_email'])
    .select(['member.role', 'member.all_workspaces', 'workspace_member.user_id as given_to'])
    .where('api_key.workspace_id', '=', workspaceId)
    .orderBy('api_key.id', 'desc')
    .limit(filter.limit)
  if (filter.createdBy !== undefined) query = query.where('created_by', '=', filter.createdBy)
  if (filter.id !== undefined) query = query.where('api_key.id', '=', filter.id)
  if (filter.before) query = query.where('api_key.id', '<', filter.before)
  return (await query.execute()).map((row) => ({
    key_id: row.id,
    kind: row.pipeline_id === null ? 'member' : 'platform',
    key_name: row.name,
    key_prefix: row.prefix,
    status: keyStatus({ revokedAt: row.revoked_at, expiresAt: row.expires_at }, now),
    scopes: scopesOf(row),
    scope_preset: row.scope_preset as ApiKey['scope_preset'],
    created_by: creatorOf(row),
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
  }))
}

type OwnedRow = Pick<Selectable<Database['api_key']>, 'created_by' | 'scopes'> & {
  user_name: string | null
  user_email: string | null
  role: string | null
  all_workspaces: boolean | null
  given_to: string | null
}

/** A scoring key has no creator whose role could take a scope from it. */
function scopesOf(row: OwnedRow): Scope[] {
  const issued = row.scopes as Scope[]
  if (row.created_by === null) return issued
  return effectiveScopes(issued, {
    role: row.role as Role | null,
    allWorkspaces: row.all_workspaces ?? false,
    inWorkspace: row.given_to !== null,
  })
}

function creatorOf({ created_by: id, user_name, user_email }: OwnedRow): ApiKey['created_by'] {
  return id === null ? null : { id, name: user_name ?? '', email: user_email ?? '' }
}

export async function revokeKey(db: Transaction<Database>, id: string, at: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('api_key')
    .set({ revoked_at: at })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export type PipelineKey = {
  id: string
  name: string
  prefix: string
  scopePreset: string
  createdAt: Date
  revokedAt: Date | null
  org: Named
  workspace: Named
}

/** The scoring key that a pipeline has, or else the last one that was revoked. */
export async function findPipelineKey(
  db: Db | Transaction<Database>,
  pipelineId: string,
): Promise<PipelineKey | null> {
  const row = await db
    .selectFrom('api_key')
    .innerJoin('workspace', 'workspace.id', 'api_key.workspace_id')
    .innerJoin('org', 'org.id', 'workspace.org_id')
    .select([
      'api_key.id',
      'api_key.name',
      'api_key.prefix',
      'api_key.scope_preset as scopePreset',
      'api_key.created_at as createdAt',
      'api_key.revoked_at as revokedAt',
      'workspace.id as workspace_id',
      'workspace.name as workspace_name',
      'org.id as org_id',
      'org.name as org_name',
    ])
    .where('api_key.pipeline_id', '=', pipelineId)
    .orderBy('api_key.revoked_at', (order) => order.desc().nullsFirst())
    .limit(1)
    .executeTakeFirst()
  if (!row) return null
  const { workspace_id, workspace_name, org_id, org_name, ...key } = row
  const org = { id: org_id, name: org_name }
  return { ...key, org, workspace: { id: workspace_id, name: workspace_name } }
}

/** The scoring key that a pipeline has now; those revoked before stay as they were. */
export async function changePipelineKey(
  tx: Transaction<Database>,
  pipelineId: string,
  change: { name: string } | { revoked_at: Date },
): Promise<void> {
  await tx
    .updateTable('api_key')
    .set(change)
    .where('pipeline_id', '=', pipelineId)
    .where('revoked_at', 'is', null)
    .execute()
}
