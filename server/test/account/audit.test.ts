// Who did what: every change of accounts, keys and funds leaves one line, seen by its own organization alone.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type AuditEvent, auditEvent } from '#contract/audit.ts'
import {
  addPerson,
  changeMember,
  createKey,
  createWorkspace,
  otherOrg,
  removePerson,
  revokeKey,
} from '#test/support/accounts.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { type TestHone, testHone } from '#test/support/test-hone.ts'

const clock = new ManualClock()
let hone: TestHone
let owner: Record<string, string>

before(async () => {
  hone = await testHone({ clock })
  owner = await hone.login(hone.owner.email, hone.owner.password)
})
after(() => hone.stop())

async function events(headers = owner, limit = 200): Promise<AuditEvent[]> {
  const all: AuditEvent[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const path = `/api/audit?limit=${limit}${cursor && `&cursor=${cursor}`}`
    const answer = await hone.call('GET', path, { headers })
    assert.equal(answer.status, 200, answer.text)
    const page = answer.json as unknown as {
      audit_events: AuditEvent[]
      next_cursor: string | null
    }
    all.push(...page.audit_events.map((event) => auditEvent.strict().parse(event)))
    cursor = page.next_cursor
  }
  return all
}

/** The events that an act adds, newest first. */
async function added(act: () => Promise<unknown>): Promise<AuditEvent[]> {
  const before = await events()
  clock.forward(1000)
  await act()
  const now = await events()
  return now.slice(0, now.length - before.length)
}

test('the first start is the first line', async () => {
  const all = await events()
  assert.equal(all.at(-1)?.action, 'org.created')
  assert.equal(all.at(-1)?.target_id, owner['x-org-id'])
})

test('every change leaves one line that names who, where, when and what', async () => {
  const key = await createKey(hone, owner)
  const person = await addPerson(hone, 'member')
  const byKey = { 'x-api-key': key.secret }
  const topUp = (): Promise<unknown> =>
    hone.call('POST', '/api/wallet/top-ups', {
      headers: { ...byKey, 'idempotency-key': 'audited' },
      body: { amount_usd: '12.50' },
    })
  const steps: [action: string, act: () => Promise<unknown>, detail: object][] = [
    [
      'api_key.created',
      () => createKey(hone, owner, { name: 'Noted', scopes: ['loop:read'] }),
      { name: 'Noted', scopes: ['loop:read'] },
    ],
    ['workspace.created', () => createWorkspace(hone, 'Noted too'), { name: 'Noted too' }],
    [
      'member.updated',
      () => changeMember(hone, person.userId, { role: 'viewer' }),
      { role: 'viewer' },
    ],
    [
      'member.updated',
      () => changeMember(hone, person.userId, { workspace_ids: [] }),
      { role: 'viewer', workspace_ids: [] },
    ],
    ['member.removed', () => removePerson(hone, person.userId), { role: 'viewer' }],
    ['wallet.topped_up', topUp, { amount_usd: '12.5' }],
    ['api_key.revoked', () => revokeKey(hone, key.api_key.key_id), {}],
  ]
  for (const [action, act, detail] of steps) {
    const [event, ...more] = await added(act)
    assert.ok(event, action)
    assert.deepEqual(more, [], action)
    assert.equal(event.action, action)
    assert.deepEqual(event.detail, detail)
    assert.equal(event.created_at, clock.now().toISOString())
    assert.equal(event.workspace_id, owner['x-workspace-id'])
    assert.equal(event.user_id, key.api_key.created_by?.id)
  }
  const all = await events()
  const by = (action: string): AuditEvent | undefined =>
    all.find((event) => event.action === action)
  assert.equal(by('wallet.topped_up')?.key_id, key.api_key.key_id, 'the key that did it')
  assert.equal(by('api_key.created')?.key_id, null, 'a person did it')
  assert.equal(by('api_key.revoked')?.target_id, key.api_key.key_id)
  assert.equal(by('member.removed')?.target_id, person.userId)
})

test('a change that is refused or repeated leaves none', async () => {
  const { api_key } = await createKey(hone, owner)
  await revokeKey(hone, api_key.key_id)
  const lines = await added(async () => {
    await revokeKey(hone, api_key.key_id)
    await hone.call('POST', '/api/workspaces', { headers: owner, body: { name: 'Default' } })
    await hone.call('POST', '/api/api-keys', { headers: owner, body: { name: 'No scopes' } })
    await hone.call('POST', '/api/wallet/top-ups', {
      headers: { ...owner, 'idempotency-key': 'audited' },
      body: { amount_usd: '12.5' },
    })
    await hone.call('DELETE', '/api/members', {
      headers: owner,
      body: { user_id: api_key.created_by?.id },
    })
  })
  assert.deepEqual(lines, [])
})

test('no line holds a secret', async () => {
  const person = await addPerson(hone, 'member')
  const { secret } = await createKey(hone, person.headers)
  const text = JSON.stringify(await events())
  for (const hidden of [secret.slice(5), person.password, hone.owner.password, hone.owner.key]) {
    assert.ok(!text.includes(hidden))
  }
})

test('pages miss and repeat nothing', async () => {
  const all = await events()
  for (const limit of [1, 3, all.length]) assert.deepEqual(await events(owner, limit), all)
})

test('another organization sees its own lines only', async () => {
  const stranger = await otherOrg(hone)
  assert.deepEqual(await events({ 'x-api-key': stranger.secret }), [])
  await createKey(hone, { 'x-api-key': stranger.secret })
  const theirs = await events({ 'x-api-key': stranger.secret })
  assert.deepEqual(
    theirs.map((event) => event.action),
    ['api_key.created'],
  )
  assert.ok(!(await events()).some((event) => event.id === theirs[0]?.id))
})

test('people who reach some workspaces see what happened there and nowhere else', async () => {
  const here = await createWorkspace(hone, 'Reached')
  const inHere = { ...owner, 'x-workspace-id': here }
  const viewer = await addPerson(hone, 'viewer', { workspace_ids: [here] })
  await createKey(hone, owner, { name: 'Out of their sight' })
  await createKey(hone, inHere, { name: 'In their sight' })
  await hone.call('POST', '/api/workspaces', { headers: inHere, body: { name: 'Not for them' } })
  await hone.call('PATCH', '/api/members', {
    headers: inHere,
    body: { user_id: viewer.userId, role: 'viewer' },
  })
  await hone.call('POST', '/api/wallet/top-ups', {
    headers: { ...inHere, 'idempotency-key': 'not for them' },
    body: { amount_usd: '5' },
  })
  const ofOrganization = (await events()).filter((event) => event.workspace_id === here)
  assert.deepEqual(ofOrganization.map((event) => event.action).sort(), [
    'api_key.created',
    'member.updated',
    'wallet.topped_up',
    'workspace.created',
  ])
  const seen = await events(viewer.headers)
  assert.deepEqual(
    seen.map((event) => [event.action, event.workspace_id, event.detail.name]),
    [['api_key.created', here, 'In their sight']],
  )
  const key = await createKey(hone, viewer.headers)
  assert.equal((await events({ 'x-api-key': key.secret })).length, 2)
  const everywhere = await addPerson(hone, 'viewer', { workspace_ids: null })
  assert.deepEqual(await events(everywhere.headers), await events())
  const nowhere = await addPerson(hone, 'member', { workspace_ids: [here] })
  await changeMember(hone, nowhere.userId, { workspace_ids: [] })
  assert.equal((await hone.call('GET', '/api/audit', { headers: nowhere.headers })).status, 404)
})

test('a key with some scopes sees its own workspace only, whoever made it', async () => {
  const here = await createWorkspace(hone, 'Of a key')
  const inHere = { ...owner, 'x-workspace-id': here }
  const narrow = await createKey(hone, inHere, { scopes: ['analytics:read'], name: 'Narrow' })
  await createKey(hone, owner, { name: 'Elsewhere' })
  const seen = await events({ 'x-api-key': narrow.secret })
  assert.deepEqual(
    seen.map((event) => [event.action, event.workspace_id, event.detail.name]),
    [['api_key.created', here, 'Narrow']],
  )
  const whole = await createKey(hone, inHere)
  assert.deepEqual(await events({ 'x-api-key': whole.secret }), await events())
})

test('a change of a password is a line in every organization of the person', async () => {
  const person = await addPerson(hone, 'member')
  const lines = await added(() =>
    hone.call('POST', '/api/auth/password', {
      headers: person.headers,
      body: { current_password: person.password, new_password: 'a password of their own' },
    }),
  )
  assert.deepEqual(
    lines.map((line) => [line.action, line.user_id, line.target_id, line.detail]),
    [['password.changed', person.userId, person.userId, {}]],
  )
})
