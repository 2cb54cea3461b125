// What a caller may see of the audit log: what happened in the workspaces that they reach.
import type { AuditEvent } from '#contract/audit.ts'
import type { App } from '../app.ts'
import { listAudit } from './audit-store.ts'
import { type Caller, isBoundToWorkspace } from './caller.ts'
import { listMembers } from './member-store.ts'

export async function listAuditEvents(
  app: App,
  caller: Caller,
  page: { limit: number; before: string | null },
): Promise<AuditEvent[]> {
  const { db } = app.storage
  if (isBoundToWorkspace(caller)) {
    return listAudit(db, caller.org.id, { ...page, workspaceIds: [caller.workspace.id] })
  }
  const who = { limit: 1, after: null, userId: caller.user.id }
  const [member] = await listMembers(db, caller.org.id, who)
  const workspaceIds = member ? member.workspace_ids : []
  return listAudit(db, caller.org.id, { ...page, workspaceIds })
}
