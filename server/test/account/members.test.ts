// Workspaces and the people of an organization: who may add, change and remove whom, and when it takes effect.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Member, member, type Workspace, workspace } from '#contract/member.ts'
import { nameCharactersMax } from '#contract/limits.ts'
import { type Role, roles } from '#contract/scopes.ts'
import {
  addPerson,
  changeMember,
  createKey,
  createWorkspace,
  otherOrg,
  type Person,
  removePerson,
} from '#test/support/accounts.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'

type Headers = Record<string, string>

let hone: TestHone
let owner: Headers

before(async () => {
  hone = await testHone()
  owner = await hone.login(hone.owner.email, hone.owner.password)
})
after(() => hone.stop())

const add = (body: object, headers = owner): Promise<Answer> =>
  hone.call('POST', '/api/members', { headers, body })
const change = (body: object, headers = owner): Promise<Answer> =>
  hone.call('PATCH', '/api/members', { headers, body })
const remove = (user_id: string, headers = owner): Promise<Answer> =>
  hone.call('DELETE', '/api/members', { headers, body: { user_id } })

function memberIn(answer: Answer): Member {
  const { member: shown } = answer.json as unknown as { member: Member }
  return member.strict().parse(shown)
}

async function members(): Promise<Member[]> {
  const answer = await hone.call('GET', '/api/members?limit=200', { headers: owner })
  return (answer.json as unknown as { members: Member[] }).members
}

async function roleOf(userId: string): Promise<Role | undefined> {
  return (await members()).find(({ user }) => user.id === userId)?.role
}

async function ownerId(): Promise<string> {
  const found = (await members()).find(({ user }) => user.email === hone.owner.email)
  assert.ok(found)
  return found.user.id
}

describe('workspaces', () => {
  test('are created, shown and listed', async () => {
    const answer = await hone.call('POST', '/api/workspaces', {
      headers: owner,
      body: { name: ' Research ' },
    })
    assert.equal(answer.status, 201)
    const made = workspace
      .strict()
      .parse((answer.json as unknown as { workspace: Workspace }).workspace)
    assert.equal(made.name, 'Research')
    assert.equal(made.org.id, owner['x-org-id'])
    const list = await hone.call('GET', '/api/workspaces', { headers: owner })
    const { workspaces } = list.json as unknown as { workspaces: Workspace[] }
    assert.deepEqual(workspaces.at(-1), made)
  })

  test('are listed to a key without all scopes as far as it reaches, which is its own', async () => {
    const listedTo = async (headers: Record<string, string>): Promise<string[]> => {
      const list = await hone.call('GET', '/api/workspaces?limit=200', { headers })
      assert.equal(list.status, 200, list.text)
      return (list.json as unknown as { workspaces: Workspace[] }).workspaces.map(({ id }) => id)
    }
    const id = await createWorkspace(hone, 'Of one key')
    const inIt = { ...owner, 'x-workspace-id': id }
    const narrow = await createKey(hone, inIt, { scopes: ['serverless'] })
    assert.deepEqual(await listedTo({ 'x-api-key': narrow.secret }), [id])
    const whole = await createKey(hone, inIt)
    assert.deepEqual(await listedTo({ 'x-api-key': whole.secret }), await listedTo(owner))
  })

  test('have names of their own, in any case', async () => {
    await createWorkspace(hone, 'Once')
    for (const name of ['Once', 'ONCE', ' once ']) {
      const answer = await hone.call('POST', '/api/workspaces', { headers: owner, body: { name } })
      assert.equal(answer.status, 409)
      assert.equal(answer.json.error?.code, 'CONFLICT')
      assert.equal(answer.headers.get('x-should-retry'), 'false')
    }
  })

  test('of one name made at once are one', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        hone.call('POST', '/api/workspaces', { headers: owner, body: { name: 'Raced' } }),
      ),
    )
    const statuses = answers.map((answer) => answer.status).sort()
    assert.deepEqual(statuses, [201, ...Array.from({ length: 7 }, () => 409)])
  })

  test('need a name within its limits and nothing else', async () => {
    for (const body of [
      {},
      { name: '' },
      { name: ' ' },
      { name: 1 },
      { name: 'x'.repeat(nameCharactersMax + 1) },
      { name: 'a\0b' },
      { name: 'Fine', org_id: owner['x-org-id'] },
    ]) {
      const answer = await hone.call('POST', '/api/workspaces', { headers: owner, body })
      assert.equal(answer.status, 400, answer.text)
    }
    const longest = 'x'.repeat(nameCharactersMax)
    assert.ok(await createWorkspace(hone, longest))
  })

  test('are listed in pages, and only those that the person reaches', async () => {
    const ids = [await createWorkspace(hone, 'Mine 1'), await createWorkspace(hone, 'Mine 2')]
    const person = await addPerson(hone, 'member', { workspace_ids: ids })
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const path = `/api/workspaces?limit=1${cursor && `&cursor=${cursor}`}`
      const answer = await hone.call('GET', path, { headers: person.headers })
      const page = answer.json as unknown as { workspaces: Workspace[]; next_cursor: string | null }
      seen.push(...page.workspaces.map(({ id }) => id))
      cursor = page.next_cursor
    }
    assert.deepEqual(seen.sort(), ids.sort())
  })
})

describe('adding a person', () => {
  test('that is new gives a password once, and it works', async () => {
    const answer = await add({ email: 'Ada@example.com', role: 'member' })
    assert.equal(answer.status, 201)
    const { password } = answer.json as unknown as { password: string }
    assert.match(password, /^[0-9A-Za-z]{20}$/)
    const shown = memberIn(answer)
    assert.equal(shown.user.email, 'Ada@example.com')
    assert.equal(shown.user.name, 'Ada')
    assert.equal(shown.role, 'member')
    assert.deepEqual(shown.workspace_ids, [owner['x-workspace-id']], 'the inviting workspace')
    const headers = await hone.login('ada@EXAMPLE.com', password)
    assert.equal((await hone.call('GET', '/api/models', { headers })).status, 200)
    const list = await hone.call('GET', '/api/members', { headers: owner })
    assert.ok(!list.text.includes(password))
  })

  test('with a password of one’s choice shows none', async () => {
    const password = 'chosen by hand'
    const answer = await add({
      email: 'chosen@example.com',
      name: 'Chosen',
      role: 'viewer',
      password,
    })
    assert.equal((answer.json as unknown as { password: null }).password, null)
    assert.equal(memberIn(answer).user.name, 'Chosen')
    assert.ok(await hone.login('chosen@example.com', password))
  })

  test('that has an account gives none and leaves their password alone', async () => {
    const stranger = await otherOrg(hone)
    const refused = await add({ email: stranger.email, role: 'member', password: 'taken over!' })
    assert.equal(refused.status, 409)
    assert.equal(refused.headers.get('x-should-retry'), 'false')
    assert.equal(refused.json.error?.code, 'CONFLICT')
    const answer = await add({
      email: stranger.email.toUpperCase(),
      name: 'Renamed',
      role: 'viewer',
    })
    assert.equal(answer.status, 201)
    assert.equal((answer.json as unknown as { password: null }).password, null)
    assert.equal(memberIn(answer).user.name, 'Stranger', 'and their name')
    const login = await hone.call('POST', '/api/auth/login', {
      body: { email: stranger.email, password: stranger.password },
    })
    const { orgs } = login.json as unknown as { orgs: { role: string }[] }
    assert.deepEqual(orgs.map(({ role }) => role).sort(), ['owner', 'viewer'])
  })

  test('that is a member already is 409', async () => {
    const person = await addPerson(hone, 'member')
    const again = await add({ email: person.email, role: 'admin' })
    assert.equal(again.status, 409)
    assert.equal(await roleOf(person.userId), 'member')
  })

  test('many times at once adds them once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => add({ email: 'raced@example.com', role: 'viewer' })),
    )
    const statuses = answers.map((answer) => answer.status).sort()
    assert.deepEqual(statuses, [201, 409, 409, 409, 409, 409])
    const found = (await members()).filter(({ user }) => user.email === 'raced@example.com')
    assert.equal(found.length, 1)
  })

  for (const role of roles) {
    test(`as ${role} shows what they reach`, async () => {
      const id = await createWorkspace(hone, `Of a ${role}`)
      const answer = await add({ email: `${role}@roles.example`, role, workspace_ids: [id] })
      const reachesAll = ['owner', 'admin', 'billing'].includes(role)
      assert.deepEqual(memberIn(answer).workspace_ids, reachesAll ? null : [id])
    })
  }

  const email = 'form@example.com'
  const refused: [what: string, body: unknown, says: RegExp][] = [
    ['no address', { role: 'member' }, /field email/],
    ['an address that is none', { email: 'form', role: 'member' }, /email: must be an e-mail/],
    ['an address with a space', { email: 'a b@example.com', role: 'member' }, /field email/],
    ['an address with an escape', { email: 'a\x1b[2J@example.com', role: 'member' }, /field email/],
    ['an address that turns', { email: 'a@\u202emoc.elpmaxe', role: 'member' }, /field email/],
    ['an address too long', { email: `${'x'.repeat(250)}@example.com`, role: 'member' }, /email/],
    ['no role', { email }, /field role/],
    ['an unknown role', { email, role: 'superuser' }, /field role/],
    ['a short password', { email, role: 'member', password: 'short' }, /field password/],
    ['an empty name', { email, role: 'member', name: ' ' }, /field name/],
    [
      'a workspace that is no id',
      { email, role: 'member', workspace_ids: ['x'] },
      /workspace_ids\[0\]/,
    ],
    [
      'an unknown field',
      { email, role: 'member', admin: true },
      /Unknown field in the body: admin/,
    ],
    [
      'two unknown fields',
      { email, role: 'member', a: 1, b: 2 },
      /Unknown field in the body: a, b/,
    ],
    ['no object', 'form@example.com', /The body/],
    ['nothing', null, /The body/],
  ]
  for (const [what, body, says] of refused) {
    test(`with ${what} is a 400 that says so`, async () => {
      const answer = await add(body as object)
      assert.equal(answer.status, 400, answer.text)
      assert.match(answer.json.error?.message ?? '', says)
    })
  }

  test('to a workspace of another organization is 404, and adds nobody', async () => {
    const stranger = await otherOrg(hone)
    const workspace_ids = [owner['x-workspace-id'], stranger.workspaceId]
    const answer = await add({ email: 'nowhere@example.com', role: 'member', workspace_ids })
    assert.equal(answer.status, 404)
    const login = { email: 'nowhere@example.com', role: 'member' }
    assert.equal((await add(login)).status, 201, 'no trace of the first try')
  })
})

describe('changing a person', () => {
  let person: Person
  before(async () => {
    person = await addPerson(hone, 'member')
  })

  test('bites on their next request, by token and by key', async () => {
    const { secret } = await createKey(hone, person.headers)
    const post = async (headers: Headers): Promise<number> =>
      (await hone.call('POST', '/api/workspaces', { headers, body: {} })).status
    const credentials = [person.headers, { 'x-api-key': secret }]
    for (const [role, expected] of [
      ['member', 403],
      ['admin', 400],
      ['viewer', 403],
      ['owner', 400],
      ['member', 403],
    ] as const) {
      assert.equal((await change({ user_id: person.userId, role })).status, 200)
      for (const headers of credentials) assert.equal(await post(headers), expected, role)
    }
  })

  test('moves them between workspaces on their next request', async () => {
    const id = await createWorkspace(hone, 'Moved to')
    const here = person.headers
    const there = { ...here, 'x-workspace-id': id }
    const status = async (headers: Headers): Promise<number> =>
      (await hone.call('GET', '/api/models', { headers })).status
    assert.deepEqual([await status(here), await status(there)], [200, 404])
    const answer = await change({ user_id: person.userId, workspace_ids: [id] })
    assert.deepEqual(memberIn(answer).workspace_ids, [id])
    assert.deepEqual([await status(here), await status(there)], [404, 200])
    await change({ user_id: person.userId, workspace_ids: [] })
    assert.deepEqual([await status(here), await status(there)], [404, 404])
    await change({ user_id: person.userId, workspace_ids: null })
    assert.deepEqual([await status(here), await status(there)], [200, 200])
  })

  test('out of a workspace ends their keys there, and not those of who stays', async () => {
    const id = await createWorkspace(hone, 'Left by one of two')
    const people = [
      await addPerson(hone, 'member', { workspace_ids: [id] }),
      await addPerson(hone, 'member', { workspace_ids: [id] }),
    ]
    const keys = await Promise.all(people.map(({ headers }) => createKey(hone, headers)))
    const statuses = (): Promise<number[]> =>
      Promise.all(
        [...keys.map(({ secret }) => ({ 'x-api-key': secret })), ...people.map((p) => p.headers)]
          .map((headers) => hone.call('GET', '/api/models', { headers }))
          .map(async (answer) => (await answer).status),
      )
    assert.deepEqual(await statuses(), [200, 200, 200, 200])
    const elsewhere = [owner['x-workspace-id'] ?? '']
    await changeMember(hone, people[0]?.userId ?? '', { workspace_ids: elsewhere })
    assert.deepEqual(await statuses(), [401, 200, 404, 200])
  })

  test('up and down again gives them no workspace they did not have', async () => {
    const id = await createWorkspace(hone, 'The only one')
    const narrow = await addPerson(hone, 'member', { workspace_ids: [id] })
    for (const role of ['admin', 'billing', 'owner', 'viewer'] as const) {
      await changeMember(hone, narrow.userId, { role })
    }
    const shown = (await members()).find(({ user }) => user.id === narrow.userId)
    assert.deepEqual(shown?.workspace_ids, [id])
    const elsewhere = { ...narrow.headers, 'x-workspace-id': owner['x-workspace-id'] ?? '' }
    assert.equal((await hone.call('GET', '/api/models', { headers: elsewhere })).status, 404)
  })

  for (const role of ['owner', 'admin', 'billing'] as const) {
    test(`down from the ${role} they came as leaves the workspaces they were given`, async () => {
      const id = await createWorkspace(hone, `Given to a new ${role}`)
      const came = await addPerson(hone, role, { workspace_ids: [id] })
      const answer = await change({ user_id: came.userId, role: 'viewer' })
      assert.deepEqual(memberIn(answer).workspace_ids, [id])
      const elsewhere = { ...came.headers, 'x-workspace-id': owner['x-workspace-id'] ?? '' }
      assert.equal((await hone.call('GET', '/api/models', { headers: elsewhere })).status, 404)
    })
  }

  test('by an id in capitals is the same person', async () => {
    const answer = await change({ user_id: person.userId.toUpperCase(), role: 'viewer' })
    assert.equal(memberIn(answer).user.id, person.userId)
    assert.equal(await roleOf(person.userId), 'viewer')
  })

  test('needs to say whom and what', async () => {
    for (const [body, says] of [
      [{ role: 'viewer' }, /user_id/],
      [{ user_id: 'x', role: 'viewer' }, /user_id/],
      [{ user_id: person.userId }, /send role, workspace_ids or both/],
      [{ user_id: person.userId, role: 'king' }, /role/],
      [{ user_id: person.userId, role: null }, /role/],
      [{ user_id: person.userId, workspace_ids: 'all' }, /workspace_ids/],
      [{ user_id: person.userId, role: 'viewer', email: 'x@y.z' }, /Unknown field.*: email/],
    ] as const) {
      const answer = await change(body)
      assert.equal(answer.status, 400, answer.text)
      assert.match(answer.json.error?.message ?? '', says)
    }
  })
})

describe('the people', () => {
  test('are listed in pages that miss and repeat nothing', async () => {
    for (let i = 0; i < 4; i++) await addPerson(hone, 'viewer')
    const all = (await members()).map(({ user }) => user.id)
    const paged: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const query: string = `limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`
      const answer: Answer = await hone.call('GET', `/api/members?${query}`, { headers: owner })
      assert.equal(answer.status, 200, answer.text)
      const page = answer.json as unknown as { members: Member[]; next_cursor: string | null }
      assert.ok(page.members.length <= 2)
      paged.push(...page.members.map(({ user }) => user.id))
      cursor = page.next_cursor
    }
    assert.ok(all.length > 4)
    assert.deepEqual(paged, all)
    assert.deepEqual(all, all.toSorted(), 'those who came first come first')
  })

  test('show which workspaces they reach: some, in order and each once, none or all', async () => {
    const ids = [await createWorkspace(hone, 'First'), await createWorkspace(hone, 'Second')]
    const [first, second] = ids as [string, string]
    const person = await addPerson(hone, 'member', { workspace_ids: [second, first, second] })
    const shown = async (): Promise<string[] | null | undefined> =>
      (await members()).find(({ user }) => user.id === person.userId)?.workspace_ids
    assert.deepEqual(await shown(), [first, second])
    await changeMember(hone, person.userId, { workspace_ids: [first, first] })
    assert.deepEqual(await shown(), [first])
    await changeMember(hone, person.userId, { workspace_ids: null })
    assert.equal(await shown(), null)
    await changeMember(hone, person.userId, { workspace_ids: [] })
    assert.deepEqual(await shown(), [])
  })
})

describe('removing a person', () => {
  test('bites on their next request, and their history stays', async () => {
    const person = await addPerson(hone, 'admin')
    const { secret, api_key } = await createKey(hone, person.headers)
    assert.equal((await hone.call('GET', '/api/models', { key: secret })).status, 200)
    const answer = await remove(person.userId)
    assert.equal(answer.status, 204)
    assert.equal(answer.text, '')
    assert.equal((await hone.call('GET', '/api/models', { key: secret })).status, 401)
    const byToken = await hone.call('GET', '/api/models', { headers: person.headers })
    assert.equal(byToken.status, 404, 'the organization is no longer theirs to see')
    const keys = await hone.call('GET', '/api/api-keys?limit=200', { headers: owner })
    assert.ok(keys.text.includes(api_key.key_id))
    assert.equal((await remove(person.userId)).status, 404)
  })

  test('and adding them again brings their key back', async () => {
    const person = await addPerson(hone, 'member')
    const { secret } = await createKey(hone, person.headers)
    await removePerson(hone, person.userId)
    assert.equal((await hone.call('GET', '/api/models', { key: secret })).status, 401)
    const again = await add({ email: person.email, role: 'member' })
    assert.equal((again.json as unknown as { password: null }).password, null)
    assert.equal((await hone.call('GET', '/api/models', { key: secret })).status, 200)
  })

  test('needs a body that names them', async () => {
    const bare = await hone.call('DELETE', '/api/members', { headers: owner })
    assert.equal(bare.status, 400)
    const loose = await hone.call('DELETE', '/api/members', {
      headers: owner,
      body: { user_id: await ownerId(), force: true },
    })
    assert.match(loose.json.error?.message ?? '', /Unknown field in the body: force/)
  })
})

describe('a person of two organizations', () => {
  test('is in each what they were given there, whatever the other does', async () => {
    const stranger = await otherOrg(hone)
    const person = await addPerson(hone, 'member')
    const { secret } = await createKey(hone, person.headers)
    const theirs = { 'x-org-id': stranger.orgId, 'x-workspace-id': stranger.workspaceId }
    const invited = await hone.call('POST', '/api/members', {
      key: stranger.secret,
      body: { email: person.email, role: 'viewer', workspace_ids: [stranger.workspaceId] },
    })
    assert.equal(invited.status, 201, invited.text)
    const there = async (): Promise<Member | undefined> => {
      const list = await hone.call('GET', '/api/members', { key: stranger.secret })
      const found = (list.json as unknown as { members: Member[] }).members
      return found.find(({ user }) => user.id === person.userId)
    }
    const reached = await hone.call('GET', '/api/workspaces?limit=200', { headers: owner })
    assert.ok(!reached.text.includes(stranger.workspaceId), 'an owner reaches all of their own')
    const given = await there()
    assert.deepEqual(given?.workspace_ids, [stranger.workspaceId], 'and none of the first one’s')
    const acts = [
      () => change({ user_id: person.userId, role: 'billing' }),
      () => change({ user_id: person.userId, role: 'member', workspace_ids: null }),
      () => change({ user_id: person.userId, workspace_ids: [] }),
      () => remove(person.userId),
    ]
    for (const act of acts) {
      const answer = await act()
      assert.ok(answer.status < 300, answer.text)
      assert.deepEqual(await there(), given)
    }
    assert.equal(await roleOf(person.userId), undefined)
    const statuses = await Promise.all(
      [{ 'x-api-key': secret }, person.headers, { ...person.headers, ...theirs }].map(
        async (headers) => (await hone.call('GET', '/api/models', { headers })).status,
      ),
    )
    assert.deepEqual(statuses, [401, 404, 200], 'being in the other opens nothing here')
    const login = await hone.call('POST', '/api/auth/login', {
      body: { email: person.email, password: person.password },
    })
    const { orgs } = login.json as unknown as { orgs: { id: string; workspaces: object[] }[] }
    const workspaces = [{ id: stranger.workspaceId, name: 'Theirs' }]
    assert.deepEqual(
      orgs.map((org) => [org.id, org.workspaces]),
      [[stranger.orgId, workspaces]],
    )
  })

  test('has no key where they left, though they own the other', async () => {
    const stranger = await otherOrg(hone)
    assert.equal((await add({ email: stranger.email, role: 'member' })).status, 201)
    const session = await hone.login(stranger.email, stranger.password)
    const here = { ...owner, authorization: session.authorization ?? '' }
    const { secret } = await createKey(hone, here)
    const statuses = (): Promise<number[]> =>
      Promise.all(
        [{ 'x-api-key': secret }, here, { 'x-api-key': stranger.secret }].map(
          async (headers) => (await hone.call('GET', '/api/models', { headers })).status,
        ),
      )
    assert.deepEqual(await statuses(), [200, 200, 200])
    await removePerson(hone, stranger.userId)
    assert.deepEqual(await statuses(), [401, 404, 200])
  })
})

describe('somebody of another organization', () => {
  test('is not found here, like somebody who does not exist', async () => {
    const stranger = await otherOrg(hone)
    const nobody = '01900000-0000-7000-8000-00000000abcd'
    for (const act of [
      (id: string) => remove(id),
      (id: string) => change({ user_id: id, role: 'viewer' }),
      (id: string) => change({ user_id: id, workspace_ids: [] }),
    ]) {
      const [theirs, none] = [await act(stranger.userId), await act(nobody)]
      assert.equal(theirs.status, 404)
      assert.equal(theirs.text, none.text)
    }
  })

  test('is here what they are here, though they own the other', async () => {
    const stranger = await otherOrg(hone)
    const admin = await addPerson(hone, 'admin')
    const added = await add({ email: stranger.email, role: 'viewer' })
    assert.equal(added.status, 201, added.text)
    const changed = await change({ user_id: stranger.userId, role: 'member' }, admin.headers)
    assert.equal(changed.status, 200, changed.text)
    assert.equal((await remove(stranger.userId, admin.headers)).status, 204)
  })
})

test('an owner reaches no workspace of another organization, whichever way it is named', async () => {
  const stranger = await otherOrg(hone)
  for (const named of [
    { 'x-org-id': stranger.orgId, 'x-workspace-id': stranger.workspaceId },
    { 'x-org-id': stranger.orgId },
    { 'x-workspace-id': stranger.workspaceId },
  ]) {
    const headers = { ...owner, ...named }
    assert.equal((await hone.call('GET', '/api/models', { headers })).status, 404)
  }
})

describe('owners', () => {
  test('are made and unmade by owners only', async () => {
    const admin = await addPerson(hone, 'admin')
    const second = await addPerson(hone, 'owner')
    const member = await addPerson(hone, 'member')
    const refusals = [
      await add({ email: 'boss@example.com', role: 'owner' }, admin.headers),
      await change({ user_id: member.userId, role: 'owner' }, admin.headers),
      await change({ user_id: admin.userId, role: 'owner' }, admin.headers),
      await change({ user_id: second.userId, role: 'viewer' }, admin.headers),
      await change({ user_id: second.userId, workspace_ids: [] }, admin.headers),
      await remove(second.userId, admin.headers),
    ]
    for (const answer of refusals) {
      assert.equal(answer.status, 403, answer.text)
      assert.equal(answer.json.error?.code, 'FORBIDDEN')
    }
    assert.equal(await roleOf(second.userId), 'owner')
    assert.equal((await remove(second.userId)).status, 204)
  })

  test('the last one stays, however it is tried', async () => {
    const id = await ownerId()
    // Owners of another organization are none here.
    await otherOrg(hone)
    const admin = await addPerson(hone, 'admin')
    for (const { role, user } of await members()) {
      if (role === 'owner' && user.id !== id) await removePerson(hone, user.id)
    }
    const tries = [
      await change({ user_id: id, role: 'admin' }),
      await change({ user_id: id.toUpperCase(), role: 'admin' }),
      await change({ user_id: id, role: 'viewer', workspace_ids: [] }),
      await remove(id),
      await remove(id.toUpperCase()),
      await hone.call('DELETE', '/api/members', { key: hone.owner.key, body: { user_id: id } }),
    ]
    for (const answer of tries) {
      assert.equal(answer.status, 409, answer.text)
      assert.equal(answer.json.error?.code, 'LAST_OWNER')
    }
    assert.equal((await remove(id, admin.headers)).status, 403)
    assert.equal((await change({ user_id: id, role: 'owner' })).status, 200, 'no change is fine')
  })

  test('two that demote each other at once leave one', async () => {
    const id = await ownerId()
    for (let round = 0; round < 5; round++) {
      const second = await addPerson(hone, 'owner')
      const answers = await Promise.all([
        change({ user_id: second.userId, role: 'member' }),
        change({ user_id: id, role: 'member' }, second.headers),
      ])
      const left = await hone.app.storage.db
        .selectFrom('member')
        .select('user_id')
        .where('role', '=', 'owner')
        .where('org_id', '=', owner['x-org-id'] ?? '')
        .execute()
      assert.equal(left.length, 1)
      const statuses = answers.map((answer) => answer.status)
      assert.equal(statuses.filter((status) => status === 200).length, 1, String(statuses))
      assert.ok([403, 409].includes(statuses.find((status) => status !== 200) ?? 0))
      // Whoever is left makes the first owner one again.
      if (left[0]?.user_id !== id) {
        assert.equal((await change({ user_id: id, role: 'owner' }, second.headers)).status, 200)
        await change({ user_id: second.userId, role: 'member' })
      }
    }
  })

  test('two that leave at once leave one', async () => {
    const id = await ownerId()
    const second = await addPerson(hone, 'owner')
    const answers = await Promise.all([
      change({ user_id: id, role: 'admin' }),
      remove(second.userId, second.headers),
    ])
    const statuses = answers.map((answer) => answer.status).sort()
    assert.equal(statuses.filter((status) => status < 300).length, 1, String(statuses))
    assert.equal(statuses[1], 409)
    if (answers[0].status === 200) {
      const back = await change({ user_id: id, role: 'owner' }, second.headers)
      assert.equal(back.status, 200)
    }
  })
})
