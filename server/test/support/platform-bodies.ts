// A good body for every platform route that takes one, fresh each time, so that tests can spoil it field by field.
import type { RouteName } from '#contract/routes.ts'

let made = 0

export const absentId = '01900000-0000-7000-8000-000000000000'

export const goodBodies: Partial<Record<RouteName, () => Record<string, unknown>>> = {
  login: () => ({ email: `nobody-${++made}@example.com`, password: 'some password' }),
  changePassword: () => ({ current_password: 'not this one', new_password: 'a new password' }),
  createApiKey: () => ({ name: `Key ${++made}`, scopes: ['models:read'], expires_at: null }),
  createWorkspace: () => ({ name: `Workspace ${++made}` }),
  addMember: () => ({
    email: `new-${++made}@example.com`,
    name: 'New',
    role: 'viewer',
    workspace_ids: [],
    password: 'their password',
  }),
  updateMember: () => ({ user_id: absentId, role: 'viewer', workspace_ids: [] }),
  removeMember: () => ({ user_id: absentId }),
  topUpWallet: () => ({ amount_usd: '1' }),
}
