// People, keys and organizations beside the first owner's: over HTTP where there is a route for it, else by
// the stores.
import type { ApiKey } from '#contract/api-key.ts'
import { type Role, type Scope, scopes } from '#contract/scopes.ts'
import * as store from '#server/account/account-store.ts'
import { insertKey } from '#server/account/api-key-store.ts'
import { hashKeySecret, newKeySecret } from '#server/account/key-secret.ts'
import { insertMember } from '#server/account/member-store.ts'
import { hashPassword } from '#server/account/password.ts'
import { newId } from '#server/lib/id.ts'
import { insertWallet } from '#server/wallet/wallet-store.ts'
import type { TestHone } from './test-hone.ts'

type Headers = Record<string, string>

export type Person = {
  userId: string
  email: string
  password: string
  /** Makes calls as this person, in the workspace they reach first. */
  headers: Headers
}

let people = 0

/** A new member of the first organization, signed in. */
export async function addPerson(
  hone: TestHone,
  role: Role,
  options: { workspace_ids?: string[] | null } = {},
): Promise<Person> {
  const email = `${role}-${++people}@example.com`
  const answer = await hone.call('POST', '/api/members', {
    key: hone.owner.key,
    body: { email, role, ...options },
  })
  if (answer.status !== 201) throw new Error(`adding ${email} failed: ${answer.text}`)
  const { member, password } = answer.json as unknown as {
    member: { user: { id: string } }
    password: string
  }
  const headers = await hone.login(email, password)
  return { userId: member.user.id, email, password, headers }
}

export async function changeMember(
  hone: TestHone,
  userId: string,
  change: { role?: Role; workspace_ids?: string[] | null },
): Promise<void> {
  const body = { user_id: userId, ...change }
  const answer = await hone.call('PATCH', '/api/members', { key: hone.owner.key, body })
  if (answer.status !== 200) throw new Error(`changing a member failed: ${answer.text}`)
}

export async function removePerson(hone: TestHone, userId: string): Promise<void> {
  const body = { user_id: userId }
  const answer = await hone.call('DELETE', '/api/members', { key: hone.owner.key, body })
  if (answer.status !== 204) throw new Error(`removing a member failed: ${answer.text}`)
}

export async function createWorkspace(hone: TestHone, name: string): Promise<string> {
  const answer = await hone.call('POST', '/api/workspaces', { key: hone.owner.key, body: { name } })
  if (answer.status !== 201) throw new Error(`creating a workspace failed: ${answer.text}`)
  return (answer.json as unknown as { workspace: { id: string } }).workspace.id
}

export type CreatedKey = { secret: string; api_key: ApiKey }

/** A key of whoever the headers sign in, with every scope unless the body says otherwise. */
export async function createKey(
  hone: TestHone,
  headers: Headers,
  body: { scopes?: Scope[]; scope_preset?: string; name?: string; expires_at?: string } = {},
): Promise<CreatedKey> {
  const chosen = body.scopes || body.scope_preset ? {} : { scope_preset: 'all' }
  const answer = await hone.call('POST', '/api/api-keys', {
    headers,
    body: { name: 'A key', ...chosen, ...body },
  })
  if (answer.status !== 201) throw new Error(`creating a key failed: ${answer.text}`)
  return answer.json as unknown as CreatedKey
}

export async function revokeKey(hone: TestHone, keyId: string): Promise<void> {
  const answer = await hone.call('DELETE', `/api/api-keys/${keyId}`, { key: hone.owner.key })
  if (answer.status !== 200) throw new Error(`revoking a key failed: ${answer.text}`)
}

export type OtherOrg = {
  orgId: string
  workspaceId: string
  userId: string
  email: string
  password: string
  keyId: string
  secret: string
}

/** A second organization with an owner, a workspace and an all-scope key, which no route can create. */
export async function otherOrg(hone: TestHone): Promise<OtherOrg> {
  const at = hone.app.clock.now()
  const [orgId, workspaceId, userId, keyId] = [newId(at), newId(at), newId(at), newId(at)]
  const email = `stranger-${++people}@example.org`
  const password = 'the password of a stranger'
  const passwordHash = await hashPassword(password)
  const secret = newKeySecret(false)
  await hone.app.storage.db.transaction().execute(async (tx) => {
    await store.insertOrg(tx, { id: orgId, name: 'Other organization', at })
    await store.insertWorkspace(tx, { id: workspaceId, orgId, name: 'Theirs', at })
    await store.insertPerson(tx, { id: userId, email, name: 'Stranger', passwordHash, at })
    await insertMember(tx, { orgId, userId, role: 'owner', workspaceIds: null, at })
    await insertWallet(tx, orgId)
    await insertKey(tx, {
      id: keyId,
      workspaceId,
      createdBy: userId,
      name: 'Their key',
      secretHash: hashKeySecret(secret),
      prefix: secret.slice(0, 12),
      scopes: [...scopes],
      scopePreset: 'all',
      at,
      expiresAt: null,
    })
  })
  return { orgId, workspaceId, userId, email, password, keyId, secret }
}
