// Who makes a request and what they may do, decided from what the database says about the credential.
import type { KeyStatus } from '#contract/api-key.ts'
import {
  type Permission,
  type Role,
  roleGrants,
  rolesOfAllWorkspaces,
  type Scope,
  scopes,
} from '#contract/scopes.ts'
import { Refusal } from '../core/refusal.ts'

export type Named = { id: string; name: string }

export type Caller = {
  kind: 'key' | 'session'
  org: Named
  workspace: Named
  user: { id: string; name: string; email: string; role: Role }
  /** Effective: issued and still granted by the creator's role. */
  scopes: ReadonlySet<Scope>
  permissions: ReadonlySet<Permission>
  key: {
    id: string
    name: string
    prefix: string
    scopePreset: string
    createdAt: Date
    expiresAt: Date | null
    /** The pipeline that it tests for, of a scoring key alone. */
    pipelineId: string | null
  } | null
}

export type Membership = {
  org: Named
  workspace: Named
  user: { id: string; name: string; email: string }
  /** Null when the person is not, or no longer, a member. */
  role: Role | null
  allWorkspaces: boolean
  inWorkspace: boolean
}

export type KeyRecord = Membership & {
  key: {
    id: string
    name: string
    prefix: string
    scopes: Scope[]
    scopePreset: string
    createdAt: Date
    expiresAt: Date | null
    revokedAt: Date | null
  }
}

/** How a person stands in a workspace. */
export type Standing = Pick<Membership, 'role' | 'allWorkspaces' | 'inWorkspace'>

export function reachesWorkspace<S extends Standing>(
  membership: S,
): membership is S & { role: Role } {
  if (!membership.role) return false
  return (
    rolesOfAllWorkspaces.includes(membership.role) ||
    membership.allWorkspaces ||
    membership.inWorkspace
  )
}

/** Of the scopes that a key was issued with, those that its creator's role still grants; none if they lost the workspace. */
export function effectiveScopes(issued: readonly Scope[], creator: Standing): Scope[] {
  if (!reachesWorkspace(creator)) return []
  const granted = roleGrants[creator.role].scopes
  return issued.filter((scope) => granted.includes(scope))
}

export function keyStatus(
  key: { revokedAt: Date | null; expiresAt: Date | null },
  now: Date,
): KeyStatus {
  if (key.revokedAt) return 'revoked'
  if (key.expiresAt && key.expiresAt <= now) return 'expired'
  return 'active'
}

const callers = new WeakMap<KeyRecord, Caller>()

/** The caller behind a key, or null when it does not authenticate at this moment. */
export function callerOfKey(record: KeyRecord, now: Date): Caller | null {
  if (keyStatus(record.key, now) !== 'active' || !reachesWorkspace(record)) return null
  // A record never changes; what accounts change makes another one.
  let caller = callers.get(record)
  if (!caller) {
    caller = activeCaller(record)
    callers.set(record, caller)
  }
  return caller
}

function activeCaller(record: KeyRecord & { role: Role }): Caller {
  const { key } = record
  const grants = roleGrants[record.role]
  const hasEveryScope = scopes.every((scope) => key.scopes.includes(scope))
  return {
    kind: 'key',
    org: record.org,
    workspace: record.workspace,
    user: { ...record.user, role: record.role },
    scopes: new Set(effectiveScopes(key.scopes, record)),
    // What no scope names, a key may do only when it was given everything its creator has.
    permissions: new Set(hasEveryScope ? grants.permissions : []),
    key: {
      id: key.id,
      name: key.name,
      prefix: key.prefix,
      scopePreset: key.scopePreset,
      createdAt: key.createdAt,
      expiresAt: key.expiresAt,
      pipelineId: null,
    },
  }
}

export function callerOfSession(membership: Membership): Caller | null {
  if (!reachesWorkspace(membership)) return null
  const grants = roleGrants[membership.role]
  return {
    kind: 'session',
    org: membership.org,
    workspace: membership.workspace,
    user: { ...membership.user, role: membership.role },
    scopes: new Set(grants.scopes),
    permissions: new Set(grants.permissions),
    key: null,
  }
}

/** A key reaches one workspace, unless it stands for its creator because it was given everything that they have. */
export function isBoundToWorkspace(caller: Caller): boolean {
  return caller.kind === 'key' && caller.permissions.size === 0
}

export function requireScope(caller: Caller, scope: Scope, orScope?: Scope): void {
  if (caller.scopes.has(scope) || (orScope && caller.scopes.has(orScope))) return
  const needed = orScope ? `${scope} or ${orScope}` : scope
  throw new Refusal(
    'FORBIDDEN',
    `This needs the scope ${needed}, which ${holder(caller)} does not have.`,
  )
}

export function requirePermission(caller: Caller, permission: Permission): void {
  if (!caller.permissions.has(permission)) {
    const why =
      caller.kind === 'key' && roleGrants[caller.user.role].permissions.includes(permission)
        ? 'a key may do this only when it holds every scope'
        : `the role ${caller.user.role} may not do this`
    throw new Refusal('FORBIDDEN', `Not allowed: ${why}.`)
  }
}

function holder(caller: Caller): string {
  return caller.kind === 'key' ? `the key ${caller.key?.prefix}…` : `the role ${caller.user.role}`
}
