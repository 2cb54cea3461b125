// Workspaces and people of an organization. An organization always keeps an owner, and only owners make or
// unmake owners.
import type { z } from 'zod'
import type {
  addMemberBody,
  createWorkspaceBody,
  Member,
  updateMemberBody,
  Workspace,
} from '#contract/member.ts'
import type { Role } from '#contract/scopes.ts'
import type { Transaction } from 'kysely'
import type { App } from '../app.ts'
import { Refusal } from '../core/refusal.ts'
import { randomBase62 } from '../lib/base62.ts'
import { newId } from '../lib/id.ts'
import type { Database } from '../storage/schema.ts'
import { isUniqueViolation } from '../storage/storage-unavailable.ts'
import * as store from './account-store.ts'
import * as memberStore from './member-store.ts'
import { actorOf } from './actor.ts'
import { recordAudit } from './audit-store.ts'
import { type Caller, isBoundToWorkspace, requirePermission } from './caller.ts'
import { generatedPasswordCharacters, hashPassword } from './password.ts'

export async function listWorkspaces(
  app: App,
  caller: Caller,
  page: { limit: number; after: string | null },
): Promise<Workspace[]> {
  if (isBoundToWorkspace(caller)) {
    return store.listWorkspaces(app.storage.db, caller.org.id, { id: caller.workspace.id }, page)
  }
  const membership = await memberOrRefuse(app, caller, caller.user.id)
  const only = membership.workspace_ids === null ? {} : { ofUser: caller.user.id }
  return store.listWorkspaces(app.storage.db, caller.org.id, only, page)
}

export async function createWorkspace(
  app: App,
  caller: Caller,
  body: z.infer<typeof createWorkspaceBody>,
): Promise<{ workspace: Workspace }> {
  const now = app.clock.now()
  const id = newId(now)
  try {
    await app.storage.db.transaction().execute(async (tx) => {
      await store.insertWorkspace(tx, { id, orgId: caller.org.id, name: body.name, at: now })
      await recordAudit(
        tx,
        actorOf(caller),
        { action: 'workspace.created', targetId: id, detail: { name: body.name } },
        now,
      )
    })
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    throw new Refusal('CONFLICT', 'A workspace of this name exists already; choose another name.', {
      isFinal: true,
    })
  }
  return {
    workspace: { id, name: body.name, org: caller.org, created_at: now.toISOString() },
  }
}

export async function listMembers(
  app: App,
  caller: Caller,
  page: { limit: number; after: string | null },
): Promise<Member[]> {
  return memberStore.listMembers(app.storage.db, caller.org.id, page)
}

export async function addMember(
  app: App,
  caller: Caller,
  body: z.infer<typeof addMemberBody>,
): Promise<{ member: Member; password: string | null }> {
  const now = app.clock.now()
  if (body.role === 'owner') requirePermission(caller, 'owners')
  const known = await store.findPersonByEmail(app.storage.db, body.email)
  if (known && body.password !== undefined) {
    throw new Refusal(
      'CONFLICT',
      'This person already has an account, and only they can change its password; leave password out.',
      { isFinal: true },
    )
  }
  const generated =
    known || body.password !== undefined ? null : randomBase62(generatedPasswordCharacters)
  const passwordHash = known ? '' : await hashPassword(body.password ?? generated ?? '')
  const userId = known?.id ?? newId(now)
  // Without a word about workspaces a new member gets the one they were invited from.
  const workspaceIds = body.workspace_ids === undefined ? [caller.workspace.id] : body.workspace_ids
  try {
    await app.storage.db.transaction().execute(async (tx) => {
      await checkWorkspaces(tx, caller.org.id, workspaceIds)
      if (!known) {
        await store.insertPerson(tx, {
          id: userId,
          email: body.email,
          name: body.name ?? body.email.split('@')[0] ?? body.email,
          passwordHash,
          at: now,
        })
      }
      await memberStore.insertMember(tx, {
        orgId: caller.org.id,
        userId,
        role: body.role,
        // Kept also for a role that reaches all of them: they are what is left when it is lowered.
        workspaceIds,
        at: now,
      })
      await recordAudit(
        tx,
        actorOf(caller),
        { action: 'member.added', targetId: userId, detail: { role: body.role } },
        now,
      )
    })
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    throw new Refusal('CONFLICT', 'This person is a member already; change their role instead.', {
      isFinal: true,
    })
  }
  return { member: await memberOrRefuse(app, caller, userId), password: generated }
}

export async function updateMember(
  app: App,
  caller: Caller,
  body: z.infer<typeof updateMemberBody>,
): Promise<{ member: Member }> {
  const now = app.clock.now()
  // A change of role alone leaves the given workspaces as they are, also those hidden by a role that reaches all.
  const workspaceIds = body.workspace_ids
  await app.storage.db.transaction().execute(async (tx) => {
    const before = await lockForChange(tx, caller, body.user_id, body.role)
    const role = body.role ?? before
    await checkWorkspaces(tx, caller.org.id, workspaceIds ?? null)
    await memberStore.updateMember(tx, {
      orgId: caller.org.id,
      userId: body.user_id,
      role,
      ...(workspaceIds === undefined ? {} : { allWorkspaces: workspaceIds === null }),
    })
    if (workspaceIds !== undefined) {
      await memberStore.replaceWorkspaces(tx, caller.org.id, body.user_id, workspaceIds ?? [])
    }
    await recordAudit(
      tx,
      actorOf(caller),
      {
        action: 'member.updated',
        targetId: body.user_id,
        detail: { role, workspace_ids: workspaceIds },
      },
      now,
    )
  })
  app.operations.identity.forget()
  return { member: await memberOrRefuse(app, caller, body.user_id) }
}

export async function removeMember(app: App, caller: Caller, userId: string): Promise<void> {
  const now = app.clock.now()
  await app.storage.db.transaction().execute(async (tx) => {
    const role = await lockForChange(tx, caller, userId, null)
    await memberStore.deleteMember(tx, caller.org.id, userId)
    await recordAudit(
      tx,
      actorOf(caller),
      { action: 'member.removed', targetId: userId, detail: { role } },
      now,
    )
  })
  app.operations.identity.forget()
}

async function memberOrRefuse(app: App, caller: Caller, userId: string): Promise<Member> {
  const [found] = await memberStore.listMembers(app.storage.db, caller.org.id, {
    limit: 1,
    after: null,
    userId,
  })
  if (!found) throw noSuchMember()
  return found
}

function noSuchMember(): Refusal {
  return new Refusal('NOT_FOUND', 'There is no such member in this organization.')
}

/**
 * The role that a person has, locked until the change is made: what two people change at once, the second changes with the
 * first one's change in view. Null as next role is for leaving, undefined for keeping the role.
 */
async function lockForChange(
  tx: Transaction<Database>,
  caller: Caller,
  userId: string,
  nextRole: Role | null | undefined,
): Promise<Role> {
  const owners = await memberStore.lockOwners(tx, caller.org.id)
  const role = await memberStore.lockMember(tx, caller.org.id, userId)
  if (role === null) throw noSuchMember()
  if (role === 'owner' || nextRole === 'owner') requirePermission(caller, 'owners')
  const leavesOwners = role === 'owner' && nextRole !== undefined && nextRole !== 'owner'
  if (leavesOwners && owners.length === 1) {
    throw new Refusal('LAST_OWNER', 'This is the last owner; make somebody else an owner first.')
  }
  return role
}

async function checkWorkspaces(
  tx: Transaction<Database>,
  orgId: string,
  ids: string[] | null,
): Promise<void> {
  if (!ids || ids.length === 0) return
  const distinct = [...new Set(ids)]
  if ((await store.countWorkspaces(tx, orgId, distinct)) !== distinct.length) {
    throw new Refusal('NOT_FOUND', 'workspace_ids names a workspace that does not exist here.')
  }
}
