// The scopes a key can hold, the presets offered at creation, and what each role may do. A key's effective
// scopes are those it was issued with that its creator's role still grants.

export const scopeDescriptions = {
  'models:read': 'Browse models',
  'datasets:read': 'List and view datasets',
  'datasets:write': 'Upload and delete datasets',
  'training:read': 'View training jobs, logs and checkpoints',
  'training:write': 'Create, stop and resume training jobs',
  'deployments:read': 'Check and monitor deployments, and call them',
  'deployments:write': 'Create and manage deployments',
  'billing:read': 'View the wallet and its transactions',
  'analytics:read': 'View usage, audit, training and inference analytics',
  'integrations:read': 'View integrations',
  'integrations:write': 'Connect and manage integrations',
  'skills:read': 'Read skills',
  'skills:write': 'Create, clone, edit and remove skills',
  'loop:read': 'Read the improvement loop, raw conversations included',
  'loop:write': 'Change the improvement loop: record, review, train, promote',
  serverless: 'Call models and browse the catalog',
} as const

export type Scope = keyof typeof scopeDescriptions
export const scopes = Object.keys(scopeDescriptions) as [Scope, ...Scope[]]

/** Spec 1 recommends these combinations; `custom` stands for any other. */
export const scopePresets = {
  all: scopes,
  serverless: ['serverless'],
  training_pipeline: ['datasets:read', 'training:read', 'training:write', 'models:read'],
  catalog_browser: ['models:read'],
  dataset_management: ['datasets:read', 'datasets:write', 'integrations:read'],
  // No loop scope here: what the loop stores is raw conversations (spec 2, authentication rule 1).
  read_only: ['models:read', 'datasets:read', 'training:read', 'deployments:read', 'billing:read'],
} as const satisfies Record<string, readonly Scope[]>

export type ScopePreset = keyof typeof scopePresets
export const scopePresetNames = Object.keys(scopePresets) as [ScopePreset, ...ScopePreset[]]

export const roles = ['owner', 'admin', 'member', 'viewer', 'billing'] as const
export type Role = (typeof roles)[number]

/** What no scope names: acts of a person, or of a key that holds every scope on a person's behalf. */
export const permissions = [
  'own_keys',
  'all_keys',
  'members',
  'owners',
  'workspaces',
  'top_up',
] as const
export type Permission = (typeof permissions)[number]

const readScopes: Scope[] = [
  'models:read',
  'datasets:read',
  'training:read',
  'deployments:read',
  'analytics:read',
  'integrations:read',
  'skills:read',
]

export const roleGrants: Record<
  Role,
  { scopes: readonly Scope[]; permissions: readonly Permission[] }
> = {
  owner: { scopes, permissions },
  admin: { scopes, permissions: ['own_keys', 'all_keys', 'members', 'workspaces'] },
  member: {
    scopes: scopes.filter((scope) => scope !== 'billing:read' && scope !== 'integrations:write'),
    permissions: ['own_keys'],
  },
  viewer: { scopes: readScopes, permissions: ['own_keys'] },
  billing: {
    scopes: ['models:read', 'billing:read', 'analytics:read'],
    permissions: ['own_keys', 'top_up'],
  },
}

/** These roles reach every workspace of their organization; the others only those they were given. */
export const rolesOfAllWorkspaces: readonly Role[] = ['owner', 'admin', 'billing']
