// Who may do what, written out by hand: the other tests read it off the contract, and would follow a change of it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Access, Route } from '#contract/route.ts'
import { routes } from '#contract/routes.ts'
import {
  type Permission,
  type Role,
  roleGrants,
  roles,
  rolesOfAllWorkspaces,
  type Scope,
  scopePresets,
  scopes,
} from '#contract/scopes.ts'

const records = routes as readonly Route[]

function needed(access: Access): string {
  if (access.kind !== 'caller') return access.kind
  const scope = access.orScope ? `${access.scope} or ${access.orScope}` : access.scope
  return [scope, access.permission].filter(Boolean).join(' and ') || 'any caller'
}

/** Spec 1, authentication and scopes; spec 2, authentication; design.md, interfaces. */
const expected: Record<string, string> = {
  'POST /v1/chat/completions': 'inference',
  'POST /v1/messages': 'inference',
  'POST /v1/messages/count_tokens': 'inference',
  'GET /v1/models': 'public',
  'GET /v1/models/{model}': 'public',
  'GET /api/models': 'models:read or serverless',
  'POST /api/auth/login': 'public',
  'POST /api/auth/logout': 'session',
  'POST /api/auth/password': 'session',
  'GET /api/api-keys': 'own_keys',
  'POST /api/api-keys': 'own_keys',
  'DELETE /api/api-keys/{key_id}': 'own_keys',
  'GET /api/api-keys/introspect': 'any caller',
  'GET /api/workspaces': 'any caller',
  'POST /api/workspaces': 'workspaces',
  'GET /api/members': 'members',
  'POST /api/members': 'members',
  'PATCH /api/members': 'members',
  'DELETE /api/members': 'members',
  'GET /api/wallet': 'billing:read',
  'GET /api/wallet/transactions': 'billing:read',
  'POST /api/wallet/top-ups': 'top_up',
  'GET /api/analytics/usage': 'analytics:read',
  'GET /api/audit': 'analytics:read',
  'POST /api/deployments': 'deployments:write',
  'GET /api/deployments/{deployment_id}': 'deployments:read',
  'POST /api/deployments/{deployment_id}/start': 'deployments:write',
  'POST /api/deployments/{deployment_id}/stop': 'deployments:write',
  'DELETE /api/deployments/{deployment_id}': 'deployments:write',
  'GET /api/deployments': 'deployments:read',
  'GET /api/machines': 'deployments:read',
  'GET /api/integrations/storage': 'integrations:read',
  'PUT /api/integrations/storage': 'integrations:write',
  'DELETE /api/integrations/storage': 'integrations:write',
  'GET /healthz': 'public',
  'GET /readyz': 'public',
  'GET /metrics': 'public',
  'GET /openapi.json': 'public',
  'GET /docs': 'public',
}

test('each route asks for what it should', () => {
  const outside = records.filter(({ path }) => !path.startsWith('/api/loop/'))
  const asked = outside.map(({ method, path, access }) => [`${method} ${path}`, needed(access)])
  assert.deepEqual(Object.fromEntries(asked), expected)
})

test('the loop is read with loop:read, and every other call of it needs loop:write', () => {
  const ofLoop = records.filter(({ path }) => path.startsWith('/api/loop/'))
  assert.ok(ofLoop.length > 20)
  for (const { method, path, access } of ofLoop) {
    const scope = method === 'GET' ? 'loop:read' : 'loop:write'
    assert.deepEqual(access, { kind: 'caller', scope }, `${method} ${path}`)
  }
})

const everyScope: Scope[] = [
  'models:read',
  'datasets:read',
  'datasets:write',
  'training:read',
  'training:write',
  'deployments:read',
  'deployments:write',
  'billing:read',
  'analytics:read',
  'integrations:read',
  'integrations:write',
  'skills:read',
  'skills:write',
  'loop:read',
  'loop:write',
  'serverless',
]
const without = (...left: Scope[]): Scope[] => everyScope.filter((scope) => !left.includes(scope))

test('the scopes are those of the spec', () => {
  assert.deepEqual([...scopes].sort(), [...everyScope].sort())
})

const grants: Record<Role, { scopes: Scope[]; permissions: Permission[] }> = {
  owner: {
    scopes: everyScope,
    permissions: ['own_keys', 'all_keys', 'members', 'owners', 'workspaces', 'top_up'],
  },
  // Funds are for owners and billing only, and only an owner makes an owner.
  admin: { scopes: everyScope, permissions: ['own_keys', 'all_keys', 'members', 'workspaces'] },
  member: { scopes: without('billing:read', 'integrations:write'), permissions: ['own_keys'] },
  // Nothing that changes anything, calls a model or shows raw conversations.
  viewer: {
    scopes: [
      'models:read',
      'datasets:read',
      'training:read',
      'deployments:read',
      'analytics:read',
      'integrations:read',
      'skills:read',
    ],
    permissions: ['own_keys'],
  },
  billing: {
    scopes: ['models:read', 'billing:read', 'analytics:read'],
    permissions: ['own_keys', 'top_up'],
  },
}

test('the roles are those of the design', () => {
  assert.deepEqual([...roles].sort(), Object.keys(grants).sort())
})

for (const [role, expectedGrants] of Object.entries(grants)) {
  test(`the role ${role} grants what it should`, () => {
    const { scopes: granted, permissions } = roleGrants[role as Role]
    assert.deepEqual([...granted].sort(), [...expectedGrants.scopes].sort())
    assert.deepEqual([...permissions].sort(), [...expectedGrants.permissions].sort())
  })
}

test('members and viewers reach only the workspaces they were given', () => {
  assert.deepEqual([...rolesOfAllWorkspaces].sort(), ['admin', 'billing', 'owner'])
})

/** Spec 1, recommended combinations. */
const presets: Record<keyof typeof scopePresets, Scope[]> = {
  all: everyScope,
  serverless: ['serverless'],
  training_pipeline: ['datasets:read', 'training:read', 'training:write', 'models:read'],
  catalog_browser: ['models:read'],
  dataset_management: ['datasets:read', 'datasets:write', 'integrations:read'],
  read_only: ['models:read', 'datasets:read', 'training:read', 'deployments:read', 'billing:read'],
}

test('the presets are the combinations of the spec', () => {
  const sorted = (list: readonly Scope[]): Scope[] => [...list].sort()
  for (const [name, list] of Object.entries(presets)) {
    assert.deepEqual(sorted(scopePresets[name as keyof typeof presets]), sorted(list), name)
  }
  assert.deepEqual(Object.keys(scopePresets).sort(), Object.keys(presets).sort())
})
