// What each platform route does: read what the contract parsed, call the operation, shape the answer.
import * as apiKeys from '../../account/api-keys.ts'
import { listAuditEvents } from '../../account/list-audit-events.ts'
import { changePassword, login, logout } from '../../account/login.ts'
import * as members from '../../account/members.ts'
import {
  deleteDeployment,
  startDeployment,
  stopDeployment,
} from '../../deployment/change-deployment.ts'
import { createDeployment } from '../../deployment/create-deployment.ts'
import {
  listDeployments,
  listMachines,
  readDeployment,
} from '../../deployment/describe-deployment.ts'
import { wakeForFunds as wakeDeployments } from '../../deployment/due-store.ts'
import { isId } from '../../lib/id.ts'
import {
  connectStorage,
  disconnectStorage,
  readOwnStorage,
} from '../../samples/own-storage/connect-storage.ts'
import { wakeForFunds } from '../../loop/attempt/attempt-due-store.ts'
import { readUsage } from '../../usage/read-usage.ts'
import { listTransactions, readWallet } from '../../wallet/read-wallet.ts'
import { topUp } from '../../wallet/top-up.ts'
import type { Handlers, PlatformRouteName } from './handler.ts'
import { loopHandlers } from './loop-handlers.ts'
import { cutPage, readCursor } from './page.ts'

const isSequence = (text: string): boolean => /^\d{1,18}$/.test(text)

export const platformHandlers: Handlers<PlatformRouteName> = {
  ...loopHandlers,

  login: ({ app, address, body }) => login(app, address, body),
  logout: ({ app, session }) => logout(app, session),
  changePassword: ({ app, address, session, body }) => changePassword(app, address, session, body),

  listApiKeys: async ({ app, caller, query }) => {
    const before = readCursor('api_keys', query.cursor, isId)
    const keys = await apiKeys.listApiKeys(app, caller, { limit: query.limit + 1, before })
    const { rows, next_cursor } = cutPage('api_keys', keys, query.limit, (key) => key.key_id)
    return { api_keys: rows, next_cursor }
  },
  createApiKey: ({ app, caller, body }) => apiKeys.createApiKey(app, caller, body),
  revokeApiKey: ({ app, caller, params }) => apiKeys.revokeApiKey(app, caller, params.key_id ?? ''),
  introspectApiKey: async ({ caller }) => apiKeys.introspect(caller),

  listWorkspaces: async ({ app, caller, query }) => {
    const after = readCursor('workspaces', query.cursor, isId)
    const found = await members.listWorkspaces(app, caller, { limit: query.limit + 1, after })
    const { rows, next_cursor } = cutPage(
      'workspaces',
      found,
      query.limit,
      (workspace) => workspace.id,
    )
    return { workspaces: rows, next_cursor }
  },
  createWorkspace: ({ app, caller, body }) => members.createWorkspace(app, caller, body),
  listMembers: async ({ app, caller, query }) => {
    const after = readCursor('members', query.cursor, isId)
    const found = await members.listMembers(app, caller, { limit: query.limit + 1, after })
    const { rows, next_cursor } = cutPage('members', found, query.limit, (member) => member.user.id)
    return { members: rows, next_cursor }
  },
  addMember: ({ app, caller, body }) => members.addMember(app, caller, body),
  updateMember: ({ app, caller, body }) => members.updateMember(app, caller, body),
  removeMember: ({ app, caller, body }) => members.removeMember(app, caller, body.user_id),

  getWallet: ({ app, caller }) => readWallet(app, caller),
  listTransactions: async ({ app, caller, query }) => {
    const beforeSeq = readCursor('transactions', query.cursor, isSequence)
    const entries = await listTransactions(app, caller, { limit: query.limit + 1, beforeSeq })
    const { rows, next_cursor } = cutPage(
      'transactions',
      entries,
      query.limit,
      (entry) => entry.seq,
    )
    return { transactions: rows.map((entry) => entry.transaction), next_cursor }
  },
  topUpWallet: async ({ app, caller, body, headers }) => {
    const idempotencyKey = headers['idempotency-key']
    const added = await topUp(app, caller, { amountUsd: body.amount_usd, idempotencyKey })
    await wakeForFunds(app.storage.db, caller.org.id, app.clock.now())
    await wakeDeployments(app.storage.db, caller.org.id, app.clock.now())
    return added
  },

  getUsage: async ({ app, caller, query }) => ({
    usage: await readUsage(app, caller, query),
    next_cursor: null,
  }),

  getStorage: ({ app, caller }) => readOwnStorage(app, caller),
  connectStorage: ({ app, caller, body }) => connectStorage(app, caller, body),
  disconnectStorage: ({ app, caller }) => disconnectStorage(app, caller),

  listDeployments: async ({ app, caller, query }) => {
    const before = readCursor('deployments', query.cursor, isId)
    const found = await listDeployments(app, caller, { limit: query.limit + 1, before })
    const { rows, next_cursor } = cutPage('deployments', found, query.limit, ({ id }) => id)
    return { deployments: rows, next_cursor }
  },
  createDeployment: ({ app, caller, body }) => createDeployment(app, caller, body),
  getDeployment: ({ app, caller, params }) =>
    readDeployment(app, caller, params.deployment_id ?? ''),
  startDeployment: ({ app, caller, params }) =>
    startDeployment(app, caller, params.deployment_id ?? ''),
  stopDeployment: ({ app, caller, params }) =>
    stopDeployment(app, caller, params.deployment_id ?? ''),
  deleteDeployment: ({ app, caller, params }) =>
    deleteDeployment(app, caller, params.deployment_id ?? ''),
  listMachines: async ({ app }) => ({ machines: listMachines(app), next_cursor: null }),

  listAuditEvents: async ({ app, caller, query }) => {
    const before = readCursor('audit_events', query.cursor, isId)
    const events = await listAuditEvents(app, caller, { limit: query.limit + 1, before })
    const { rows, next_cursor } = cutPage('audit_events', events, query.limit, (event) => event.id)
    return { audit_events: rows, next_cursor }
  },

  listPlatformModels: async ({ app }) => ({ models: [...app.catalog.rows], next_cursor: null }),
}
