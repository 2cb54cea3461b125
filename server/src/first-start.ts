// What an empty database gets: an organization with a workspace, an owner, a funded wallet and one key that
// can do everything. Done in one transaction, once, even when several processes start at the same time.
import { sql } from 'kysely'
import { scopes } from '#contract/scopes.ts'
import { randomBase62 } from './lib/base62.ts'
import { newId } from './lib/id.ts'
import { picodollarsPerUsd } from './lib/money.ts'
import { StartupProblem } from './lib/startup-problem.ts'
import type { Storage } from './storage/open-storage.ts'
import { addFunds, insertWallet } from './wallet/wallet-store.ts'
import * as store from './account/account-store.ts'
import { insertMember } from './account/member-store.ts'
import { insertKey } from './account/api-key-store.ts'
import { recordAudit } from './account/audit-store.ts'
import {
  checksumHolds,
  hashKeySecret,
  keyPrefixLength,
  newKeySecret,
} from './account/key-secret.ts'
import { generatedPasswordCharacters, hashPassword } from './account/password.ts'

export type FirstOwner = { email: string; password: string; key: string }

export type SetUp = { orgId: string; owner: FirstOwner }

const startingUsd = 100n

/** Made once for a start, however often it is tried. */
export function planSetUp(chosen: Partial<FirstOwner>, now: Date): SetUp {
  return {
    orgId: newId(now),
    owner: {
      email: chosen.email ?? 'owner@hone.local',
      password: chosen.password ?? randomBase62(generatedPasswordCharacters),
      key: chosen.key ?? newKeySecret(false),
    },
  }
}

/** Null when the database was set up before, by another start than this. */
export async function firstStart(
  storage: Storage,
  { orgId, owner }: SetUp,
  now: Date,
): Promise<FirstOwner | null> {
  const present = await store.firstOrgId(storage.db)
  // The database may have taken it while its answer was lost.
  if (present !== null) return present === orgId ? owner : null
  if (!checksumHolds(owner.key)) {
    throw new StartupProblem(
      'HONE_ADMIN_KEY looks like a Hone key but its last six characters, the checksum, are wrong; copy it again, or choose a key that does not begin like one.',
    )
  }
  const passwordHash = await hashPassword(owner.password)
  const created = await storage.db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('hone first start', 0))`.execute(tx)
    if ((await store.firstOrgId(tx)) !== null) return false
    const [workspaceId, userId, keyId] = [newId(now), newId(now), newId(now)]
    await store.insertOrg(tx, { id: orgId, name: 'My organization', at: now })
    await store.insertWorkspace(tx, { id: workspaceId, orgId, name: 'Default', at: now })
    await store.insertPerson(tx, {
      id: userId,
      email: owner.email,
      name: 'Owner',
      passwordHash,
      at: now,
    })
    await insertMember(tx, { orgId, userId, role: 'owner', workspaceIds: null, at: now })
    await insertWallet(tx, orgId)
    await addFunds(tx, {
      entryId: newId(now),
      walletId: orgId,
      kind: 'grant',
      amount: startingUsd * picodollarsPerUsd,
      workspaceId: null,
      keyId: null,
      idempotencyKey: null,
      detail: { reason: 'starting balance' },
      at: now,
    })
    await insertKey(tx, {
      id: keyId,
      workspaceId,
      createdBy: userId,
      name: 'First key',
      secretHash: hashKeySecret(owner.key),
      prefix: owner.key.slice(0, keyPrefixLength),
      scopes: [...scopes],
      scopePreset: 'all',
      at: now,
      expiresAt: null,
    })
    const actor = { orgId, workspaceId, userId, keyId: null }
    await recordAudit(tx, actor, { action: 'org.created', targetId: orgId, detail: {} }, now)
    return true
  })
  return created ? owner : null
}
