// The table of audit events: who changed what, written in the transaction of the change itself.
import { sql, type Transaction } from 'kysely'
import type { AuditEvent } from '#contract/audit.ts'
import { newId } from '../lib/id.ts'
import type { Db } from '../storage/open-storage.ts'
import type { Database } from '../storage/schema.ts'

export type AuditActor = {
  orgId: string
  workspaceId: string | null
  userId: string | null
  keyId: string | null
}

export async function recordAudit(
  db: Db | Transaction<Database>,
  actor: AuditActor,
  event: { action: string; targetId: string | null; detail: Record<string, unknown> },
  at: Date,
): Promise<void> {
  await db
    .insertInto('audit_event')
    .values({
      id: newId(at),
      org_id: actor.orgId,
      workspace_id: actor.workspaceId,
      user_id: actor.userId,
      key_id: actor.keyId,
      action: event.action,
      target_id: event.targetId,
      detail: JSON.stringify(event.detail),
      created_at: at,
    })
    .execute()
}

/** Whether something was done to a target in a workspace lately; the event may name it among its `other_ids`. */
export async function isAudited(
  db: Db,
  { orgId, workspaceId }: Pick<AuditActor, 'orgId' | 'workspaceId'>,
  { action, targetId, since }: { action: string; targetId: string; since: Date },
): Promise<boolean> {
  const row = await db
    .selectFrom('audit_event')
    .select('id')
    .where('org_id', '=', orgId)
    .where('id', '>=', newId(since))
    .where('workspace_id', '=', workspaceId)
    .where('action', '=', action)
    .where((eb) =>
      eb.or([
        eb('target_id', '=', targetId),
        sql<boolean>`detail @> ${JSON.stringify({ other_ids: [targetId] })}::jsonb`,
      ]),
    )
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** What is done to an organization as a whole, in whichever workspace who did it was at that time. */
const organizationActions = [
  'org.created',
  'workspace.created',
  'member.added',
  'member.updated',
  'member.removed',
  'wallet.topped_up',
]

export async function listAudit(
  db: Db,
  orgId: string,
  /** Null for those of all workspaces, and of the organization. */
  page: { limit: number; before: string | null; workspaceIds: string[] | null },
): Promise<AuditEvent[]> {
  if (page.workspaceIds?.length === 0) return []
  let query = db
    .selectFrom('audit_event')
    .selectAll()
    .where('org_id', '=', orgId)
    .orderBy('id', 'desc')
    .limit(page.limit)
  if (page.before !== null) query = query.where('id', '<', page.before)
  if (page.workspaceIds !== null) {
    query = query
      .where('workspace_id', 'in', page.workspaceIds)
      .where('action', 'not in', organizationActions)
  }
  return (await query.execute()).map((row) => ({
    id: row.id,
    action: row.action,
    user_id: row.user_id,
    key_id: row.key_id,
    workspace_id: row.workspace_id,
    target_id: row.target_id,
    detail: row.detail,
    created_at: row.created_at.toISOString(),
  }))
}
