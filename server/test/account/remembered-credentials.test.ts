// What a process remembers about credentials: a change it makes itself bites on the very next request, without a
// word from the database; a change made elsewhere bites as soon as the database tells of it.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { insertKey } from '#server/account/api-key-store.ts'
import { hashKeySecret, newKeySecret } from '#server/account/key-secret.ts'
import { newId } from '#server/lib/id.ts'
import {
  addPerson,
  changeMember,
  createKey,
  otherOrg,
  removePerson,
  revokeKey,
} from '#test/support/accounts.ts'
import { type TestHone, testHone } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'

let here: TestHone
let there: TestHone
let owner: Record<string, string>

before(async () => {
  here = await testHone()
  there = await testHone({ databaseUrl: here.databaseUrl })
  owner = await here.login(here.owner.email, here.owner.password)
})
after(async () => {
  await there.stop()
  await here.stop()
})

type Credential = Record<string, string>
const status = async (hone: TestHone, headers: Credential, path = '/api/models'): Promise<number> =>
  (await hone.call('GET', path, { headers })).status

describe('a change made here', () => {
  const tables = ['org', 'workspace', 'person', 'member', 'workspace_member', 'session', 'api_key']
  const notifications = async (switched: 'enable' | 'disable'): Promise<void> => {
    for (const table of tables) {
      await sql`alter table ${sql.table(table)} ${sql.raw(switched)} trigger accounts_changed`.execute(
        here.app.storage.db,
      )
    }
  }
  before(() => notifications('disable'))
  after(() => notifications('enable'))

  test('revokes a key for the next request', async () => {
    const { secret, api_key } = await createKey(here, owner)
    assert.equal(await status(here, { 'x-api-key': secret }), 200)
    await revokeKey(here, api_key.key_id)
    assert.equal(await status(here, { 'x-api-key': secret }), 401)
  })

  test('lowers a role for the next request', async () => {
    const person = await addPerson(here, 'admin')
    const { secret } = await createKey(here, person.headers)
    for (const headers of [person.headers, { 'x-api-key': secret }]) {
      assert.equal(await status(here, headers, '/api/wallet'), 200)
    }
    await changeMember(here, person.userId, { role: 'viewer' })
    for (const headers of [person.headers, { 'x-api-key': secret }]) {
      assert.equal(await status(here, headers, '/api/wallet'), 403)
    }
  })

  test('removes a person for the next request', async () => {
    const person = await addPerson(here, 'member')
    const { secret } = await createKey(here, person.headers)
    assert.equal(await status(here, person.headers), 200)
    assert.equal(await status(here, { 'x-api-key': secret }), 200)
    await removePerson(here, person.userId)
    assert.equal(await status(here, person.headers), 404)
    assert.equal(await status(here, { 'x-api-key': secret }), 401)
  })

  test('adds a person for the next request, though they were refused before', async () => {
    const stranger = await otherOrg(here)
    const theirs = await here.login(stranger.email, stranger.password)
    const headers = { ...owner, authorization: theirs.authorization ?? '' }
    const leaver = await addPerson(here, 'member')
    const { secret } = await createKey(here, leaver.headers)
    await removePerson(here, leaver.userId)
    const all = async (): Promise<number[]> => [
      await status(here, headers),
      await status(there, headers),
      await status(here, { 'x-api-key': secret }),
      await status(there, { 'x-api-key': secret }),
    ]
    assert.deepEqual(await all(), [404, 404, 401, 401])
    for (const email of [stranger.email, leaver.email]) {
      const body = { email, role: 'member' }
      assert.equal((await here.call('POST', '/api/members', { headers: owner, body })).status, 201)
    }
    assert.deepEqual(await all(), [200, 200, 200, 200])
  })

  test('ends sessions for the next request', async () => {
    const person = await addPerson(here, 'member')
    const other = await here.login(person.email, person.password)
    assert.deepEqual([await status(here, person.headers), await status(here, other)], [200, 200])
    await here.call('POST', '/api/auth/password', {
      headers: person.headers,
      body: { current_password: person.password, new_password: 'another password' },
    })
    assert.deepEqual([await status(here, person.headers), await status(here, other)], [200, 401])
    await here.call('POST', '/api/auth/logout', { headers: person.headers })
    assert.equal(await status(here, person.headers), 401)
  })
})

describe('a change made in another process', () => {
  test('revokes a key', async () => {
    const { secret, api_key } = await createKey(here, owner)
    const headers = { 'x-api-key': secret }
    assert.deepEqual([await status(here, headers), await status(there, headers)], [200, 200])
    await revokeKey(here, api_key.key_id)
    assert.equal(await status(here, headers), 401)
    await until(async () => (await status(there, headers)) === 401)
  })

  test('lowers and raises a role, and removes a person', async () => {
    const person = await addPerson(here, 'admin')
    const { secret } = await createKey(here, person.headers)
    const wallet = (): Promise<number> => status(there, { 'x-api-key': secret }, '/api/wallet')
    assert.equal(await wallet(), 200)
    await changeMember(here, person.userId, { role: 'viewer' })
    await until(async () => (await wallet()) === 403)
    await changeMember(here, person.userId, { role: 'admin' })
    await until(async () => (await wallet()) === 200)
    await removePerson(here, person.userId)
    await until(async () => (await wallet()) === 401)
    await until(async () => (await status(there, person.headers)) === 404)
  })

  test('ends a session, which both processes take', async () => {
    const session = await there.login(here.owner.email, here.owner.password)
    assert.deepEqual([await status(here, session), await status(there, session)], [200, 200])
    await here.call('POST', '/api/auth/logout', { headers: session })
    assert.deepEqual([await status(here, session), await status(there, session)], [401, 401])
  })

  test('creates a key that works at once, though it was refused before', async () => {
    const stranger = await otherOrg(here)
    const secret = newKeySecret(false)
    const headers = { 'x-api-key': secret }
    assert.deepEqual([await status(here, headers), await status(there, headers)], [401, 401])
    const at = new Date()
    await here.app.storage.db.transaction().execute((tx) =>
      insertKey(tx, {
        id: newId(at),
        workspaceId: stranger.workspaceId,
        createdBy: stranger.userId,
        name: 'New',
        secretHash: hashKeySecret(secret),
        prefix: secret.slice(0, 12),
        scopes: ['models:read'],
        scopePreset: 'custom',
        at,
        expiresAt: null,
      }),
    )
    assert.deepEqual([await status(here, headers), await status(there, headers)], [200, 200])
  })

  test('made by hand in the database is heard as well', async () => {
    const { secret, api_key } = await createKey(here, owner)
    assert.equal(await status(here, { 'x-api-key': secret }), 200)
    await here.app.storage.db
      .updateTable('api_key')
      .set({ revoked_at: new Date() })
      .where('id', '=', api_key.key_id)
      .execute()
    for (const hone of [here, there]) {
      await until(async () => (await status(hone, { 'x-api-key': secret })) === 401)
    }
  })

  test('limits tries to sign in across both', async () => {
    const person = await addPerson(here, 'viewer')
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, i) =>
        (i % 2 ? here : there).call('POST', '/api/auth/login', {
          body: { email: person.email, password: 'not the password' },
        }),
      ),
    )
    assert.equal(answers.filter((answer) => answer.status === 401).length, 10)
    assert.equal(answers.filter((answer) => answer.status === 429).length, 14)
  })
})
