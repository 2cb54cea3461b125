// API keys: each bound to one workspace, secret shown once, record kept after revocation.
import { z } from 'zod'
import { namedThing } from './auth.ts'
import { nameCharactersMax } from './limits.ts'
import { nextCursor, pageQuery, route, text, timestamp, timestampInput } from './route.ts'
import { roles, scopePresetNames, scopes } from './scopes.ts'

export const keyStatuses = ['active', 'expired', 'revoked'] as const
export type KeyStatus = (typeof keyStatuses)[number]

export const apiKey = z.object({
  key_id: z.uuid(),
  kind: z
    .enum(['platform', 'member'])
    .describe(
      'platform: the scoring key of a pipeline, which Hone made and which answers no request',
    ),
  key_name: z.string(),
  key_prefix: z.string(),
  status: z.enum(keyStatuses),
  scopes: z
    .array(z.enum(scopes))
    .describe('What the key can do now: the scopes it was issued with that its creator still has'),
  scope_preset: z.enum([...scopePresetNames, 'custom']).describe('As the key was issued'),
  created_by: z
    .object({ id: z.uuid(), name: z.string(), email: z.string() })
    .nullable()
    .describe('null for a platform key'),
  created_at: timestamp,
  expires_at: timestamp.nullable(),
  revoked_at: timestamp.nullable(),
})
export type ApiKey = z.infer<typeof apiKey>

const chosenScopes = z
  .array(z.enum(scopes))
  .min(1, 'must name at least one scope')
  .max(scopes.length)
  .refine((list) => new Set(list).size === list.length, 'must not name a scope twice')

export const createApiKeyBody = z
  .strictObject({
    name: text.trim().min(1).max(nameCharactersMax),
    scopes: chosenScopes.optional().describe('These, instead of scope_preset'),
    scope_preset: z.enum(scopePresetNames).optional().describe('One of these, instead of scopes'),
    expires_at: timestampInput.nullish(),
  })
  .refine((body) => (body.scopes === undefined) !== (body.scope_preset === undefined), {
    message: 'send either scopes or scope_preset',
    path: ['scopes'],
  })

export const introspection = z.object({
  auth_type: z.enum(['api_key', 'jwt']),
  key_id: z.uuid().nullable(),
  key_name: z.string().nullable(),
  key_prefix: z.string().nullable(),
  status: z.literal('active'),
  scopes: z.array(z.enum(scopes)),
  scope_preset: z.enum([...scopePresetNames, 'custom']).nullable(),
  org: namedThing,
  workspace: namedThing,
  user: z.object({ id: z.uuid(), name: z.string(), email: z.string(), role: z.enum(roles) }),
  scope_details: z.array(
    z.object({
      scope: z.enum(scopes),
      description: z.string(),
      tools: z.array(z.string()),
      sdk_methods: z.array(z.string()),
    }),
  ),
  allowed_mcp_tools: z.array(z.string()),
  allowed_sdk_methods: z.array(z.string()),
  expires_at: timestamp.nullable(),
  created_at: timestamp.nullable(),
})

export const apiKeyRoutes = [
  route({
    name: 'listApiKeys',
    tag: 'API keys',
    method: 'GET',
    path: '/api/api-keys',
    summary: 'List the keys of the workspace, newest first; revoked and expired ones stay listed',
    access: { kind: 'caller', permission: 'own_keys' },
    query: pageQuery,
    status: 200,
    response: z.object({ api_keys: z.array(apiKey), next_cursor: nextCursor }),
    errors: [],
  }),
  route({
    name: 'createApiKey',
    tag: 'API keys',
    method: 'POST',
    path: '/api/api-keys',
    summary:
      'Create a key in the workspace; the secret is in this answer and nowhere else. A key that expires makes none that outlives it',
    access: { kind: 'caller', permission: 'own_keys' },
    body: createApiKeyBody,
    status: 201,
    response: z.object({ secret: z.string(), api_key: apiKey }),
    errors: [],
  }),
  route({
    name: 'revokeApiKey',
    tag: 'API keys',
    method: 'DELETE',
    path: '/api/api-keys/{key_id}',
    summary: 'Revoke a key; it stops authenticating at once and its record stays',
    access: { kind: 'caller', permission: 'own_keys' },
    status: 200,
    response: z.object({ api_key: apiKey }),
    errors: [],
  }),
  route({
    name: 'introspectApiKey',
    tag: 'API keys',
    method: 'GET',
    path: '/api/api-keys/introspect',
    summary: 'Show the credential of this request and what it may do',
    access: { kind: 'caller' },
    tool: 'introspect_key',
    sdk: 'apiKeys.introspect',
    status: 200,
    response: introspection,
    errors: [],
  }),
] as const
