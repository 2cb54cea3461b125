// The only file that writes the table of keys; whom a key authenticates is read in credential-store.
import type { Transaction } from 'kysely'
import type { ApiKey } from '#contract/api-key.ts'
import type { Role, Scope } from '#contract/scopes.ts'
import type { Db } from '../storage/open-storage.ts'
import type { Database } from '../storage/schema.ts'
import { effectiveScopes, keyStatus } from './caller.ts'

export type NewKey = {
  id: string
  workspaceId: string
  createdBy: string
  name: string
  secretHash: Buffer
  prefix: string
  scopes: Scope[]
  scopePreset: string
  at: Date
  expiresAt: Date | null
}

export async function insertKey(db: Transaction<Database>, key: NewKey): Promise<void> {
  await db
    .insertInto('api_key')
    .values({
      id: key.id,
      workspace_id: key.workspaceId,
      created_by: key.createdBy,
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
    .innerJoin('person', 'person.id', 'api_key.created_by')
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
    key_name: row.name,
    key_prefix: row.prefix,
    status: keyStatus({ revokedAt: row.revoked_at, expiresAt: row.expires_at }, now),
    scopes: effectiveScopes(row.scopes as Scope[], {
      role: row.role as Role | null,
      allWorkspaces: row.all_workspaces ?? false,
      inWorkspace: row.given_to !== null,
    }),
    scope_preset: row.scope_preset as ApiKey['scope_preset'],
    created_by: { id: row.created_by, name: row.user_name, email: row.user_email },
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
  }))
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
