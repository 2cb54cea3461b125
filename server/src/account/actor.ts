// A caller as the audit log names it.
import type { AuditActor } from './audit-store.ts'
import type { Caller } from './caller.ts'

export function actorOf(caller: Caller): AuditActor {
  return {
    orgId: caller.org.id,
    workspaceId: caller.workspace.id,
    userId: caller.user.id,
    keyId: caller.key?.id ?? null,
  }
}
