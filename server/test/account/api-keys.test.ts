// API keys over HTTP: how they are made, shown, listed, revoked and introspected, and what they are worth while
// their creator's role changes.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { type ApiKey, apiKey, introspection } from '#contract/api-key.ts'
import { nameCharactersMax } from '#contract/limits.ts'
import type { Route } from '#contract/route.ts'
import { routes } from '#contract/routes.ts'
import {
  roleGrants,
  scopeDescriptions,
  scopePresetNames,
  scopePresets,
  type Scope,
  scopes,
} from '#contract/scopes.ts'
import { checksumHolds } from '#server/account/key-secret.ts'
import {
  addPerson,
  changeMember,
  createKey,
  createWorkspace,
  otherOrg,
  removePerson,
} from '#test/support/accounts.ts'
import { tablesWith } from '#test/support/database-text.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'

const clock = new ManualClock()
let hone: TestHone
let owner: Record<string, string>

before(async () => {
  hone = await testHone({ clock })
  owner = await hone.login(hone.owner.email, hone.owner.password)
})
after(() => hone.stop())

function create(body: object, headers = owner): Promise<Answer> {
  return hone.call('POST', '/api/api-keys', { headers, body })
}

async function keysOf(headers: Record<string, string>): Promise<ApiKey[]> {
  const answer = await hone.call('GET', '/api/api-keys?limit=200', { headers })
  assert.equal(answer.status, 200, answer.text)
  return (answer.json as unknown as { api_keys: ApiKey[] }).api_keys
}

async function introspect(key: string): Promise<ReturnType<typeof introspection.parse>> {
  const answer = await hone.call('GET', '/api/api-keys/introspect', { key })
  assert.equal(answer.status, 200, answer.text)
  return introspection.strict().parse(answer.json)
}

describe('creating a key', () => {
  test('answers 201 with the secret and the record', async () => {
    const expires_at = '2026-03-02T12:00:00.000Z'
    const answer = await create({ name: '  My key ', scopes: ['models:read'], expires_at })
    assert.equal(answer.status, 201)
    const { secret, api_key } = answer.json as unknown as { secret: string; api_key: ApiKey }
    assert.deepEqual(apiKey.strict().parse(api_key), api_key)
    assert.equal(api_key.key_name, 'My key')
    assert.equal(api_key.status, 'active')
    assert.equal(api_key.key_prefix, secret.slice(0, 12))
    assert.deepEqual(api_key.scopes, ['models:read'])
    assert.equal(api_key.created_at, clock.now().toISOString())
    assert.equal(api_key.expires_at, expires_at)
    assert.equal(api_key.revoked_at, null)
    assert.equal(api_key.created_by?.email, hone.owner.email)
    const works = await hone.call('GET', '/api/models', { key: secret })
    assert.equal(works.status, 200, 'and the key works on the next request')
  })

  for (const preset of scopePresetNames) {
    test(`with the preset ${preset} gives exactly its scopes`, async () => {
      const { secret, api_key } = await createKey(hone, owner, { scope_preset: preset })
      assert.equal(api_key.scope_preset, preset)
      assert.deepEqual([...api_key.scopes].sort(), [...scopePresets[preset]].sort())
      assert.equal(secret.startsWith('hsk_'), preset === 'serverless')
    })
  }

  test('naming the scopes of a preset is choosing the preset, in any order', async () => {
    const reversed = [...scopePresets.read_only].reverse()
    const { api_key } = await createKey(hone, owner, { scopes: reversed })
    assert.equal(api_key.scope_preset, 'read_only')
    const fewer = await createKey(hone, owner, { scopes: reversed.slice(1) })
    assert.equal(fewer.api_key.scope_preset, 'custom')
  })

  const name = 'A key'
  const soon = '2026-03-01T12:00:01.000Z'
  const refused: [what: string, body: unknown, says: RegExp][] = [
    ['both scopes and a preset', { name, scopes: ['serverless'], scope_preset: 'all' }, /either/],
    ['neither scopes nor a preset', { name }, /either scopes or scope_preset/],
    ['no scope at all', { name, scopes: [] }, /at least one scope/],
    [
      'an unknown scope',
      { name, scopes: ['models:write'] },
      /field scopes\[0\]: must be one of models:read, /,
    ],
    ['a scope twice', { name, scopes: ['loop:read', 'loop:read'] }, /must not name a scope twice/],
    [
      'a scope that is no text',
      { name, scopes: [1] },
      /field scopes\[0\]: must be one of models:read, /,
    ],
    ['scopes that are no list', { name, scopes: 'serverless' }, /field scopes/],
    ['an unknown preset', { name, scope_preset: 'custom' }, /field scope_preset/],
    ['no name', { scopes: ['serverless'] }, /field name/],
    ['an empty name', { name: '', scopes: ['serverless'] }, /field name/],
    ['a name of spaces', { name: '   ', scopes: ['serverless'] }, /field name/],
    [
      'a name too long',
      { name: 'x'.repeat(nameCharactersMax + 1), scopes: ['serverless'] },
      /name/,
    ],
    [
      'a name with a NUL',
      { name: 'a\0b', scopes: ['serverless'] },
      /field name: must be valid Unicode/,
    ],
    [
      'half a character',
      { name: '\ud83d', scopes: ['serverless'] },
      /field name: must be valid Unicode/,
    ],
    [
      'an expiry now',
      { name, scopes: ['serverless'], expires_at: '2026-03-01T12:00:00Z' },
      /future/,
    ],
    [
      'an expiry in the past',
      { name, scopes: ['serverless'], expires_at: '2020-01-01T00:00:00Z' },
      /future/,
    ],
    [
      'an expiry that is no time',
      { name, scopes: ['serverless'], expires_at: 'tomorrow' },
      /expires_at/,
    ],
    [
      'a day that never comes',
      { name, scopes: ['serverless'], expires_at: '2027-02-30T00:00:00Z' },
      /expires_at/,
    ],
    [
      'a year of five digits in UTC',
      { name, scopes: ['serverless'], expires_at: '9999-12-31T23:00:00-01:00' },
      /year 10000/,
    ],
    [
      'an expiry as a number',
      { name, scopes: ['serverless'], expires_at: 1_900_000_000 },
      /expires_at/,
    ],
    [
      'an unknown field',
      { name, scopes: ['serverless'], expires_in: 60 },
      /Unknown field in the body: expires_in/,
    ],
    ['no object', ['serverless'], /The body/],
  ]
  for (const [what, body, says] of refused) {
    test(`with ${what} is a 400 that says so`, async () => {
      const answer = await create(body as object)
      assert.equal(answer.status, 400, answer.text)
      assert.equal(answer.json.error?.code, 'BAD_REQUEST')
      assert.match(answer.json.error?.message ?? '', says)
    })
  }

  test('with a body that is not JSON is a 400 that says so', async () => {
    const answer = await hone.call('POST', '/api/api-keys', { headers: owner, raw: '{"name":' })
    assert.equal(answer.status, 400)
    assert.match(answer.json.error?.message ?? '', /not valid JSON/)
  })

  test('with a key that expires makes none that outlives it', async () => {
    const expires_at = new Date(clock.now().getTime() + 3_600_000).toISOString()
    const { secret } = await createKey(hone, owner, { expires_at })
    const headers = { 'x-api-key': secret }
    const made = (await createKey(hone, headers, { scopes: ['models:read'] })).api_key
    assert.equal(made.expires_at, expires_at, 'where nothing is said it ends with its maker')
    assert.equal((await createKey(hone, headers, { expires_at })).api_key.expires_at, expires_at)
    const sooner = new Date(clock.now().getTime() + 60_000).toISOString()
    const early = await createKey(hone, headers, { expires_at: sooner })
    assert.equal(early.api_key.expires_at, sooner)
    const later = new Date(Date.parse(expires_at) + 1).toISOString()
    for (const beyond of [later, null]) {
      const answer = await create({ name: 'X', scope_preset: 'all', expires_at: beyond }, headers)
      assert.equal(answer.status, 403, answer.text)
      assert.equal(answer.json.error?.code, 'FORBIDDEN')
      assert.match(answer.json.error?.message ?? '', /cannot create one that outlives it/)
    }
    const unbound = await create({ name: 'X', scope_preset: 'all', expires_at: later })
    assert.equal(unbound.status, 201, 'a person is not bound by any key')
  })

  test('takes a name at its limits, any script, and an expiry one second ahead', async () => {
    for (const fine of ['x', 'x'.repeat(nameCharactersMax), 'ключ 鍵 🗝️', "Robert'); --"]) {
      const answer = await create({ name: fine, scopes: ['serverless'], expires_at: soon })
      assert.equal(answer.status, 201, answer.text)
      const { api_key } = answer.json as unknown as { api_key: ApiKey }
      assert.equal(api_key.key_name, fine)
    }
    const never = await create({ name, scopes: ['serverless'], expires_at: null })
    assert.equal(never.status, 201)
  })

  const spelled: [expires_at: string, utc: string][] = [
    ['2026-03-02T12:00:00.123456+00:00', '2026-03-02T12:00:00.123Z'],
    ['2026-03-02T14:30:00+02:30', '2026-03-02T12:00:00.000Z'],
    ['2026-03-01T23:00:00-13:00', '2026-03-02T12:00:00.000Z'],
  ]
  for (const [expires_at, utc] of spelled) {
    test(`takes an expiry in any zone of time: ${expires_at}`, async () => {
      const { secret, api_key } = await createKey(hone, owner, { expires_at })
      assert.equal(api_key.expires_at, utc)
      assert.equal((await introspect(secret)).expires_at, utc)
    })
  }
})

describe('the secret', () => {
  test('has its form: prefix, 40 characters, 6 of checksum', async () => {
    const platform = await createKey(hone, owner, { scopes: ['serverless', 'models:read'] })
    assert.match(platform.secret, /^hone_[0-9A-Za-z]{46}$/)
    const serverless = await createKey(hone, owner, { scopes: ['serverless'] })
    assert.match(serverless.secret, /^hsk_[0-9A-Za-z]{46}$/)
    for (const { secret } of [platform, serverless]) {
      assert.ok(checksumHolds(secret))
      const last = secret.endsWith('a') ? 'b' : 'a'
      assert.ok(!checksumHolds(secret.slice(0, -1) + last), 'a typing mistake is found')
    }
  })

  test('is never the same twice', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => createKey(hone, owner)))
    assert.equal(new Set(made.map(({ secret }) => secret)).size, 20)
    assert.equal(new Set(made.map(({ secret }) => secret.slice(5, 25))).size, 20)
  })

  test('is in the answer to its creation and nowhere else', async () => {
    const { secret, api_key } = await createKey(hone, owner, { name: 'Shown once' })
    const part = secret.slice(5, 45)
    for (const record of routes as readonly Route[]) {
      if (record.method !== 'GET' || record.path.includes('{')) continue
      const headers = record.access.kind === 'caller' ? { 'x-api-key': secret } : {}
      const answer = await hone.call('GET', record.path, { headers })
      assert.ok(!answer.text.includes(part), record.path)
    }
    const revoked = await hone.call('DELETE', `/api/api-keys/${api_key.key_id}`, { headers: owner })
    assert.ok(!revoked.text.includes(part))
  })

  test('is stored as its SHA-256 alone: its text is nowhere in the database', async () => {
    const { secret, api_key } = await createKey(hone, owner)
    await introspect(secret)
    const { db } = hone.app.storage
    const row = await db
      .selectFrom('api_key')
      .selectAll()
      .where('id', '=', api_key.key_id)
      .executeTakeFirstOrThrow()
    assert.deepEqual(row.secret_hash, createHash('sha256').update(secret).digest())
    assert.deepEqual(await tablesWith(db, secret), [])
    assert.deepEqual(await tablesWith(db, secret.slice(5, 45)), [])
    assert.deepEqual(await tablesWith(db, secret.slice(13)), [])
    // The search does find what is there.
    assert.deepEqual(await tablesWith(db, api_key.key_prefix), ['api_key'])
  })

  test('of the first owner and every password are nowhere in the database either', async () => {
    const { db } = hone.app.storage
    const person = await addPerson(hone, 'viewer')
    for (const text of [hone.owner.key, hone.owner.password, person.password]) {
      assert.deepEqual(await tablesWith(db, text), [])
    }
    const hashes = await db.selectFrom('person').select('password_hash').execute()
    for (const { password_hash } of hashes)
      assert.match(password_hash, /^\$argon2id\$v=19\$m=19456,/)
  })
})

describe('listing keys', () => {
  let member: Record<string, string>
  const names = ['first', 'second', 'third', 'fourth', 'fifth']
  before(async () => {
    member = (await addPerson(hone, 'member')).headers
    for (const name of names) {
      clock.forward(1000)
      await createKey(hone, member, { name, scopes: ['serverless'] })
    }
  })

  test('goes newest first, in pages that miss and repeat nothing', async () => {
    for (const limit of [1, 2, 4, 5, 6]) {
      const seen: string[] = []
      let pages = 0
      for (let cursor: string | null = ''; cursor !== null; pages++) {
        const answer = await hone.call(
          'GET',
          `/api/api-keys?limit=${limit}${cursor && `&cursor=${cursor}`}`,
          { headers: member },
        )
        assert.equal(answer.status, 200, answer.text)
        const page = answer.json as unknown as { api_keys: ApiKey[]; next_cursor: string | null }
        assert.ok(page.api_keys.length <= limit)
        seen.push(...page.api_keys.map((key) => key.key_name))
        cursor = page.next_cursor
      }
      assert.deepEqual(seen, names.toReversed())
      assert.equal(pages, Math.ceil(names.length / limit))
    }
  })

  test('refuses a cursor it did not give out', async () => {
    const encode = (text: string): string => Buffer.from(text).toString('base64url')
    const audit = await hone.call('GET', '/api/audit?limit=1', { headers: owner })
    assert.equal(typeof audit.json.next_cursor, 'string', audit.text)
    for (const cursor of [
      'x',
      '',
      'null',
      String(audit.json.next_cursor),
      encode('1'),
      encode('api_keys:1'),
      encode("' or true --"),
      '%00',
      'x'.repeat(300),
    ]) {
      const answer = await hone.call('GET', `/api/api-keys?cursor=${cursor}`, { headers: member })
      assert.equal(answer.status, 400, `${cursor}: ${answer.text}`)
      assert.equal(answer.json.error?.code, 'BAD_REQUEST')
      assert.match(answer.json.error?.message ?? '', /cursor/)
    }
  })

  test('refuses a limit outside 1 to 200 and an unknown parameter', async () => {
    for (const query of [
      'limit=0',
      'limit=0x10',
      'limit=1e1',
      'limit=%205',
      'limit=201',
      'limit=-1',
      'limit=1.5',
      'limit=many',
      'limit=',
      'limit=1&limit=2',
      'page=2',
    ]) {
      const answer = await hone.call('GET', `/api/api-keys?${query}`, { headers: member })
      assert.equal(answer.status, 400, `${query}: ${answer.text}`)
      assert.match(answer.json.error?.message ?? '', new RegExp(query.split('=')[0] ?? ''))
    }
    for (const limit of [1, 200]) {
      const answer = await hone.call('GET', `/api/api-keys?limit=${limit}`, { headers: member })
      assert.equal(answer.status, 200)
    }
  })

  test('shows members their own keys and admins those of all', async () => {
    const other = await addPerson(hone, 'member')
    await createKey(hone, other.headers, { name: 'of another', scopes: ['serverless'] })
    const admin = await addPerson(hone, 'admin')
    const seenBy = async (headers: Record<string, string>): Promise<string[]> =>
      (await keysOf(headers)).map((key) => key.key_name)
    assert.deepEqual(await seenBy(other.headers), ['of another'])
    assert.deepEqual(await seenBy(member), names.toReversed())
    for (const headers of [admin.headers, owner]) {
      const seen = await seenBy(headers)
      assert.ok(seen.includes('of another') && seen.includes('first') && seen.includes('First key'))
    }
  })

  test('stays within the workspace', async () => {
    const id = await createWorkspace(hone, 'Other keys')
    const there = { ...owner, 'x-workspace-id': id }
    assert.deepEqual(await keysOf(there), [])
    const made = await createKey(hone, there, { name: 'there' })
    assert.deepEqual(
      (await keysOf(there)).map((key) => key.key_name),
      ['there'],
    )
    assert.ok(!(await keysOf(owner)).some((key) => key.key_id === made.api_key.key_id))
    assert.equal((await introspect(made.secret)).workspace.id, id)
  })
})

describe('revoking a key', () => {
  test('works on the very next request, on both surfaces, and keeps the record', async () => {
    const { secret, api_key } = await createKey(hone, owner)
    await introspect(secret)
    clock.forward(1000)
    const answer = await hone.call('DELETE', `/api/api-keys/${api_key.key_id}`, { headers: owner })
    assert.equal(answer.status, 200)
    const shown = (answer.json as unknown as { api_key: ApiKey }).api_key
    assert.deepEqual(shown, {
      ...api_key,
      status: 'revoked',
      revoked_at: clock.now().toISOString(),
    })
    assert.equal((await hone.call('GET', '/api/models', { key: secret })).status, 401)
    const call = await hone.call('POST', '/v1/chat/completions', { bearer: secret, body: {} })
    assert.equal(call.status, 401)
    assert.deepEqual(
      (await keysOf(owner)).find((key) => key.key_id === api_key.key_id),
      shown,
    )
  })

  test('twice is harmless and keeps the first time', async () => {
    const { api_key } = await createKey(hone, owner)
    const revoke = (): Promise<Answer> =>
      hone.call('DELETE', `/api/api-keys/${api_key.key_id}`, { headers: owner })
    const first = await revoke()
    clock.forward(1000)
    const second = await revoke()
    assert.equal(second.status, 200)
    assert.equal(second.text, first.text)
    const audit = await hone.call('GET', '/api/audit', { headers: owner })
    const { audit_events } = audit.json as unknown as {
      audit_events: { action: string; target_id: string }[]
    }
    const of = audit_events.filter((event) => event.target_id === api_key.key_id)
    assert.deepEqual(of.map((event) => event.action).sort(), ['api_key.created', 'api_key.revoked'])
  })

  test('takes ids in either case, of the key and of the workspace', async () => {
    const { api_key } = await createKey(hone, owner)
    const headers = Object.fromEntries(
      Object.entries(owner).map(([name, value]) => [
        name,
        name.endsWith('-id') ? value.toUpperCase() : value,
      ]),
    )
    assert.notDeepEqual(headers, owner)
    const path = `/api/api-keys/${api_key.key_id.toUpperCase()}`
    const answer = await hone.call('DELETE', path, { headers })
    assert.equal(answer.status, 200, answer.text)
    const listed = (await keysOf(owner)).find(({ key_id }) => key_id === api_key.key_id)
    assert.equal(listed?.status, 'revoked')
  })

  test('a key can revoke itself', async () => {
    const { secret, api_key } = await createKey(hone, owner)
    const path = `/api/api-keys/${api_key.key_id}`
    assert.equal((await hone.call('DELETE', path, { key: secret })).status, 200)
    assert.equal((await hone.call('DELETE', path, { key: secret })).status, 401)
  })

  test('is not for members to do to keys of others; admins may', async () => {
    const { secret, api_key } = await createKey(hone, owner)
    const path = `/api/api-keys/${api_key.key_id}`
    const member = await addPerson(hone, 'member')
    assert.equal((await hone.call('DELETE', path, { headers: member.headers })).status, 404)
    await introspect(secret)
    const admin = await addPerson(hone, 'admin')
    assert.equal((await hone.call('DELETE', path, { headers: admin.headers })).status, 200)
    assert.equal((await hone.call('GET', '/api/models', { key: secret })).status, 401)
  })

  test('of another workspace or organization is 404, also for owners', async () => {
    const stranger = await otherOrg(hone)
    const there = { ...owner, 'x-workspace-id': await createWorkspace(hone, 'Elsewhere') }
    const { secret, api_key } = await createKey(hone, there)
    for (const id of [api_key.key_id, stranger.keyId]) {
      const answer = await hone.call('DELETE', `/api/api-keys/${id}`, { headers: owner })
      assert.equal(answer.status, 404)
      assert.equal(answer.json.error?.code, 'NOT_FOUND')
    }
    await introspect(secret)
    await introspect(stranger.secret)
  })
})

describe('introspecting a key', () => {
  test('returns every field', async () => {
    const expires_at = new Date(clock.now().getTime() + 5000).toISOString()
    const { secret, api_key } = await createKey(hone, owner, {
      name: 'Looked at',
      scopes: ['models:read', 'billing:read', 'serverless'],
      expires_at,
    })
    const seen = await introspect(secret)
    const { org, workspace, user, scope_details, ...others } = seen
    const { allowed_mcp_tools, allowed_sdk_methods, ...rest } = others
    assert.deepEqual(rest, {
      auth_type: 'api_key',
      key_id: api_key.key_id,
      key_name: 'Looked at',
      key_prefix: secret.slice(0, 12),
      status: 'active',
      scopes: ['models:read', 'billing:read', 'serverless'],
      scope_preset: 'custom',
      expires_at,
      created_at: api_key.created_at,
    })
    for (const tool of ['introspect_key', 'list_models', 'get_wallet', 'list_transactions']) {
      assert.ok(allowed_mcp_tools.includes(tool), tool)
    }
    for (const method of ['apiKeys.introspect', 'models.list', 'messages.create']) {
      assert.ok(allowed_sdk_methods.includes(method), method)
    }
    assert.ok(!allowed_mcp_tools.includes('list_audit_events'), 'a scope it does not have')
    assert.ok(!allowed_sdk_methods.includes('audit.list'))
    assert.deepEqual(org, { id: owner['x-org-id'], name: 'My organization' })
    assert.deepEqual(workspace, { id: owner['x-workspace-id'], name: 'Default' })
    assert.deepEqual(user, { ...api_key.created_by, role: 'owner' })
    assert.deepEqual(
      scope_details.map((detail) => detail.scope),
      rest.scopes,
    )
  })

  test('explains each scope by the routes it opens', async () => {
    const { scope_details, allowed_mcp_tools, allowed_sdk_methods } = await introspect(
      hone.owner.key,
    )
    assert.deepEqual(
      scope_details.map((detail) => detail.scope),
      [...scopes],
    )
    for (const detail of scope_details) {
      const opened = (routes as readonly Route[]).filter(
        ({ access }) =>
          (access.kind === 'caller' && [access.scope, access.orScope].includes(detail.scope)) ||
          (access.kind === 'inference' && detail.scope === 'serverless'),
      )
      assert.equal(detail.description, scopeDescriptions[detail.scope])
      assert.deepEqual(
        detail.tools,
        opened.flatMap((route) => route.tool ?? []),
      )
      assert.deepEqual(
        detail.sdk_methods,
        opened.flatMap((route) => route.sdk ?? []),
      )
      for (const tool of detail.tools) assert.ok(allowed_mcp_tools.includes(tool))
      for (const method of detail.sdk_methods) assert.ok(allowed_sdk_methods.includes(method))
    }
    for (const names of [allowed_mcp_tools, allowed_sdk_methods]) {
      assert.equal(new Set(names).size, names.length)
    }
  })

  test('of a session tells the person and their role', async () => {
    const answer = await hone.call('GET', '/api/api-keys/introspect', { headers: owner })
    const seen = introspection.strict().parse(answer.json)
    assert.equal(seen.auth_type, 'jwt')
    assert.deepEqual(
      [seen.key_id, seen.key_name, seen.key_prefix, seen.scope_preset, seen.created_at],
      [null, null, null, null, null],
    )
    assert.deepEqual(seen.scopes, [...scopes])
    assert.equal(seen.user.role, 'owner')
  })

  test('a key lives until its expiry and not a moment longer', async () => {
    const expires_at = new Date(clock.now().getTime() + 10_000).toISOString()
    const { secret, api_key } = await createKey(hone, owner, { expires_at })
    clock.forward(9_999)
    await introspect(secret)
    clock.forward(1)
    assert.equal((await hone.call('GET', '/api/models', { key: secret })).status, 401)
    const listed = (await keysOf(owner)).find((key) => key.key_id === api_key.key_id)
    assert.equal(listed?.status, 'expired')
  })
})

describe('what a key is worth', () => {
  const granted = (key: Scope[], role: keyof typeof roleGrants): Scope[] =>
    scopes.filter((scope) => key.includes(scope) && roleGrants[role].scopes.includes(scope))

  test('shrinks with its creator’s role on the next request and grows back', async () => {
    const admin = await addPerson(hone, 'admin')
    const { secret } = await createKey(hone, admin.headers)
    const status = async (path: string): Promise<number> =>
      (await hone.call('GET', path, { key: secret })).status
    assert.equal(await status('/api/wallet'), 200)
    for (const role of ['viewer', 'billing', 'member', 'admin', 'viewer', 'owner'] as const) {
      await changeMember(hone, admin.userId, { role })
      assert.equal(await status('/api/wallet'), granted(['billing:read'], role).length ? 200 : 403)
      const seen = await introspect(secret)
      assert.deepEqual(seen.scopes, granted([...scopes], role))
      assert.equal(seen.user.role, role)
      assert.deepEqual(
        seen.scope_details.map((detail) => detail.scope),
        seen.scopes,
      )
      const call = await hone.call('POST', '/v1/chat/completions', { bearer: secret, body: {} })
      assert.equal(call.status, granted(['serverless'], role).length ? 400 : 401)
    }
  })

  test('is listed as it is now, whatever it was issued with', async () => {
    const member = await addPerson(hone, 'member')
    const issued: Scope[] = ['serverless', 'models:read', 'loop:read']
    const { api_key } = await createKey(hone, member.headers, { scopes: issued })
    const listed = async (): Promise<Scope[] | undefined> =>
      (await keysOf(owner)).find(({ key_id }) => key_id === api_key.key_id)?.scopes
    assert.deepEqual(await listed(), issued)
    await changeMember(hone, member.userId, { role: 'viewer' })
    assert.deepEqual(await listed(), ['models:read'])
    const elsewhere = await createWorkspace(hone, 'Somewhere else')
    await changeMember(hone, member.userId, { workspace_ids: [elsewhere] })
    assert.deepEqual(await listed(), [], 'who lost the workspace')
    await changeMember(hone, member.userId, { role: 'owner' })
    assert.deepEqual(await listed(), issued, 'an owner reaches every workspace')
    await changeMember(hone, member.userId, { role: 'member' })
    await removePerson(hone, member.userId)
    assert.deepEqual(await listed(), [], 'who left')
  })

  test('never exceeds the scopes it was issued with', async () => {
    const viewer = await addPerson(hone, 'viewer')
    const { secret } = await createKey(hone, viewer.headers, { scopes: ['models:read'] })
    await changeMember(hone, viewer.userId, { role: 'owner' })
    assert.deepEqual((await introspect(secret)).scopes, ['models:read'])
  })

  test('cannot be more than its creator has: a person', async () => {
    const viewer = await addPerson(hone, 'viewer')
    for (const body of [
      { scopes: ['billing:read'] },
      { scopes: ['models:read', 'loop:write'] },
      { scopes: [...scopes] },
      { scope_preset: 'serverless' },
      { scope_preset: 'training_pipeline' },
    ]) {
      const answer = await create({ name: 'Too much', ...body }, viewer.headers)
      assert.equal(answer.status, 403, answer.text)
      assert.match(answer.json.error?.message ?? '', /scopes you do not have: /)
    }
    const all = await createKey(hone, viewer.headers, { scope_preset: 'all' })
    assert.deepEqual((await introspect(all.secret)).scopes, granted([...scopes], 'viewer'))
    assert.deepEqual(all.api_key.scopes, granted([...scopes], 'viewer'), 'and the answer says so')
    assert.equal(all.api_key.scope_preset, 'all')
  })

  test('cannot be more than its creator has: another key', async () => {
    const few = await createKey(hone, owner, { scope_preset: 'read_only' })
    const child = await hone.call('POST', '/api/api-keys', {
      key: few.secret,
      body: { name: 'Child', scopes: ['models:read'] },
    })
    assert.equal(child.status, 403, 'a key with some scopes makes no keys')
    const viewer = await addPerson(hone, 'viewer')
    const whole = await createKey(hone, viewer.headers, { scope_preset: 'all' })
    const beyond = await hone.call('POST', '/api/api-keys', {
      key: whole.secret,
      body: { name: 'Child', scopes: ['serverless'] },
    })
    assert.equal(beyond.status, 403)
    const within = await hone.call('POST', '/api/api-keys', {
      key: whole.secret,
      body: { name: 'Child', scopes: ['models:read'] },
    })
    assert.equal(within.status, 201)
  })
})
