// What the database says about a key or a session: whose it is and where that person stands now.
import type { Transaction } from 'kysely'
import type { Role, Scope } from '#contract/scopes.ts'
import type { Db, Storage } from '../storage/open-storage.ts'
import type { Database } from '../storage/schema.ts'
import type { KeyRecord, Membership } from './caller.ts'

type Tx = Transaction<Database>

export async function insertSession(
  db: Tx,
  session: { id: string; userId: string; at: Date; expiresAt: Date },
): Promise<void> {
  await db
    .insertInto('session')
    .values({
      id: session.id,
      user_id: session.userId,
      created_at: session.at,
      expires_at: session.expiresAt,
      revoked_at: null,
    })
    .execute()
}

export async function revokeSessions(
  db: Db | Tx,
  which: { userId: string; only?: string; except?: string },
  at: Date,
): Promise<void> {
  let query = db
    .updateTable('session')
    .set({ revoked_at: at })
    .where('user_id', '=', which.userId)
    .where('revoked_at', 'is', null)
  if (which.only !== undefined) query = query.where('id', '=', which.only)
  if (which.except !== undefined) query = query.where('id', '<>', which.except)
  await query.execute()
}

const membershipColumns = `
  o.id as org_id, o.name as org_name, w.id as workspace_id, w.name as workspace_name,
  p.id as user_id, p.name as user_name, p.email as user_email,
  m.role as role, coalesce(m.all_workspaces, false) as all_workspaces,
  (wm.user_id is not null) as in_workspace`

type MembershipRow = {
  org_id: string
  org_name: string
  workspace_id: string
  workspace_name: string
  user_id: string
  user_name: string
  user_email: string
  role: Role | null
  all_workspaces: boolean
  in_workspace: boolean
}

function asMembership(row: MembershipRow): Membership {
  return {
    org: { id: row.org_id, name: row.org_name },
    workspace: { id: row.workspace_id, name: row.workspace_name },
    user: { id: row.user_id, name: row.user_name, email: row.user_email },
    role: row.role,
    allWorkspaces: row.all_workspaces,
    inWorkspace: row.in_workspace,
  }
}

type KeyColumns = {
  key_id: string
  key_name: string
  prefix: string
  scopes: Scope[]
  scope_preset: string
  key_created_at: Date
  expires_at: Date | null
  revoked_at: Date | null
}

/** Of a member's key: a scoring key has no creator, so no request can be made with it. */
export async function findKeyRecord(
  storage: Storage,
  secretHash: Buffer,
): Promise<KeyRecord | null> {
  const [row] = await storage.pool.query<MembershipRow & KeyColumns>(
    'find_key',
    `select ${membershipColumns},
       k.id as key_id, k.name as key_name, k.prefix, k.scopes, k.scope_preset,
       k.created_at as key_created_at, k.expires_at, k.revoked_at
     from api_key k
       join workspace w on w.id = k.workspace_id
       join org o on o.id = w.org_id
       join person p on p.id = k.created_by
       left join member m on m.org_id = o.id and m.user_id = p.id
       left join workspace_member wm on wm.workspace_id = w.id and wm.user_id = p.id
     where k.secret_hash = $1`,
    [secretHash],
  )
  if (!row) return null
  return {
    ...asMembership(row),
    key: {
      id: row.key_id,
      name: row.key_name,
      prefix: row.prefix,
      scopes: row.scopes,
      scopePreset: row.scope_preset,
      createdAt: row.key_created_at,
      expiresAt: row.expires_at,
      revokedAt: row.revoked_at,
    },
  }
}

/** The membership of a live session's person in a workspace; null when session or workspace is unknown. */
export async function findSessionMembership(
  storage: Storage,
  sessionId: string,
  orgId: string,
  workspaceId: string,
): Promise<Membership | null> {
  const [row] = await storage.pool.query<MembershipRow>(
    'find_session_membership',
    `select ${membershipColumns}
     from session s
       join person p on p.id = s.user_id
       join workspace w on w.id = $3 and w.org_id = $2
       join org o on o.id = w.org_id
       left join member m on m.org_id = o.id and m.user_id = p.id
       left join workspace_member wm on wm.workspace_id = w.id and wm.user_id = p.id
     where s.id = $1`,
    [sessionId, orgId, workspaceId],
  )
  return row ? asMembership(row) : null
}

export async function sessionIsLive(
  storage: Storage,
  sessionId: string,
  userId: string,
): Promise<boolean> {
  const rows = await storage.pool.query(
    'session_is_live',
    `select 1 from session where id = $1 and user_id = $2 and revoked_at is null`,
    [sessionId, userId],
  )
  return rows.length > 0
}

export async function deleteExpiredSessions(db: Db, before: Date): Promise<void> {
  const some = await db
    .selectFrom('session')
    .select('id')
    .where('expires_at', '<', before)
    .limit(1)
    .executeTakeFirst()
  // A deletion tells every process to forget what it remembers, even one that finds nothing to delete.
  if (some) await db.deleteFrom('session').where('expires_at', '<', before).execute()
}
