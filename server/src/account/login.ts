// Sign in, sign out and change the password.
import type { z } from 'zod'
import type { changePasswordBody, loginBody, loginResponse } from '#contract/auth.ts'
import { accessTokenSeconds } from '#contract/limits.ts'
import type { App } from '../app.ts'
import { Refusal } from '../core/refusal.ts'
import { newId } from '../lib/id.ts'
import * as store from './account-store.ts'
import { recordAudit } from './audit-store.ts'
import { insertSession, revokeSessions } from './credential-store.ts'
import { countLoginTry, strikeOutLoginTry } from './login-try-store.ts'
import { hashPassword, passwordFits } from './password.ts'

export function login(
  app: App,
  address: string,
  body: z.infer<typeof loginBody>,
): Promise<z.infer<typeof loginResponse>> {
  return app.operations.loginTurns.run(address, () => signIn(app, address, body))
}

async function signIn(
  app: App,
  address: string,
  body: z.infer<typeof loginBody>,
): Promise<z.infer<typeof loginResponse>> {
  const now = app.clock.now()
  const person = await store.findPersonByEmail(app.storage.db, body.email)
  await checkPassword(app, address, { person, email: body.email }, body.password)
  if (!person) throw wrongPassword()
  const sessionId = newId(now)
  await app.storage.db.transaction().execute(async (tx) => {
    // A change of the password ends all other sessions, and must not miss one that the old password is just opening.
    if ((await store.lockPassword(tx, person.id)) !== person.passwordHash) throw wrongPassword()
    await insertSession(tx, {
      id: sessionId,
      userId: person.id,
      at: now,
      expiresAt: new Date(now.getTime() + accessTokenSeconds * 1000),
    })
  })
  return {
    access_token: await app.operations.identity.issueToken({ userId: person.id, sessionId }),
    token_type: 'Bearer',
    expires_in: accessTokenSeconds,
    user: { id: person.id, name: person.name, email: person.email },
    orgs: await store.listOrgsOfPerson(app.storage.db, person.id),
  }
}

export async function logout(
  app: App,
  session: { userId: string; sessionId: string },
): Promise<void> {
  await revokeSessions(
    app.storage.db,
    { userId: session.userId, only: session.sessionId },
    app.clock.now(),
  )
  app.operations.identity.forget()
}

export async function changePassword(
  app: App,
  address: string,
  session: { userId: string; sessionId: string },
  body: z.infer<typeof changePasswordBody>,
): Promise<void> {
  const now = app.clock.now()
  const person = await app.operations.loginTurns.run(address, async () => {
    const found = await store.findPerson(app.storage.db, session.userId)
    await checkPassword(app, address, { person: found, email: '' }, body.current_password)
    return found
  })
  const passwordHash = await hashPassword(body.new_password)
  const orgs = await store.listOrgsOfPerson(app.storage.db, session.userId)
  await app.storage.db.transaction().execute(async (tx) => {
    const checked = person?.passwordHash ?? null
    // Whoever was first, another session or the operator, has made the password that was checked a wrong one.
    if (!(await store.updatePassword(tx, session.userId, passwordHash, checked))) {
      throw wrongPassword()
    }
    await revokeSessions(tx, { userId: session.userId, except: session.sessionId }, now)
    // A password opens every organization that its person is in.
    for (const { id } of orgs) {
      const actor = { orgId: id, workspaceId: null, userId: session.userId, keyId: null }
      const event = { action: 'password.changed', targetId: session.userId, detail: {} }
      await recordAudit(tx, actor, event, now)
    }
  })
  app.operations.identity.forget()
}

async function checkPassword(
  app: App,
  address: string,
  who: { person: store.Person | null; email: string },
  password: string,
): Promise<void> {
  const { db } = app.storage
  // The database may take two spellings for one address that look different here.
  const account = who.person?.id ?? who.email.toLowerCase()
  const tried = await countLoginTry(db, address, account, app.clock.now())
  if (tried.kind === 'limited') {
    throw new Refusal(
      'RATE_LIMITED',
      `Too many failed attempts; wait ${tried.retryAfterSeconds} seconds and try again.`,
      { retryAfterSeconds: tried.retryAfterSeconds },
    )
  }
  if (!(await passwordFits(who.person?.passwordHash ?? null, password))) throw wrongPassword()
  await strikeOutLoginTry(db, tried.id)
}

function wrongPassword(): Refusal {
  return new Refusal('UNAUTHORIZED', 'E-mail or password is wrong.')
}
