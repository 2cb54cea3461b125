// Every route of the contract against every way a credential can be wrong. The list of routes makes the tests, so
// a new route is covered the moment it is written, and one that is served without a record fails.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Route } from '#contract/route.ts'
import { type RouteName, routes } from '#contract/routes.ts'
import { roleGrants, roles, type Scope, scopes } from '#contract/scopes.ts'
import { newKeySecret } from '#server/account/key-secret.ts'
import { buildServer } from '#server/http/server.ts'
import {
  addPerson,
  changeMember,
  createKey,
  createWorkspace,
  type OtherOrg,
  otherOrg,
  removePerson,
  revokeKey,
} from '#test/support/accounts.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'

const records = routes as readonly Route[]
const absentId = '01900000-0000-7000-8000-000000000000'

/** Whoever opens a route to everybody says so here too. */
const publicRoutes: RouteName[] = [
  'listModels',
  'getModel',
  'login',
  'healthz',
  'readyz',
  'metrics',
  'openapi',
  'docs',
]

const parameterValues: Record<string, string> = {
  model: 'some/model',
  key_id: absentId,
  pipeline_id: absentId,
  attempt_id: absentId,
  sample_id: absentId,
  dataset_id: absentId,
  deployment_id: 'nobody',
}

function urlOf(record: Route): string {
  return record.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = parameterValues[name]
    assert.ok(value, `say here what a {${name}} looks like, and what a foreign one gives`)
    return value
  })
}

const title = (record: Route): string => `${record.method} ${record.path}`
const closed = records.filter((record) => record.access.kind !== 'public')
const ofCallers = records.filter((record) => record.access.kind === 'caller')
const ofSessions = records.filter((record) => record.access.kind === 'session')
const ofInference = records.filter((record) => record.access.kind === 'inference')

const clock = new ManualClock()
let hone: TestHone
let stranger: OtherOrg
let ownerSession: Record<string, string>
let expiredSession: Record<string, string>
let endedSession: Record<string, string>
const badKeys: Record<string, string> = {}

before(async () => {
  hone = await testHone({ clock })
  stranger = await otherOrg(hone)
  badKeys['a garbage key'] = "' or 1=1 --"
  badKeys['a well-formed key that nobody has'] = newKeySecret(false)

  expiredSession = await hone.login(hone.owner.email, hone.owner.password)
  const revoked = await createKey(hone, expiredSession)
  await revokeKey(hone, revoked.api_key.key_id)
  badKeys['a revoked key'] = revoked.secret

  const leaver = await addPerson(hone, 'admin')
  badKeys['a key whose creator left the organization'] = (
    await createKey(hone, leaver.headers)
  ).secret
  const mover = await addPerson(hone, 'member')
  badKeys['a key whose creator left the workspace'] = (await createKey(hone, mover.headers)).secret
  const expires_at = new Date(clock.now().getTime() + 60_000).toISOString()
  badKeys['an expired key'] = (await createKey(hone, expiredSession, { expires_at })).secret
  const stillGood = Object.entries(badKeys).slice(3)
  for (const [name, key] of stillGood) {
    const answer = await hone.call('GET', '/api/api-keys/introspect', { key })
    assert.equal(answer.status, 200, `${name} works before that`)
  }
  await removePerson(hone, leaver.userId)
  await changeMember(hone, mover.userId, { workspace_ids: [await createWorkspace(hone, 'Else')] })
  clock.forward(3_600_000)
  endedSession = await hone.login(hone.owner.email, hone.owner.password)
  await hone.call('POST', '/api/auth/logout', { headers: endedSession })
  ownerSession = await hone.login(hone.owner.email, hone.owner.password)
})
after(() => hone.stop())

function send(record: Route, headers: Record<string, string>, body: unknown = {}): Promise<Answer> {
  const withBody = record.method === 'GET' ? {} : { body }
  return hone.call(record.method, urlOf(record), { headers, ...withBody })
}

/** The header in which this route takes a key. */
function keyHeader(record: Route, key: string): Record<string, string> {
  return record.access.kind === 'inference'
    ? { authorization: `Bearer ${key}` }
    : { 'x-api-key': key }
}

function assertUnauthorized(record: Route, answer: Answer): void {
  assert.equal(answer.status, 401, answer.text)
  assert.equal(answer.headers.get('www-authenticate'), 'Bearer')
  const { error } = answer.json as unknown as { error: Record<string, unknown> }
  if (record.path.startsWith('/v1/messages')) assert.equal(error.type, 'authentication_error')
  else if (record.access.kind === 'inference') assert.equal(error.type, 'invalid_request_error')
  else assert.equal(error.code, 'UNAUTHORIZED')
}

describe('the list of routes', () => {
  test('is what the server serves, no more and no less', async () => {
    const server = buildServer(hone.app, 'test')
    await server.ready()
    const served = routesOf(server.printRoutes({ commonPrefix: false }))
    const written = records.map(
      ({ method, path }) =>
        `${method} ${path.replace('/{model}', '*').replace(/\{(\w+)\}/g, ':$1')}`,
    )
    assert.deepEqual(
      served.sort(),
      written.map((line) => line.replace('models*', 'models/*')).sort(),
    )
  })

  test('names each operation, method and path once', () => {
    assert.equal(new Set(records.map((record) => record.name)).size, records.length)
    assert.equal(new Set(records.map(title)).size, records.length)
    for (const face of ['tool', 'sdk'] as const) {
      const names = records.flatMap((record) => record[face] ?? [])
      assert.equal(new Set(names).size, names.length, `two routes share a name as ${face}`)
    }
  })

  test('opens to everybody only what is named here', () => {
    const open = records.filter((record) => record.access.kind === 'public')
    assert.deepEqual(open.map((record) => record.name).sort(), [...publicRoutes].sort())
  })
})

/** Reads the router's own drawing of itself; HEAD comes with every GET. */
function routesOf(tree: string): string[] {
  const parents: string[] = []
  return tree.split('\n').flatMap((line) => {
    const match = /^([│├└─\s]*)(\S+)(?: \((.*)\))?$/.exec(line)
    if (!match) return []
    const [, indent = '', part = '', methods = ''] = match
    const depth = indent.length / 4 - 1
    const parent = depth > 0 ? (parents[depth - 1] ?? '') : ''
    const path = parent + (part === '*' ? '/*' : part)
    parents[depth] = path
    return methods
      .split(', ')
      .filter((method) => method !== '' && method !== 'HEAD')
      .map((method) => `${method} ${path}`)
  })
}

describe('without a credential', () => {
  for (const record of records) {
    if (record.access.kind === 'public') {
      test(`${title(record)} is open`, async () => {
        const answer = await send(record, {})
        assert.ok(![401, 403, 405, 500].includes(answer.status), answer.text)
      })
    } else {
      test(`${title(record)} is 401, whatever the body`, async () => {
        assertUnauthorized(record, await send(record, {}))
        assertUnauthorized(record, await send(record, {}, 'no object'))
      })
    }
  }

  for (const record of closed.filter(({ method }) => method === 'GET')) {
    test(`HEAD ${record.path} is 401 as well`, async () => {
      assert.equal((await hone.call('HEAD', urlOf(record))).status, 401)
    })
  }
})

const deadKeys = [
  'a garbage key',
  'a well-formed key that nobody has',
  'a revoked key',
  'a key whose creator left the organization',
  'a key whose creator left the workspace',
  'an expired key',
]

/** One of each kind of access, which meets everything; what a credential is worth is the same for all routes of its kind. */
const firstOfKind = new Set(
  ['caller', 'session', 'inference'].map((kind) =>
    closed.find(({ access }) => access.kind === kind),
  ),
)

describe('with a key that is nobody’s', () => {
  for (const [index, record] of closed.entries()) {
    const names = firstOfKind.has(record) ? deadKeys : [deadKeys[index % deadKeys.length] ?? '']
    test(`${title(record)} is 401: ${names.join(', ')}`, async () => {
      for (const name of names) {
        const key = badKeys[name]
        assert.ok(key, name)
        assertUnauthorized(record, await send(record, keyHeader(record, key)))
      }
    })
  }
})

describe('with the right key in the wrong header', () => {
  for (const record of ofInference) {
    test(`${title(record)} says that the bearer token is missing`, async () => {
      const answer = await send(record, { 'x-api-key': hone.owner.key })
      assertUnauthorized(record, answer)
      assert.match(answer.json.error?.message ?? '', /bearer token is missing/)
    })

    test(`${title(record)} does not take another scheme`, async () => {
      for (const scheme of ['Basic', 'Token', 'Bearer:', '']) {
        const authorization = `${scheme} ${hone.owner.key}`.trim()
        assertUnauthorized(record, await send(record, { authorization }))
      }
    })
  }

  for (const record of [...ofCallers, ...ofSessions]) {
    test(`${title(record)} refuses a key as bearer token`, async () => {
      const key = newKeySecret(false)
      const answer = await send(record, { authorization: `Bearer ${key}` })
      assertUnauthorized(record, answer)
      assert.match(answer.json.error?.message ?? '', /X-API-Key/)
      const bearer = { authorization: `Bearer ${hone.owner.key}` }
      assertUnauthorized(record, await send(record, bearer))
    })
  }

  for (const record of ofSessions) {
    test(`${title(record)} is for people, not for keys`, async () => {
      assertUnauthorized(record, await send(record, { 'x-api-key': hone.owner.key }))
    })
  }

  for (const record of ofInference) {
    test(`${title(record)} is for keys, not for people`, async () => {
      assertUnauthorized(record, await send(record, ownerSession))
    })
  }
})

describe('a missing scope', () => {
  const keys = new Map<string, Promise<{ secret: string }>>()
  const keyWith = async (of: Scope[]): Promise<string> => {
    const name = of.join()
    const key = keys.get(name) ?? createKey(hone, ownerSession, { scopes: of })
    keys.set(name, key)
    return (await key).secret
  }

  /** Any of them is enough; the first is the one that a refusal names. */
  const openedBy = ({ access }: Route): Scope[] => {
    if (access.kind === 'inference') return ['serverless']
    if (access.kind !== 'caller') return []
    return [access.scope, access.orScope].filter((scope) => scope !== undefined)
  }

  for (const record of closed) {
    const enough = openedBy(record)
    if (enough.length === 0) continue

    test(`${title(record)} refuses a key with every scope but ${enough.join(' and ')}`, async () => {
      const others = scopes.filter((other) => !enough.includes(other))
      const answer = await send(record, keyHeader(record, await keyWith(others)))
      if (record.access.kind === 'inference') return assertUnauthorized(record, answer)
      assert.equal(answer.status, 403, answer.text)
      assert.equal(answer.json.error?.code, 'FORBIDDEN')
      assert.match(answer.json.error?.message ?? '', new RegExp(`the scope ${enough[0]}`))
    })

    for (const scope of enough) {
      test(`${title(record)} takes a key with ${scope} alone`, async () => {
        const answer = await send(record, keyHeader(record, await keyWith([scope])))
        assert.ok(![401, 403].includes(answer.status), answer.text)
      })
    }
  }

  for (const record of ofCallers) {
    if (record.access.kind !== 'caller' || !record.access.permission) continue
    test(`${title(record)} refuses a key that lacks any scope at all`, async () => {
      for (const scope of scopes) {
        const others = scopes.filter((other) => other !== scope)
        const answer = await send(record, { 'x-api-key': await keyWith(others) })
        assert.equal(answer.status, 403, answer.text)
        assert.equal(answer.json.error?.code, 'FORBIDDEN')
      }
    })
  }
})

for (const role of roles) {
  describe(`the role ${role}`, () => {
    let session: Record<string, string>
    let key: string
    before(async () => {
      const person = await addPerson(hone, role)
      session = person.headers
      key = (await createKey(hone, session)).secret
    })

    const grants = roleGrants[role]
    for (const record of [...ofCallers, ...ofInference]) {
      const may =
        record.access.kind === 'inference'
          ? grants.scopes.includes('serverless')
          : record.access.kind === 'caller' &&
            (!record.access.scope || grants.scopes.includes(record.access.scope)) &&
            (!record.access.permission || grants.permissions.includes(record.access.permission))

      test(`${may ? 'may' : 'may not'} ${title(record)}`, async () => {
        const credentials = [keyHeader(record, key)]
        if (record.access.kind === 'caller') credentials.push(session)
        const refused = record.access.kind === 'inference' ? 401 : 403
        for (const headers of credentials) {
          const answer = await send(record, headers)
          if (may) assert.ok(![401, 403].includes(answer.status), answer.text)
          else assert.equal(answer.status, refused, answer.text)
        }
      })
    }
  })
}

describe('an access token', () => {
  for (const record of ofCallers) {
    test(`${title(record)} needs X-Org-ID and X-Workspace-ID with it`, async () => {
      for (const missing of ['x-org-id', 'x-workspace-id']) {
        const headers = Object.fromEntries(
          Object.entries(ownerSession).filter(([name]) => name !== missing),
        )
        const answer = await send(record, headers)
        assert.equal(answer.status, 400, answer.text)
        assert.match(answer.json.error?.message ?? '', /X-Org-ID and X-Workspace-ID/)
      }
    })

    test(`${title(record)} hides other organizations and workspaces from it`, async () => {
      const org = ownerSession['x-org-id'] ?? ''
      const bodies = new Set<string>()
      const pairs = [
        [org, stranger.workspaceId],
        [org, absentId],
        [stranger.orgId, stranger.workspaceId],
        [stranger.orgId, ownerSession['x-workspace-id'] ?? ''],
        [absentId, absentId],
        ['no id', "'; drop table org; --"],
      ] as const
      for (const [orgId, workspaceId] of firstOfKind.has(record) ? pairs : pairs.slice(0, 3)) {
        const ids = { 'x-org-id': orgId, 'x-workspace-id': workspaceId }
        const answer = await send(record, { ...ownerSession, ...ids })
        assert.equal(answer.status, 404, answer.text)
        bodies.add(answer.text)
      }
      assert.equal(bodies.size, 1, 'a foreign id reads like an absent one')
    })

    test(`${title(record)} with a key does not reach the workspace of another`, async () => {
      const headers = { 'x-api-key': hone.owner.key, 'x-workspace-id': stranger.workspaceId }
      assert.equal((await send(record, headers)).status, 404)
    })
  }

  for (const record of ofCallers.concat(ofSessions)) {
    test(`${title(record)} is 401 after its hour`, async () => {
      assertUnauthorized(record, await send(record, expiredSession))
    })

    test(`${title(record)} is 401 after signing out`, async () => {
      assertUnauthorized(record, await send(record, endedSession))
    })
  }
})

describe('a wrong verb', () => {
  const verbs = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']
  const fits = (path: string, url: string): boolean =>
    new RegExp(`^${path.replace('{model}', '.+').replace(/\{\w+\}/g, '[^/]+')}$`).test(url)

  for (const path of new Set(records.map((record) => record.path))) {
    test(`on ${path} is 405 and Allow names the right ones`, async () => {
      const url = urlOf({ path } as Route)
      const allowed = records.filter((record) => fits(record.path, url)).map(({ method }) => method)
      const good: string[] = allowed.includes('GET') ? [...allowed, 'HEAD'] : allowed
      for (const verb of verbs.filter((one) => !good.includes(one))) {
        const answer = await hone.call(verb, url)
        assert.equal(answer.status, 405, `${verb} ${url}: ${answer.text}`)
        assert.deepEqual(answer.headers.get('allow')?.split(', ').sort(), [...good].sort())
        if (verb !== 'HEAD') assert.ok(answer.json.error?.message, answer.text)
      }
    })
  }

  for (const path of [
    '/',
    '/api',
    '/api/',
    '/v1',
    '/v1/',
    '/api/nothing',
    '/v1/responses',
    '/v2',
  ]) {
    test(`${path} is nowhere, for every verb`, async () => {
      for (const verb of verbs) assert.equal((await hone.call(verb, path)).status, 404)
    })
  }
})

describe('an id of another organization', () => {
  const body = (answer: Answer): string => `${answer.status} ${answer.text}`

  test('as key id reads like one that does not exist', async () => {
    const ask = (id: string): Promise<Answer> =>
      hone.call('DELETE', `/api/api-keys/${id}`, { key: hone.owner.key })
    const absent = await ask(absentId)
    assert.equal(absent.status, 404)
    assert.equal(body(await ask(stranger.keyId)), body(absent))
    assert.equal(body(await ask('no-id-at-all')), body(absent))
    const still = await hone.call('GET', '/api/wallet', { key: stranger.secret })
    assert.equal(still.status, 200, 'and the key still works')
  })

  test('as user id reads like one that does not exist', async () => {
    for (const [method, change] of [
      ['PATCH', { role: 'viewer' }],
      ['DELETE', {}],
    ] as const) {
      const ask = (user_id: string): Promise<Answer> =>
        hone.call(method, '/api/members', { key: hone.owner.key, body: { user_id, ...change } })
      const absent = await ask(absentId)
      assert.equal(absent.status, 404)
      assert.equal(body(await ask(stranger.userId)), body(absent))
    }
  })

  test('as workspace id reads like one that does not exist', async () => {
    const person = await addPerson(hone, 'member')
    const ask = (id: string): Promise<Answer>[] => [
      hone.call('PATCH', '/api/members', {
        key: hone.owner.key,
        body: { user_id: person.userId, workspace_ids: [id] },
      }),
      hone.call('POST', '/api/members', {
        key: hone.owner.key,
        body: { email: 'new@example.com', role: 'member', workspace_ids: [id] },
      }),
    ]
    const absent = await Promise.all(ask(absentId))
    const foreign = await Promise.all(ask(stranger.workspaceId))
    assert.deepEqual(absent.map(body), foreign.map(body))
    for (const answer of absent) assert.equal(answer.status, 404)
  })

  test('shows in no list of ours', async () => {
    for (const record of records) {
      if (record.method !== 'GET' || record.access.kind !== 'caller') continue
      const { text } = await send(record, { 'x-api-key': hone.owner.key })
      for (const id of Object.values(stranger)) assert.ok(!text.includes(id), title(record))
    }
  })
})
