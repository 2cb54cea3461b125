// Workspaces of an organization and the people in it.
import { z } from 'zod'
import { emailAddress, namedThing, newPassword } from './auth.ts'
import { nameCharactersMax } from './limits.ts'
import { idInput, nextCursor, pageQuery, route, text, timestamp } from './route.ts'
import { roles } from './scopes.ts'

const displayName = text.trim().min(1).max(nameCharactersMax)

export const workspace = z.object({
  id: z.uuid(),
  name: z.string(),
  org: namedThing,
  created_at: timestamp,
})
export type Workspace = z.infer<typeof workspace>

export const member = z.object({
  user: z.object({ id: z.uuid(), name: z.string(), email: z.string() }),
  role: z.enum(roles),
  /** Null means every workspace, those to come included. */
  workspace_ids: z.array(z.uuid()).nullable(),
  created_at: timestamp,
})
export type Member = z.infer<typeof member>

const workspaceIds = z
  .array(idInput)
  .max(1000)
  .nullable()
  .describe(
    'Null for every workspace. Owners, admins and the role billing reach all of them; what is named here counts once such a role is lowered',
  )

export const createWorkspaceBody = z.strictObject({ name: displayName })

export const addMemberBody = z.strictObject({
  email: emailAddress,
  name: displayName.optional(),
  role: z.enum(roles),
  workspace_ids: workspaceIds.optional(),
  password: newPassword.optional(),
})

export const updateMemberBody = z
  .strictObject({
    user_id: idInput,
    role: z.enum(roles).optional().describe('This, workspace_ids, or both'),
    workspace_ids: workspaceIds.optional(),
  })
  .refine((body) => body.role !== undefined || body.workspace_ids !== undefined, {
    message: 'send role, workspace_ids or both',
    path: ['role'],
  })

export const removeMemberBody = z.strictObject({ user_id: idInput })

export const memberRoutes = [
  route({
    name: 'listWorkspaces',
    tag: 'Workspaces and members',
    method: 'GET',
    path: '/api/workspaces',
    summary:
      'List the workspaces of the organization that you can reach; a key without all scopes reaches only its own',
    access: { kind: 'caller' },
    query: pageQuery,
    status: 200,
    response: z.object({ workspaces: z.array(workspace), next_cursor: nextCursor }),
    errors: [],
  }),
  route({
    name: 'createWorkspace',
    tag: 'Workspaces and members',
    method: 'POST',
    path: '/api/workspaces',
    summary: 'Create a workspace',
    access: { kind: 'caller', permission: 'workspaces' },
    body: createWorkspaceBody,
    status: 201,
    response: z.object({ workspace }),
    errors: ['CONFLICT'],
  }),
  route({
    name: 'listMembers',
    tag: 'Workspaces and members',
    method: 'GET',
    path: '/api/members',
    summary: 'List the people of the organization, with their roles and workspaces',
    access: { kind: 'caller', permission: 'members' },
    query: pageQuery,
    status: 200,
    response: z.object({ members: z.array(member), next_cursor: nextCursor }),
    errors: [],
  }),
  route({
    name: 'addMember',
    tag: 'Workspaces and members',
    method: 'POST',
    path: '/api/members',
    summary:
      'Add a person; a new account without a password gets a generated one, shown only in this response',
    access: { kind: 'caller', permission: 'members' },
    body: addMemberBody,
    status: 201,
    response: z.object({ member, password: z.string().nullable() }),
    errors: ['CONFLICT'],
  }),
  route({
    name: 'updateMember',
    tag: 'Workspaces and members',
    method: 'PATCH',
    path: '/api/members',
    summary: 'Change the role or the workspaces of a person; it takes effect on their next request',
    access: { kind: 'caller', permission: 'members' },
    body: updateMemberBody,
    status: 200,
    response: z.object({ member }),
    errors: ['LAST_OWNER'],
  }),
  route({
    name: 'removeMember',
    tag: 'Workspaces and members',
    method: 'DELETE',
    path: '/api/members',
    summary: 'Remove a person; keys they created stop authenticating on the next request',
    access: { kind: 'caller', permission: 'members' },
    body: removeMemberBody,
    status: 204,
    response: null,
    errors: ['LAST_OWNER'],
  }),
] as const
