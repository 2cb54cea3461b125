// Access tokens of people: signed with one fixed algorithm, for one audience, for one hour, and naming a
// session that can be ended before that.
import { errors, jwtVerify, SignJWT } from 'jose'
import { accessTokenSeconds } from '#contract/limits.ts'

const issuer = 'hone'
const audience = 'hone-platform'
const algorithm = 'HS256'
// Another process may have signed by a clock a little ahead of ours.
const clockSkewSeconds = 60

export type TokenSubject = { userId: string; sessionId: string }

export async function signAccessToken(
  secret: Uint8Array,
  subject: TokenSubject,
  now: Date,
): Promise<string> {
  const seconds = Math.floor(now.getTime() / 1000)
  return new SignJWT({})
    .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(subject.userId)
    .setJti(subject.sessionId)
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + accessTokenSeconds)
    .sign(secret)
}

/** Null for anything but a token this server signed for this audience that is still in its hour. */
export async function verifyAccessToken(
  secret: Uint8Array,
  token: string,
  now: Date,
): Promise<TokenSubject | null> {
  if (token.length > 2048 || !token.split('.').every(isCanonical)) return null
  try {
    const { payload } = await jwtVerify(token, secret, {
      algorithms: [algorithm],
      issuer,
      audience,
      typ: 'JWT',
      currentDate: now,
      requiredClaims: ['sub', 'jti', 'exp', 'iat'],
    })
    if (typeof payload.aud !== 'string' || !payload.sub || !payload.jti) return null
    if (payload.iat === undefined || payload.iat > now.getTime() / 1000 + clockSkewSeconds)
      return null
    return { userId: payload.sub, sessionId: payload.jti }
  } catch (error) {
    if (error instanceof errors.JOSEError) return null
    throw error
  }
}

// The last character of base64url has bits that decoders pass over, so that several spellings would be the same token.
function isCanonical(part: string): boolean {
  return Buffer.from(part, 'base64url').toString('base64url') === part
}
