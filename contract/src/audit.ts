// Who did what: every change of accounts, keys and funds.
import { z } from 'zod'
import { nextCursor, pageQuery, route, timestamp } from './route.ts'

export const auditEvent = z.object({
  id: z.uuid(),
  action: z.string(),
  user_id: z.uuid().nullable(),
  key_id: z.uuid().nullable(),
  workspace_id: z.uuid().nullable(),
  target_id: z.string().nullable(),
  detail: z.record(z.string(), z.unknown()),
  created_at: timestamp,
})
export type AuditEvent = z.infer<typeof auditEvent>

export const auditRoutes = [
  route({
    name: 'listAuditEvents',
    tag: 'Audit',
    method: 'GET',
    path: '/api/audit',
    summary:
      'List changes in the workspaces you can reach, newest first, with those of the organization (members, funds, workspaces) if you can reach all of them; a key without all scopes reaches only its own',
    access: { kind: 'caller', scope: 'analytics:read' },
    tool: 'list_audit_events',
    sdk: 'audit.list',
    query: pageQuery,
    status: 200,
    response: z.object({ audit_events: z.array(auditEvent), next_cursor: nextCursor }),
    errors: [],
  }),
] as const
