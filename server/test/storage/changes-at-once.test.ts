// Changes of accounts that meet: another connection holds the rows that an answer waits for and changes something meanwhile,
// and what then is answered and written down must take that into account.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import type { AuditEvent } from '#contract/audit.ts'
import { hashPassword } from '#server/account/password.ts'
import { addPerson, createWorkspace } from '#test/support/accounts.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'

let hone: TestHone
before(async () => (hone = await testHone()))
after(() => hone.stop())

/** Answers that are asked for while `lock` is held; `meanwhile` happens once they wait for it, or are through without. */
async function whileLocked(
  lock: string,
  ask: () => Promise<Answer>[],
  meanwhile: { text: string; values: unknown[] }[],
): Promise<Answer[]> {
  const client = new pg.Client({ connectionString: hone.databaseUrl })
  await client.connect()
  try {
    await client.query('begin')
    await client.query(lock)
    let settled = 0
    const answers = ask()
    for (const answer of answers) void answer.finally(() => (settled += 1))
    await until(async () => (await waiting()) + settled >= answers.length)
    for (const change of meanwhile) await client.query(change)
    await client.query('commit')
    return await Promise.all(answers)
  } finally {
    await client.end()
  }
}

async function waiting(): Promise<number> {
  const [row] = await inDatabase(
    hone.databaseUrl,
    `select count(*)::int as n from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return Number(row?.n)
}

const owners = `select 1 from member where role = 'owner' for update`

function patch(body: object): Promise<Answer> {
  return hone.call('PATCH', '/api/members', { key: hone.owner.key, body })
}

function remove(userId: string): Promise<Answer> {
  const body = { user_id: userId }
  return hone.call('DELETE', '/api/members', { key: hone.owner.key, body })
}

async function linesAbout(userId: string, action: string): Promise<number> {
  const answer = await hone.call('GET', '/api/audit?limit=200', { key: hone.owner.key })
  const { audit_events } = answer.json as unknown as { audit_events: AuditEvent[] }
  return audit_events.filter((line) => line.target_id === userId && line.action === action).length
}

test('a change of workspaces does not undo a change of the role', async () => {
  const { userId } = await addPerson(hone, 'admin')
  const workspaceId = await createWorkspace(hone, 'Given')
  const [answer] = await whileLocked(
    owners,
    () => [patch({ user_id: userId, workspace_ids: [workspaceId] })],
    [{ text: `update member set role = 'viewer' where user_id = $1`, values: [userId] }],
  )
  assert.equal(answer?.status, 200)
  const { member } = answer.json as unknown as { member: { role: string; workspace_ids: string[] } }
  assert.deepEqual([member.role, member.workspace_ids], ['viewer', [workspaceId]])
})

test('of two that remove a person, one finds them gone, and it is written down once', async () => {
  const { userId } = await addPerson(hone, 'member')
  const answers = await whileLocked(owners, () => [remove(userId), remove(userId)], [])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 404])
  assert.equal(await linesAbout(userId, 'member.removed'), 1)
})

test('a person who is removed meanwhile is not changed, and gets no workspace', async () => {
  const { userId } = await addPerson(hone, 'member')
  const workspaceId = await createWorkspace(hone, 'For nobody')
  const [answer] = await whileLocked(
    owners,
    () => [patch({ user_id: userId, workspace_ids: [workspaceId] })],
    [
      { text: 'delete from workspace_member where user_id = $1', values: [userId] },
      { text: 'delete from member where user_id = $1', values: [userId] },
    ],
  )
  assert.equal(answer?.status, 404)
  assert.equal(await linesAbout(userId, 'member.updated'), 0)
  const left = `select 1 from workspace_member where user_id = '${userId}'`
  assert.deepEqual(await inDatabase(hone.databaseUrl, left), [])
})

test('a password that is changed meanwhile opens no session any more', async () => {
  const { userId, email, password } = await addPerson(hone, 'member')
  const sessions = `select id from session where user_id = '${userId}'`
  const opened = await inDatabase(hone.databaseUrl, sessions)
  const [answer] = await whileLocked(
    `select 1 from person where id = '${userId}' for update`,
    () => [hone.call('POST', '/api/auth/login', { body: { email, password } })],
    [
      {
        text: 'update person set password_hash = $2 where id = $1',
        values: [userId, await hashPassword('another password')],
      },
    ],
  )
  assert.equal(answer?.status, 401)
  assert.deepEqual(await inDatabase(hone.databaseUrl, sessions), opened)
})
