// `reset-password`, the operator's way back in: beside a running server, alone, and on a database elsewhere.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { loginTriesPerMinute } from '#contract/limits.ts'
import { migrate } from '#server/storage/migrate.ts'
import { addPerson } from '#test/support/accounts.ts'
import {
  chosenOwner,
  honeFolder,
  honeProcess,
  isQuiet,
  ownerEnv,
  preparedFolder,
} from '#test/support/hone-process.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { emptyDatabase } from '#test/support/test-database.ts'
import { callHttp, testHone } from '#test/support/test-hone.ts'

type Said = { code: number | null; stdout: string; stderr: string }

async function reset(
  dataDir: string,
  rest: string[],
  env: Record<string, string> = {},
): Promise<Said> {
  const command = honeProcess({ dataDir, env, command: ['reset-password', ...rest] })
  const { code } = await command.ended
  assert.ok(isQuiet(command))
  assert.doesNotMatch(command.stderr, /\n\s+at |\w+Error/)
  return { code, stdout: command.stdout, stderr: command.stderr }
}

function passwordIn({ code, stdout, stderr }: Said, email: string): string {
  assert.equal(code, 0, stderr)
  const said = /^The password of (\S+) is now (\S+) and their sessions have ended; /.exec(stdout)
  assert.equal(said?.[1], email)
  return said?.[2] ?? ''
}

async function signIn(url: string, email: string, password: string): Promise<number> {
  return (await callHttp(url, 'POST', '/api/auth/login', { body: { email, password } })).status
}

async function refused(said: Promise<Said>, sentence: string): Promise<void> {
  assert.deepEqual(await said, { code: 1, stdout: '', stderr: `${sentence}\n` })
}

test('beside a running server the new password works at once, and what was before does not', async (t) => {
  const url = (await emptyDatabase()).url
  const hone = await testHone({ databaseUrl: url, clock: new ManualClock() })
  t.after(() => hone.stop())
  const person = await addPerson(hone, 'member')
  const keep = await hone.login(hone.owner.email, hone.owner.password)
  const status = async (headers: Record<string, string>): Promise<number> =>
    (await hone.call('GET', '/api/workspaces', { headers })).status
  assert.deepEqual([await status(person.headers), await status(keep)], [200, 200])
  // Who has forgotten a password has tried.
  for (let i = 0; i < loginTriesPerMinute; i++) await signIn(hone.url, person.email, 'forgotten')
  assert.equal(await signIn(hone.url, person.email, person.password), 429)

  const said = await reset(honeFolder(), [person.email.toUpperCase()], { DATABASE_URL: url })
  const password = passwordIn(said, person.email)
  assert.equal(await signIn(hone.url, person.email, password), 200)
  assert.equal(await signIn(hone.url, person.email, person.password), 401)
  assert.equal(await signIn(hone.url, hone.owner.email, hone.owner.password), 200, 'nobody else’s')
  assert.deepEqual([await status(person.headers), await status(keep)], [401, 200])
  const audit = await hone.call('GET', '/api/audit', { key: hone.owner.key })
  const { audit_events } = audit.json as unknown as { audit_events: Record<string, unknown>[] }
  const event = audit_events.find(({ action }) => action === 'password.reset')
  assert.deepEqual([event?.target_id, event?.user_id, event?.key_id], [person.userId, null, null])
  assert.ok(!audit.text.includes(password))
})

test('on a data folder it works beside its server and alone, and ends the database it started', async () => {
  const dataDir = await preparedFolder()
  const { email } = chosenOwner
  const alone = passwordIn(await reset(dataDir, [email]), email)
  assert.ok(!existsSync(join(dataDir, 'database-url')))
  const hone = honeProcess({ dataDir })
  const url = await hone.listening()
  assert.equal(await signIn(url, email, chosenOwner.password), 401)
  assert.equal(await signIn(url, email, alone), 200)

  const command = honeProcess({ dataDir, command: ['reset-password', email] })
  assert.equal((await command.ended).code, 0, command.stderr)
  const beside = / is now (\S+) /.exec(command.stdout)?.[1] ?? ''
  assert.equal(await signIn(url, email, alone), 401)
  assert.equal(await signIn(url, email, beside), 200)
  assert.ok(!(hone.stdout + hone.stderr).includes(beside))
  hone.kill('SIGTERM')
  assert.equal((await hone.ended).code, 0)
})

test('somebody who is not there is told so, with who is there, and nothing changes', async (t) => {
  const url = (await emptyDatabase()).url
  const hone = await testHone({ databaseUrl: url })
  t.after(() => hone.stop())
  const env = { DATABASE_URL: url }
  const people = `select p.*, (select count(*) from session) as sessions,
    (select count(*) from audit_event) as events from person p order by email`
  const before = await inDatabase(url, people)
  await refused(
    reset(honeFolder(), ['nobody@example.com'], env),
    `Nobody has the e-mail nobody@example.com; the known ones are ${hone.owner.email}.`,
  )
  assert.deepEqual(await inDatabase(url, people), before)
  await inDatabase(
    url,
    `insert into person values (gen_random_uuid(), E'a\\x1b[31m@example.com', 'A', 'x', now());
     insert into person select gen_random_uuid(), 'p' || n || '@example.com', 'P', 'x', now()
       from generate_series(1, 30) n`,
  )
  const { stderr } = await reset(honeFolder(), ['nobody@example.com'], env)
  assert.match(
    stderr,
    /; the known ones are a\ufffd\[31m@example\.com, owner@example\.com, p\d+@example\.com, .* and 12 more\.\n$/,
  )
})

test('without a person, a database or accounts one sentence says what is missing', async () => {
  const dataDir = join(honeFolder(), 'data')
  const usage =
    'reset-password takes the e-mail of a person, as in: npm run hone -- reset-password owner@example.com'
  for (const rest of [[], [' '], ['a@example.com', 'b@example.com']]) {
    await refused(reset(dataDir, rest), usage)
  }
  await refused(
    reset(dataDir, ['a@example.com']),
    `There is no database in ${dataDir}; set HONE_DATA_DIR to the data folder of the Hone you mean, or DATABASE_URL.`,
  )
  assert.ok(!existsSync(dataDir))
  const url = (await emptyDatabase()).url
  const env = { DATABASE_URL: url }
  const none = 'This database has no accounts yet; start Hone on it first.'
  await refused(reset(dataDir, ['a@example.com'], env), none)
  await migrate(url)
  await refused(reset(dataDir, ['a@example.com'], env), none)
  const wrong = new URL(url)
  wrong.pathname = '/no_such_database'
  const { code, stderr } = await reset(dataDir, ['a@example.com'], { DATABASE_URL: wrong.href })
  assert.equal(code, 1)
  assert.match(stderr, /^Cannot reach the database \(.*no_such_database.*\); check DATABASE_URL/)
})

test('a database that takes no changes is told in one sentence, and the old password stays', async () => {
  const url = (await emptyDatabase()).url
  const env = { DATABASE_URL: url }
  const hone = honeProcess({ dataDir: honeFolder(), env: { ...env, ...ownerEnv } })
  const address = await hone.listening()
  const name = new URL(url).pathname.slice(1)
  await inDatabase(url, `alter database ${name} set default_transaction_read_only = on`)
  const { code, stderr } = await reset(honeFolder(), [chosenOwner.email], env)
  assert.equal(code, 1)
  assert.match(stderr, /^The database is read-only \(.*\); try again when it accepts changes\.\n$/)
  await inDatabase(
    url,
    `begin read write; alter database ${name} reset default_transaction_read_only; commit`,
  )
  assert.equal(await signIn(address, chosenOwner.email, chosenOwner.password), 200)
  hone.kill('SIGTERM')
  await hone.ended
})
