// Access tokens that were made, edited or signed by anybody but this server, over HTTP: none of them gets in.
import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { type JWTPayload, SignJWT } from 'jose'
import { verifyAccessToken } from '#server/account/access-token.ts'
import { newId } from '#server/lib/id.ts'
import { openSecrets } from '#server/lib/secrets.ts'
import { addPerson } from '#test/support/accounts.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { type TestHone, testHone } from '#test/support/test-hone.ts'

const clock = new ManualClock()
let hone: TestHone
let session: Record<string, string>
let good: string
let tokenSecret: Uint8Array
let head: Record<string, unknown>
let claims: JWTPayload & { iat: number; exp: number; jti: string; sub: string }

const encode = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
const decode = (part: string | undefined): unknown =>
  JSON.parse(Buffer.from(part ?? '', 'base64url').toString())

before(async () => {
  hone = await testHone({ clock })
  const { dataDir, secret } = hone.app.config
  tokenSecret = (await openSecrets(dataDir, secret)).keyFor('access-token')
  session = await hone.login(hone.owner.email, hone.owner.password)
  good = session.authorization?.slice('Bearer '.length) ?? ''
  const [first, second] = good.split('.')
  head = decode(first) as typeof head
  claims = decode(second) as typeof claims
})
after(() => hone.stop())

/** Signed by HMAC as the server would, whatever the parts say. */
function signed(
  header: unknown,
  payload: unknown,
  secret: Uint8Array | string = tokenSecret,
  hash = 'sha256',
): string {
  const start = `${encode(header)}.${encode(payload)}`
  return `${start}.${createHmac(hash, secret).update(start).digest('base64url')}`
}

async function statusOf(token: string): Promise<number> {
  const headers = { ...session, authorization: `Bearer ${token}` }
  const caller = await hone.call('GET', '/api/workspaces', { headers })
  // Routes of a person's own account check the same token; a body without its fields is 400 when it got in.
  const person = await hone.call('POST', '/api/auth/password', { headers, body: {} })
  assert.equal(caller.status === 200, person.status === 400, `${caller.status} ${person.status}`)
  if (caller.status !== 200) assert.equal(person.status, caller.status)
  return caller.status
}

test('the server’s own token gets in, and says which algorithm, for whom and for how long', async () => {
  assert.equal(await statusOf(good), 200)
  assert.deepEqual(head, { alg: 'HS256', typ: 'JWT' })
  assert.equal(claims.iss, 'hone')
  assert.equal(claims.aud, 'hone-platform')
  assert.equal(claims.exp - claims.iat, 3600)
  assert.equal(await statusOf(signed(head, claims)), 200, 'this file signs as the server does')
})

describe('another algorithm', () => {
  for (const alg of ['none', 'None', 'NONE', 'nOnE', '', null, undefined, 0, ['HS256']]) {
    test(`alg ${JSON.stringify(alg)} is refused, with and without a signature`, async () => {
      const header = { ...head, alg }
      const bare = `${encode(header)}.${encode(claims)}`
      for (const token of [bare, `${bare}.`, `${bare}.x`, signed(header, claims)]) {
        assert.equal(await statusOf(token), 401)
      }
    })
  }

  for (const [alg, hash] of [
    ['HS384', 'sha384'],
    ['HS512', 'sha512'],
    ['hs256', 'sha256'],
  ] as const) {
    test(`${alg} with the right secret is refused`, async () => {
      const token = signed({ ...head, alg }, claims, tokenSecret, hash)
      assert.equal(await statusOf(token), 401)
    })
  }

  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const edwards = generateKeyPairSync('ed25519')
  for (const [alg, pair] of [
    ['RS256', rsa],
    ['PS256', rsa],
    ['ES256', curve],
    ['EdDSA', edwards],
  ] as const) {
    test(`${alg} with a key of one’s own is refused`, async () => {
      const token = await new SignJWT(claims)
        .setProtectedHeader({ alg, typ: 'JWT' })
        .sign(pair.privateKey)
      assert.equal(await statusOf(token), 401)
    })

    test(`HS256 with the text of an ${alg} public key as secret is refused`, async () => {
      for (const format of ['pem', 'der'] as const) {
        const text = pair.publicKey.export({ type: 'spki', format } as never) as string | Buffer
        assert.equal(await statusOf(signed(head, claims, text)), 401)
        assert.equal(await statusOf(signed({ ...head, alg }, claims, text)), 401)
      }
    })
  }
})

describe('another secret', () => {
  test('any of the usual ones is refused', async () => {
    const { config } = hone.app
    for (const secret of [
      '',
      'secret',
      'changeme',
      '\0',
      'hone',
      config.secret ?? '',
      hone.owner.key,
    ]) {
      assert.equal(await statusOf(signed(head, claims, secret)), 401)
    }
  })

  test('one bit off is refused', async () => {
    const secret = Uint8Array.from(tokenSecret)
    secret[31] = (secret[31] ?? 0) ^ 1
    assert.equal(await statusOf(signed(head, claims, secret)), 401)
  })

  for (const [name, extra] of [
    ['kid as a path', { kid: '../../../../dev/null' }],
    ['kid as SQL', { kid: "x' union select '' --" }],
    ['kid as a command', { kid: '|touch /tmp/hone-kid' }],
    ['jku', { jku: 'http://127.0.0.1:9/keys.json' }],
    ['x5u', { x5u: 'http://127.0.0.1:9/cert.pem' }],
    ['jwk', { jwk: { kty: 'oct', k: encode('secret') } }],
    ['x5c', { x5c: ['MIIB'] }],
    ['an unknown critical extension', { crit: ['exp'], exp: 1 }],
  ] as const) {
    test(`${name} in the header does not choose the key`, async () => {
      const header = { ...head, ...extra }
      for (const secret of ['', 'secret']) {
        assert.equal(await statusOf(signed(header, claims, secret)), 401)
      }
    })
  }
})

describe('other claims, though the signature is right', () => {
  const minute = 60
  const refused: [what: string, change: () => Record<string, unknown>][] = [
    ['another audience', () => ({ aud: 'hone-console' })],
    ['a list of audiences', () => ({ aud: ['hone-platform'] })],
    ['no audience', () => ({ aud: undefined })],
    ['another issuer', () => ({ iss: 'hone.evil' })],
    ['no issuer', () => ({ iss: undefined })],
    ['an expiry that has passed', () => ({ exp: claims.iat - 1 })],
    ['an expiry at this very second', () => ({ exp: claims.iat })],
    ['no expiry', () => ({ exp: undefined })],
    ['an expiry that is no number', () => ({ exp: String(claims.exp) })],
    ['a time of issue an hour ahead', () => ({ iat: claims.iat + 60 * minute })],
    ['no time of issue', () => ({ iat: undefined })],
    ['a beginning in a minute', () => ({ nbf: claims.iat + minute })],
    ['a beginning that is no number', () => ({ nbf: 'now' })],
    ['no session', () => ({ jti: undefined })],
    ['a session that does not exist', () => ({ jti: newId(clock.now()) })],
    ['a session that is no id', () => ({ jti: "' or true --" })],
    ['nobody', () => ({ sub: undefined })],
    ['a person that does not exist', () => ({ sub: newId(clock.now()) })],
    ['a person that is no id', () => ({ sub: "' or true --" })],
    ['a person that is no text', () => ({ sub: 1 })],
  ]
  for (const [what, change] of refused) {
    test(`${what} is refused`, async () => {
      assert.equal(await statusOf(signed(head, { ...claims, ...change() })), 401)
    })
  }

  test('another type of token is refused', async () => {
    for (const typ of ['at+jwt', 'JWE', undefined]) {
      assert.equal(await statusOf(signed({ ...head, typ }, claims)), 401)
    }
  })

  test('one person’s session under another person’s name is refused', async () => {
    const member = await addPerson(hone, 'member')
    const forged = signed(head, { ...claims, sub: member.userId })
    assert.equal(await statusOf(forged), 401)
    const theirs = decode(member.headers.authorization?.split('.')[1]) as typeof claims
    assert.equal(await statusOf(signed(head, { ...claims, jti: theirs.jti })), 401)
  })

  test('a claim said twice counts as its last, so a good first one hides nothing', async () => {
    const text = JSON.stringify(claims)
    for (const last of [
      '"exp":1',
      '"aud":"else"',
      '"iss":"else"',
      '"sub":"x"',
      '"nbf":9999999999',
    ]) {
      assert.equal(await statusOf(signed(head, `${text.slice(0, -1)},${last}}`)), 401)
    }
  })
})

describe('an edited token', () => {
  test('with any other payload under the old signature is refused', async () => {
    const [first = '', , third = ''] = good.split('.')
    for (const change of [
      { exp: claims.exp + 1 },
      { sub: newId(clock.now()) },
      { role: 'owner' },
    ]) {
      const token = `${first}.${encode({ ...claims, ...change })}.${third}`
      assert.equal(await statusOf(token), 401)
    }
  })

  test('with any one character changed is refused', async () => {
    for (let i = 0; i < good.length; i++) {
      const other = good[i] === 'A' ? 'B' : 'A'
      const token = good.slice(0, i) + other + good.slice(i + 1)
      // Through the function, because there are many; it is the same one.
      const subject = await verifyAccessToken(tokenSecret, token, clock.now())
      assert.equal(subject, null, `character ${i}`)
    }
  })

  test('with another last character that decodes to the same signature is refused', async () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const bytes = Buffer.from(good.split('.')[2] ?? '', 'base64url')
    const alike = [...alphabet]
      .map((last) => good.slice(0, -1) + last)
      .filter((token) => bytes.equals(Buffer.from(token.split('.')[2] ?? '', 'base64url')))
    assert.equal(alike.length, 4)
    for (const token of alike) assert.equal(await statusOf(token), token === good ? 200 : 401)
  })

  test('with an empty, cut or doubled signature is refused', async () => {
    const [first = '', second = '', third = ''] = good.split('.')
    for (const token of [
      `${first}.${second}.`,
      `${first}.${second}`,
      `${first}..${third}`,
      `.${second}.${third}`,
      `${first}.${second}.${third.slice(0, -2)}`,
      `${first}.${second}.${third}.${third}`,
      `${first}.${second}.${third}${third}`,
      '..',
      '.',
      'x',
    ]) {
      assert.equal(await statusOf(token), 401, token)
    }
  })

  test('with a header of ten kilobytes is refused', async () => {
    assert.equal(await statusOf(signed({ ...head, pad: 'x'.repeat(7000) }, claims)), 401)
    assert.equal(await statusOf('a'.repeat(10_000)), 401)
    assert.equal(await statusOf(signed({ ...head, pad: 'x'.repeat(7000) }, claims, 'x')), 401)
  })

  test('with parts that are no JSON is refused', async () => {
    for (const part of ['{', '[]', 'null', '"text"', '1']) {
      assert.equal(await statusOf(signed(part, claims)), 401)
      assert.equal(await statusOf(signed(head, part)), 401)
    }
  })
})

test('a token of a session that was ended is refused, though it is within its hour', async () => {
  const ended = await hone.login(hone.owner.email, hone.owner.password)
  await hone.call('POST', '/api/auth/logout', { headers: ended })
  assert.equal(await statusOf(ended.authorization?.slice(7) ?? ''), 401)
  assert.equal(await statusOf(good), 200)
})
