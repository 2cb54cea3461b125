// Create, list, revoke and introspect keys.
import type { z } from 'zod'
import type { ApiKey, createApiKeyBody, introspection } from '#contract/api-key.ts'
import { scopeDetail, unscopedRoutes } from '#contract/routes.ts'
import { type Scope, scopePresetNames, scopePresets, scopes } from '#contract/scopes.ts'
import type { App } from '../app.ts'
import { Refusal } from '../core/refusal.ts'
import { isId, newId } from '../lib/id.ts'
import * as store from './api-key-store.ts'
import { recordAudit } from './audit-store.ts'
import { type Caller } from './caller.ts'
import { actorOf } from './actor.ts'
import { hashKeySecret, keyPrefixLength, newKeySecret } from './key-secret.ts'

export async function createApiKey(
  app: App,
  caller: Caller,
  body: z.infer<typeof createApiKeyBody>,
): Promise<{ secret: string; api_key: ApiKey }> {
  const now = app.clock.now()
  const chosen: Scope[] = [
    ...(body.scope_preset ? scopePresets[body.scope_preset] : (body.scopes ?? [])),
  ]
  const beyond = chosen.filter((scope) => !caller.scopes.has(scope))
  // The `all` preset means everything its creator has, now and later: the role bounds it on every request.
  if (beyond.length > 0 && body.scope_preset !== 'all') {
    throw new Refusal(
      'FORBIDDEN',
      `You cannot give a key scopes you do not have: ${beyond.join(', ')}.`,
    )
  }
  const expiresAt = expiryOf(caller, body.expires_at)
  if (expiresAt && expiresAt <= now) {
    throw new Refusal('BAD_REQUEST', 'expires_at must be in the future.')
  }
  const secret = newKeySecret(chosen.length === 1 && chosen[0] === 'serverless')
  const id = newId(now)
  await app.storage.db.transaction().execute(async (tx) => {
    await store.insertKey(tx, {
      id,
      workspaceId: caller.workspace.id,
      createdBy: caller.user.id,
      name: body.name,
      secretHash: hashKeySecret(secret),
      prefix: secret.slice(0, keyPrefixLength),
      scopes: chosen,
      scopePreset: presetOf(chosen),
      at: now,
      expiresAt,
    })
    await recordAudit(
      tx,
      actorOf(caller),
      { action: 'api_key.created', targetId: id, detail: { name: body.name, scopes: chosen } },
      now,
    )
  })
  return { secret, api_key: await readKey(app, caller, id) }
}

/** A key that a key makes ends with it at the latest, and with it where nothing is said. */
function expiryOf(caller: Caller, given: string | null | undefined): Date | null {
  const latest = caller.key?.expiresAt ?? null
  if (given === undefined) return latest
  const expiresAt = given === null ? null : new Date(given)
  if (latest !== null && (expiresAt === null || expiresAt > latest)) {
    throw new Refusal(
      'FORBIDDEN',
      `This key expires at ${latest.toISOString()} and cannot create one that outlives it; set expires_at to that time or earlier, or leave it out.`,
    )
  }
  return expiresAt
}

/** Naming exactly a preset's scopes is choosing the preset. */
function presetOf(chosen: readonly Scope[]): string {
  const same = (preset: readonly Scope[]): boolean =>
    preset.length === chosen.length && preset.every((scope) => chosen.includes(scope))
  return scopePresetNames.find((name) => same(scopePresets[name])) ?? 'custom'
}

export async function listApiKeys(
  app: App,
  caller: Caller,
  page: { limit: number; before: string | null },
): Promise<ApiKey[]> {
  return store.listKeys(
    app.storage.db,
    caller.workspace.id,
    { ...ownOnly(caller), before: page.before, limit: page.limit },
    app.clock.now(),
  )
}

export async function revokeApiKey(
  app: App,
  caller: Caller,
  given: string,
): Promise<{ api_key: ApiKey }> {
  const keyId = given.toLowerCase()
  await readKey(app, caller, keyId)
  const now = app.clock.now()
  await app.storage.db.transaction().execute(async (tx) => {
    if (!(await store.revokeKey(tx, keyId, now))) return
    await recordAudit(
      tx,
      actorOf(caller),
      { action: 'api_key.revoked', targetId: keyId, detail: {} },
      now,
    )
  })
  app.operations.identity.forget()
  return { api_key: await readKey(app, caller, keyId) }
}

async function readKey(app: App, caller: Caller, keyId: string): Promise<ApiKey> {
  const found = isId(keyId)
    ? await store.listKeys(
        app.storage.db,
        caller.workspace.id,
        { ...ownOnly(caller), id: keyId, limit: 1 },
        app.clock.now(),
      )
    : []
  if (!found[0]) throw new Refusal('NOT_FOUND', 'There is no such key in this workspace.')
  return found[0]
}

function ownOnly(caller: Caller): { createdBy?: string } {
  return caller.permissions.has('all_keys') ? {} : { createdBy: caller.user.id }
}

export function introspect(caller: Caller): z.infer<typeof introspection> {
  const effective = scopes.filter((scope) => caller.scopes.has(scope))
  const details = effective.map(scopeDetail)
  const open = unscopedRoutes()
  return {
    auth_type: caller.key ? 'api_key' : 'jwt',
    key_id: caller.key?.id ?? null,
    key_name: caller.key?.name ?? null,
    key_prefix: caller.key?.prefix ?? null,
    status: 'active',
    scopes: effective,
    scope_preset: (caller.key?.scopePreset ?? null) as z.infer<
      typeof introspection
    >['scope_preset'],
    org: caller.org,
    workspace: caller.workspace,
    user: caller.user,
    scope_details: details,
    allowed_mcp_tools: eachOnce([
      ...open.flatMap((route) => route.tool ?? []),
      ...details.flatMap((detail) => detail.tools),
    ]),
    allowed_sdk_methods: eachOnce([
      ...open.flatMap((route) => route.sdk ?? []),
      ...details.flatMap((detail) => detail.sdk_methods),
    ]),
    expires_at: caller.key?.expiresAt?.toISOString() ?? null,
    created_at: caller.key?.createdAt.toISOString() ?? null,
  }
}

/** Several scopes may open the same. */
function eachOnce(names: readonly string[]): string[] {
  return [...new Set(names)]
}
