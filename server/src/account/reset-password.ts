// Gives a person a new password without asking for the old one: the way back in of whoever runs Hone, who can reach its
// database anyway.
import { randomBase62 } from '../lib/base62.ts'
import type { Db } from '../storage/open-storage.ts'
import * as store from './account-store.ts'
import { recordAudit } from './audit-store.ts'
import { revokeSessions } from './credential-store.ts'
import { deleteLoginTriesOf } from './login-try-store.ts'
import { generatedPasswordCharacters, hashPassword } from './password.ts'

export type PasswordReset =
  | { kind: 'reset'; email: string; password: string }
  /** Nobody has that address; some of those that are there, and how many more. */
  | { kind: 'nobody'; emails: string[]; more: number }

const emailsShown = 20

export async function resetPassword(db: Db, email: string, now: Date): Promise<PasswordReset> {
  const person = await store.findPersonByEmail(db, email)
  if (!person) {
    const { emails, count } = await store.listEmails(db, emailsShown)
    return { kind: 'nobody', emails, more: count - emails.length }
  }
  const password = randomBase62(generatedPasswordCharacters)
  const passwordHash = await hashPassword(password)
  const orgs = await store.listOrgsOfPerson(db, person.id)
  await db.transaction().execute(async (tx) => {
    await store.updatePassword(tx, person.id, passwordHash, null)
    await revokeSessions(tx, { userId: person.id }, now)
    // Whoever tried until they asked for help need not wait out the limit.
    await deleteLoginTriesOf(tx, person.id)
    for (const { id } of orgs) {
      const actor = { orgId: id, workspaceId: null, userId: null, keyId: null }
      const event = { action: 'password.reset', targetId: person.id, detail: {} }
      await recordAudit(tx, actor, event, now)
    }
  })
  return { kind: 'reset', email: person.email, password }
}
