// The only file that writes the tables of memberships.
import { sql, type Transaction } from 'kysely'
import type { Member } from '#contract/member.ts'
import { type Role, rolesOfAllWorkspaces } from '#contract/scopes.ts'
import type { Db } from '../storage/open-storage.ts'
import type { Database } from '../storage/schema.ts'

type Tx = Transaction<Database>

export async function insertMember(
  db: Tx,
  member: { orgId: string; userId: string; role: Role; workspaceIds: string[] | null; at: Date },
): Promise<void> {
  await db
    .insertInto('member')
    .values({
      org_id: member.orgId,
      user_id: member.userId,
      role: member.role,
      all_workspaces: member.workspaceIds === null,
      created_at: member.at,
    })
    .execute()
  await replaceWorkspaces(db, member.orgId, member.userId, member.workspaceIds ?? [])
}

export async function replaceWorkspaces(
  db: Tx,
  orgId: string,
  userId: string,
  workspaceIds: string[],
): Promise<void> {
  await db
    .deleteFrom('workspace_member')
    .where('user_id', '=', userId)
    .where('workspace_id', 'in', (eb) =>
      eb.selectFrom('workspace').select('id').where('org_id', '=', orgId),
    )
    .execute()
  if (workspaceIds.length === 0) return
  await db
    .insertInto('workspace_member')
    .values([...new Set(workspaceIds)].map((id) => ({ workspace_id: id, user_id: userId })))
    .execute()
}

export async function updateMember(
  db: Tx,
  member: { orgId: string; userId: string; role: Role; allWorkspaces?: boolean },
): Promise<void> {
  const { allWorkspaces } = member
  await db
    .updateTable('member')
    .set({
      role: member.role,
      ...(allWorkspaces === undefined ? {} : { all_workspaces: allWorkspaces }),
    })
    .where('org_id', '=', member.orgId)
    .where('user_id', '=', member.userId)
    .execute()
}

export async function deleteMember(db: Tx, orgId: string, userId: string): Promise<void> {
  await replaceWorkspaces(db, orgId, userId, [])
  await db.deleteFrom('member').where('org_id', '=', orgId).where('user_id', '=', userId).execute()
}

/** Locks the organization's owners, so that two demotions at once cannot leave it without any. */
export async function lockOwners(db: Tx, orgId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('member')
    .select('user_id')
    .where('org_id', '=', orgId)
    .where('role', '=', 'owner')
    .orderBy('user_id')
    .forUpdate()
    .execute()
  return rows.map((row) => row.user_id)
}

/** Locks one membership until the end of the transaction; null when there is none. */
export async function lockMember(db: Tx, orgId: string, userId: string): Promise<Role | null> {
  const row = await db
    .selectFrom('member')
    .select('role')
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .forUpdate()
    .executeTakeFirst()
  return (row?.role as Role | undefined) ?? null
}

export async function listMembers(
  db: Db | Tx,
  orgId: string,
  page: { limit: number; after: string | null; userId?: string },
): Promise<Member[]> {
  let query = db
    .selectFrom('member')
    .innerJoin('person', 'person.id', 'member.user_id')
    .select([
      'person.id',
      'person.name',
      'person.email',
      'member.role',
      'member.all_workspaces',
      'member.created_at',
    ])
    .select((eb) =>
      eb
        .selectFrom('workspace_member')
        .whereRef('workspace_member.user_id', '=', 'member.user_id')
        // Looked up one by one: a join goes through all workspaces there are, once for each member.
        .where((given) =>
          given(
            given
              .selectFrom('workspace')
              .select('org_id')
              .whereRef('workspace.id', '=', 'workspace_member.workspace_id'),
            '=',
            orgId,
          ),
        )
        .select(
          sql<string[]>`coalesce(array_agg(workspace_id::text order by workspace_id), '{}')`.as(
            'ids',
          ),
        )
        .as('workspace_ids'),
    )
    .where('member.org_id', '=', orgId)
    .orderBy('member.user_id')
    .limit(page.limit)
  if (page.after !== null) query = query.where('member.user_id', '>', page.after)
  if (page.userId !== undefined) query = query.where('member.user_id', '=', page.userId)
  return (await query.execute()).map((row) => ({
    user: { id: row.id, name: row.name, email: row.email },
    role: row.role as Role,
    workspace_ids:
      row.all_workspaces || rolesOfAllWorkspaces.includes(row.role as Role)
        ? null
        : (row.workspace_ids ?? []),
    created_at: row.created_at.toISOString(),
  }))
}
