// Writes the tables of organizations, workspaces and people, and reads them by id.
import { sql, type Transaction } from 'kysely'
import type { Workspace } from '#contract/member.ts'
import { type Role, rolesOfAllWorkspaces } from '#contract/scopes.ts'
import type { Db } from '../storage/open-storage.ts'
import type { Database } from '../storage/schema.ts'

export type Person = { id: string; email: string; name: string; passwordHash: string }
type Tx = Transaction<Database>

export async function firstOrgId(db: Db | Tx): Promise<string | null> {
  const org = await db.selectFrom('org').select('id').orderBy('id').limit(1).executeTakeFirst()
  return org?.id ?? null
}

export async function insertOrg(
  db: Tx,
  org: { id: string; name: string; at: Date },
): Promise<void> {
  await db.insertInto('org').values({ id: org.id, name: org.name, created_at: org.at }).execute()
}

export async function insertWorkspace(
  db: Db | Tx,
  workspace: { id: string; orgId: string; name: string; at: Date },
): Promise<void> {
  await db
    .insertInto('workspace')
    .values({
      id: workspace.id,
      org_id: workspace.orgId,
      name: workspace.name,
      created_at: workspace.at,
    })
    .execute()
}

export async function listWorkspaces(
  db: Db,
  orgId: string,
  only: { id?: string; ofUser?: string },
  page: { limit: number; after: string | null },
): Promise<Workspace[]> {
  let query = db
    .selectFrom('workspace')
    .innerJoin('org', 'org.id', 'workspace.org_id')
    .select([
      'workspace.id',
      'workspace.name',
      'workspace.created_at',
      'org.id as org_id',
      'org.name as org_name',
    ])
    .where('workspace.org_id', '=', orgId)
    .orderBy('workspace.id')
    .limit(page.limit)
  if (page.after !== null) query = query.where('workspace.id', '>', page.after)
  if (only.id !== undefined) query = query.where('workspace.id', '=', only.id)
  if (only.ofUser !== undefined) {
    const { ofUser } = only
    query = query.where('workspace.id', 'in', (eb) =>
      eb.selectFrom('workspace_member').select('workspace_id').where('user_id', '=', ofUser),
    )
  }
  return (await query.execute()).map((row) => ({
    id: row.id,
    name: row.name,
    org: { id: row.org_id, name: row.org_name },
    created_at: row.created_at.toISOString(),
  }))
}

export async function countWorkspaces(db: Db | Tx, orgId: string, ids: string[]): Promise<number> {
  const row = await db
    .selectFrom('workspace')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('org_id', '=', orgId)
    .where('id', 'in', ids)
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

export async function findPersonByEmail(db: Db | Tx, email: string): Promise<Person | null> {
  const row = await db
    .selectFrom('person')
    .selectAll()
    .where(sql<boolean>`lower(email) = lower(${email})`)
    .executeTakeFirst()
  return row
    ? { id: row.id, email: row.email, name: row.name, passwordHash: row.password_hash }
    : null
}

export async function findPerson(db: Db, id: string): Promise<Person | null> {
  const row = await db.selectFrom('person').selectAll().where('id', '=', id).executeTakeFirst()
  return row
    ? { id: row.id, email: row.email, name: row.name, passwordHash: row.password_hash }
    : null
}

/** The first addresses by the alphabet, and how many there are. */
export async function listEmails(
  db: Db,
  limit: number,
): Promise<{ emails: string[]; count: number }> {
  const rows = await db
    .selectFrom('person')
    .select(['email', ({ fn }) => fn.countAll<string>().over().as('count')])
    .orderBy('email')
    .limit(limit)
    .execute()
  return { emails: rows.map(({ email }) => email), count: Number(rows[0]?.count ?? 0) }
}

export async function insertPerson(db: Tx, person: Person & { at: Date }): Promise<void> {
  await db
    .insertInto('person')
    .values({
      id: person.id,
      email: person.email,
      name: person.name,
      password_hash: person.passwordHash,
      created_at: person.at,
    })
    .execute()
}

/** Keeps the password as it is until the end of the transaction. */
export async function lockPassword(db: Tx, userId: string): Promise<string | null> {
  const row = await db
    .selectFrom('person')
    .select('password_hash')
    .where('id', '=', userId)
    .forShare()
    .executeTakeFirst()
  return row?.password_hash ?? null
}

/** False when the password is another one meanwhile than the one that was checked; null checks none. */
export async function updatePassword(
  db: Tx,
  userId: string,
  passwordHash: string,
  checkedHash: string | null,
): Promise<boolean> {
  let query = db.updateTable('person').set({ password_hash: passwordHash }).where('id', '=', userId)
  if (checkedHash !== null) query = query.where('password_hash', '=', checkedHash)
  return (await query.executeTakeFirst()).numUpdatedRows > 0n
}

export type OrgOfPerson = {
  id: string
  name: string
  role: Role
  workspaces: { id: string; name: string }[]
}

export async function listOrgsOfPerson(db: Db, userId: string): Promise<OrgOfPerson[]> {
  const rows = await db
    .selectFrom('member')
    .innerJoin('org', 'org.id', 'member.org_id')
    .leftJoin('workspace', 'workspace.org_id', 'org.id')
    .leftJoin('workspace_member', (join) =>
      join
        .onRef('workspace_member.workspace_id', '=', 'workspace.id')
        .on('workspace_member.user_id', '=', userId),
    )
    .select([
      'org.id as org_id',
      'org.name as org_name',
      'member.role',
      'member.all_workspaces',
      'workspace.id as workspace_id',
      'workspace.name as workspace_name',
      'workspace_member.user_id as given',
    ])
    .where('member.user_id', '=', userId)
    .orderBy('org.id')
    .orderBy('workspace.id')
    .execute()
  const orgs = new Map<string, OrgOfPerson>()
  for (const row of rows) {
    const role = row.role as Role
    const org = orgs.get(row.org_id) ?? { id: row.org_id, name: row.org_name, role, workspaces: [] }
    orgs.set(row.org_id, org)
    const reached = row.all_workspaces || row.given || rolesOfAllWorkspaces.includes(role)
    if (row.workspace_id && row.workspace_name && reached) {
      org.workspaces.push({ id: row.workspace_id, name: row.workspace_name })
    }
  }
  return [...orgs.values()]
}

/** The organization that a workspace belongs to. */
export async function findOrgOf(db: Db | Tx, workspaceId: string): Promise<string> {
  const row = await db
    .selectFrom('workspace')
    .select('org_id')
    .where('id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return row.org_id
}
