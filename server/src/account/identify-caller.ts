// From the headers of a request to its caller. What the credential is worth is looked up once and remembered
// until accounts change; whether it is worth that now is decided on every request.
import { Refusal } from '../core/refusal.ts'
import type { Clock } from '../lib/clock.ts'
import { isId } from '../lib/id.ts'
import type { Storage } from '../storage/open-storage.ts'
import * as store from './credential-store.ts'
import { signAccessToken, type TokenSubject, verifyAccessToken } from './access-token.ts'
import {
  type Caller,
  callerOfKey,
  callerOfSession,
  type KeyRecord,
  type Membership,
  reachesWorkspace,
} from './caller.ts'
import { checksumHolds, hashKeySecret, nameKeySecret } from './key-secret.ts'
import { Remembered } from './remembered.ts'

export type Credentials = {
  apiKey: string | undefined
  authorization: string | undefined
  orgId: string | undefined
  workspaceId: string | undefined
}

const secretCharactersMax = 200

export class Identity {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #tokenSecret: Uint8Array
  readonly #keys: Remembered<KeyRecord>
  readonly #memberships: Remembered<Membership>

  constructor(storage: Storage, clock: Clock, tokenSecret: Uint8Array) {
    this.#storage = storage
    this.#clock = clock
    this.#tokenSecret = tokenSecret
    this.#keys = new Remembered(storage)
    this.#memberships = new Remembered(storage)
  }

  forget(): void {
    this.#keys.forget()
    this.#memberships.forget()
  }

  issueToken(subject: TokenSubject): Promise<string> {
    return signAccessToken(this.#tokenSecret, subject, this.#clock.now())
  }

  /** `/api/*`: the key header wins over a token. */
  async callerOf(credentials: Credentials): Promise<Caller> {
    if (credentials.apiKey !== undefined) {
      const caller = await this.callerOfSecret(credentials.apiKey)
      if (!caller)
        throw new Refusal(
          'UNAUTHORIZED',
          'Incorrect API key provided: it is unknown, revoked or expired, or its creator left.',
        )
      if (
        (credentials.workspaceId ?? caller.workspace.id) !== caller.workspace.id ||
        (credentials.orgId ?? caller.org.id) !== caller.org.id
      ) {
        throw new Refusal(
          'NOT_FOUND',
          'X-Org-ID or X-Workspace-ID names a workspace that this key cannot reach; leave both headers out.',
        )
      }
      return caller
    }
    const subject = await this.personOf(credentials)
    const { orgId, workspaceId } = credentials
    if (orgId === undefined || workspaceId === undefined) {
      throw new Refusal(
        'BAD_REQUEST',
        'With an access token, send the headers X-Org-ID and X-Workspace-ID; POST /api/auth/login lists yours.',
      )
    }
    const membership =
      isId(orgId) && isId(workspaceId)
        ? await this.#memberships.get(`${subject.sessionId} ${orgId} ${workspaceId}`, () =>
            store
              .findSessionMembership(this.#storage, subject.sessionId, orgId, workspaceId)
              .then(unlessOut),
          )
        : null
    const caller = membership && callerOfSession(membership)
    if (!caller)
      throw new Refusal(
        'NOT_FOUND',
        'X-Org-ID and X-Workspace-ID name no workspace that you can reach.',
      )
    return caller
  }

  /** A person, by access token alone. */
  async personOf(credentials: Credentials): Promise<{ userId: string; sessionId: string }> {
    const token = bearerToken(credentials.authorization)
    if (token === null) {
      throw new Refusal(
        'UNAUTHORIZED',
        'Send an API key in X-API-Key, or an access token as Authorization: Bearer.',
      )
    }
    const subject = await verifyAccessToken(this.#tokenSecret, token, this.#clock.now())
    if (!subject || !isId(subject.sessionId) || !isId(subject.userId)) {
      throw new Refusal(
        'UNAUTHORIZED',
        token.startsWith('hone_') || token.startsWith('hsk_')
          ? 'API keys go into X-API-Key here; Authorization: Bearer takes an access token from POST /api/auth/login.'
          : 'The access token is not valid or has expired; sign in again.',
      )
    }
    if (!(await store.sessionIsLive(this.#storage, subject.sessionId, subject.userId))) {
      throw new Refusal('UNAUTHORIZED', 'The session has ended; sign in again.')
    }
    return subject
  }

  /** Null when the secret does not authenticate. */
  async callerOfSecret(secret: string): Promise<Caller | null> {
    if (secret.length > secretCharactersMax) return null
    const name = nameKeySecret(secret)
    const known = this.#keys.peek(name)
    if (known) return callerOfKey(known, this.#clock.now())
    if (!checksumHolds(secret)) return null
    const record = await this.#keys.get(name, () =>
      store.findKeyRecord(this.#storage, hashKeySecret(secret)).then(unlessOut),
    )
    return record && callerOfKey(record, this.#clock.now())
  }
}

/** Who reaches nothing is refused without being remembered, because joining again is not told around. */
function unlessOut<M extends Membership>(membership: M | null): M | null {
  return membership && reachesWorkspace(membership) ? membership : null
}

export function bearerToken(authorization: string | undefined): string | null {
  const match = /^Bearer +(\S+) *$/i.exec(authorization ?? '')
  return match?.[1] ?? null
}
