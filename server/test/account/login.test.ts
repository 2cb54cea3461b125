// Signing in and out and changing the password, with the limit on bad tries.
import assert from 'node:assert/strict'
import { afterEach, after, before, describe, test } from 'node:test'
import { loginResponse } from '#contract/auth.ts'
import {
  emailCharactersMax,
  loginTriesPerMinute,
  passwordCharactersMax,
  passwordCharactersMin,
} from '#contract/limits.ts'
import { login } from '#server/account/login.ts'
import { hashPassword, passwordFits } from '#server/account/password.ts'
import { Refusal } from '#server/core/refusal.ts'
import { newId } from '#server/lib/id.ts'
import { addPerson, createWorkspace } from '#test/support/accounts.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'

const clock = new ManualClock()
let hone: TestHone

before(async () => {
  hone = await testHone({ clock })
})
// Each test begins with no bad try in the last minute.
afterEach(() => clock.forward(60_001))
after(() => hone.stop())

function signIn(email: string, password: string): Promise<Answer> {
  return hone.call('POST', '/api/auth/login', { body: { email, password } })
}

const wrong = 'not the password'

/** From an address of one's own, which HTTP in a test cannot have. */
async function signInFrom(address: string, email: string, password: string): Promise<string> {
  try {
    await login(hone.app, address, { email, password })
    return 'in'
  } catch (error) {
    assert.ok(error instanceof Refusal)
    return error.code
  }
}

describe('signing in', () => {
  test('answers with a token, the person and what they can reach', async () => {
    const answer = await signIn(hone.owner.email, hone.owner.password)
    assert.equal(answer.status, 200)
    const body = loginResponse.strict().parse(answer.json)
    assert.equal(body.expires_in, 3600)
    assert.equal(body.user.email, hone.owner.email)
    assert.deepEqual(
      body.orgs.map(({ name, role, workspaces }) => [name, role, workspaces.map((w) => w.name)]),
      [['My organization', 'owner', ['Default']]],
    )
    assert.equal(body.access_token.split('.').length, 3)
  })

  test('lists only the workspaces that the person reaches', async () => {
    const id = await createWorkspace(hone, 'Only this')
    const member = await addPerson(hone, 'member', { workspace_ids: [id] })
    const answer = await signIn(member.email, member.password)
    const { orgs } = loginResponse.parse(answer.json)
    assert.deepEqual(orgs[0]?.workspaces, [{ id, name: 'Only this' }])
    const nowhere = await addPerson(hone, 'viewer', { workspace_ids: [] })
    const none = loginResponse.parse((await signIn(nowhere.email, nowhere.password)).json)
    assert.deepEqual(none.orgs[0]?.workspaces, [])
  })

  test('does not mind the case of the address, but that of the password', async () => {
    assert.equal((await signIn('OWNER@Example.COM', hone.owner.password)).status, 200)
    const shouted = hone.owner.password.toUpperCase()
    assert.equal((await signIn(hone.owner.email, shouted)).status, 401)
  })

  test('gives a wrong password and an unknown person the same answer', async () => {
    const known = await signIn(hone.owner.email, wrong)
    const unknown = await signIn('nobody@example.com', wrong)
    const odd = await signIn("' or 1=1 --", wrong)
    const empty = await signIn('', '')
    assert.equal(known.status, 401)
    assert.equal(known.json.error?.code, 'UNAUTHORIZED')
    for (const answer of [unknown, odd, empty]) {
      assert.equal(answer.status, 401)
      assert.equal(answer.text, known.text)
    }
  })

  test('does the same work for a person that is not there', async () => {
    assert.equal(await passwordFits(null, wrong), false)
    assert.equal(await passwordFits(null, 'no account has this password'), false)
    const hash = await hashPassword('a password of somebody')
    assert.equal(await passwordFits(hash, 'a password of somebody'), true)
    assert.equal(await passwordFits(hash, wrong), false)
  })

  test('keeps of a password what is as costly to guess as OWASP asks for', async () => {
    assert.match(await hashPassword('a password'), /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  })

  test('refuses a body that is none', async () => {
    for (const body of [
      {},
      { email: hone.owner.email },
      { password: wrong },
      { email: 1, password: wrong },
      { email: hone.owner.email, password: null },
      { email: hone.owner.email, password: [hone.owner.password] },
      { email: { $ne: null }, password: { $ne: null } },
      { email: 'x'.repeat(emailCharactersMax + 1), password: wrong },
      { email: 'x\0@example.com', password: wrong },
      { email: hone.owner.email, password: 'x'.repeat(passwordCharactersMax + 1) },
      { email: hone.owner.email, password: hone.owner.password, remember: true },
    ]) {
      const answer = await hone.call('POST', '/api/auth/login', { body })
      assert.equal(answer.status, 400, answer.text)
      assert.equal(answer.json.error?.code, 'BAD_REQUEST')
    }
  })
})

describe('bad tries', () => {
  test('ten for one account, then 429 that says when to come back, also with the right password', async () => {
    for (let i = 0; i < loginTriesPerMinute; i++) {
      assert.equal((await signIn(hone.owner.email, wrong)).status, 401)
    }
    for (const password of [wrong, hone.owner.password]) {
      const answer = await signIn(hone.owner.email, password)
      assert.equal(answer.status, 429)
      assert.equal(answer.json.error?.code, 'RATE_LIMITED')
      const seconds = Number(answer.headers.get('retry-after'))
      assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60, String(seconds))
      assert.match(answer.json.error?.message ?? '', new RegExp(`wait ${seconds} seconds`))
    }
  })

  test('Retry-After is kept: a moment before is too early, then the door opens', async () => {
    for (let i = 0; i < loginTriesPerMinute; i++) {
      await signIn(hone.owner.email, wrong)
      clock.forward(1000)
    }
    const limited = await signIn(hone.owner.email, hone.owner.password)
    const seconds = Number(limited.headers.get('retry-after'))
    assert.equal(seconds, 50)
    clock.forward(seconds * 1000 - 1)
    assert.equal((await signIn(hone.owner.email, hone.owner.password)).status, 429)
    clock.forward(1)
    assert.equal((await signIn(hone.owner.email, hone.owner.password)).status, 200)
    // One place is free, not ten: the window slides.
    assert.equal((await signIn(hone.owner.email, wrong)).status, 401)
    assert.equal((await signIn(hone.owner.email, wrong)).status, 429)
  })

  test('under a clock that was an hour ahead lock nobody out once it is put right', async () => {
    clock.forward(3_600_000)
    for (let i = 0; i < loginTriesPerMinute; i++) await signIn(hone.owner.email, wrong)
    assert.equal((await signIn(hone.owner.email, hone.owner.password)).status, 429)
    clock.forward(-3_600_000)
    assert.equal((await signIn(hone.owner.email, hone.owner.password)).status, 200)
    // Nor are they in the way of those that follow.
    await hone.app.storage.db.deleteFrom('login_try').execute()
  })

  test('count per address, whichever accounts they name', async () => {
    for (let i = 0; i < loginTriesPerMinute; i++) {
      assert.equal(await signInFrom('192.0.2.1', `guess-${i}@example.com`, wrong), 'UNAUTHORIZED')
    }
    const { email, password } = hone.owner
    assert.equal(await signInFrom('192.0.2.1', email, password), 'RATE_LIMITED')
    assert.equal(await signInFrom('192.0.2.2', email, password), 'in')
  })

  test('count per account, from whichever addresses and in whichever case', async () => {
    const member = await addPerson(hone, 'member')
    for (let i = 0; i < loginTriesPerMinute; i++) {
      const email = i % 2 ? member.email : member.email.toUpperCase()
      assert.equal(await signInFrom(`192.0.2.${i}`, email, wrong), 'UNAUTHORIZED')
    }
    const { email, password } = member
    assert.equal(await signInFrom('198.51.100.1', email, password), 'RATE_LIMITED')
    assert.equal(await signInFrom('198.51.100.1', hone.owner.email, hone.owner.password), 'in')
  })

  test('count per account in every spelling that the database takes for it', async () => {
    const email = 'viking-island@example.com'
    const body = { email, role: 'member', password: 'long enough for a viking' }
    const added = await hone.call('POST', '/api/members', { key: hone.owner.key, body })
    assert.equal(added.status, 201)
    // A capital letter I with a dot is an i there, and two characters in other eyes.
    const spelled = email.replaceAll('i', '\u0130')
    assert.equal(await signInFrom('198.51.100.2', spelled, body.password), 'in')
    for (let i = 0; i < loginTriesPerMinute; i++) {
      assert.equal(await signInFrom(`192.0.2.${i}`, spelled, wrong), 'UNAUTHORIZED')
    }
    assert.equal(await signInFrom('198.51.100.2', email, body.password), 'RATE_LIMITED')
  })

  test('are waited out for the account and for the address, whichever takes longer', async () => {
    const { db } = hone.app.storage
    const { email, password } = hone.owner
    const { id: account } = await db
      .selectFrom('person')
      .select('id')
      .where('email', '=', email)
      .executeTakeFirstOrThrow()
    const tried = (secondsAgo: number, of: object) =>
      Array.from({ length: loginTriesPerMinute }, (_, i) => {
        const created_at = new Date(clock.now().getTime() - secondsAgo * 1000)
        const others = { address: `192.0.2.${i}`, account: `nobody-${i}` }
        return { id: newId(created_at), created_at, ...others, ...of }
      })
    const here = { address: '198.51.100.3' }
    for (const [ofAccount, ofAddress] of [
      [20, 5.5],
      [5.5, 20],
    ] as const) {
      await db.deleteFrom('login_try').execute()
      const tries = [...tried(ofAccount, { account }), ...tried(ofAddress, here)]
      await db.insertInto('login_try').values(tries).execute()
      await assert.rejects(login(hone.app, here.address, { email, password }), (error) => {
        assert.ok(error instanceof Refusal)
        assert.equal(error.detail.retryAfterSeconds, 55)
        return true
      })
    }
  })

  test('forty at once let at most ten through', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => signIn(hone.owner.email, wrong)),
    )
    const count = (status: number): number =>
      answers.filter((answer) => answer.status === status).length
    assert.equal(count(401), loginTriesPerMinute)
    assert.equal(count(429), 40 - loginTriesPerMinute)
  })

  test('good ones do not count', async () => {
    for (let i = 0; i < 2 * loginTriesPerMinute; i++) {
      assert.equal((await signIn(hone.owner.email, hone.owner.password)).status, 200)
    }
    for (let i = 0; i < loginTriesPerMinute; i++) {
      assert.equal((await signIn(hone.owner.email, wrong)).status, 401)
    }
    assert.equal((await signIn(hone.owner.email, wrong)).status, 429)
  })

  test('of a refused form do not count', async () => {
    for (let i = 0; i < 2 * loginTriesPerMinute; i++) {
      await hone.call('POST', '/api/auth/login', { body: { email: hone.owner.email } })
    }
    assert.equal((await signIn(hone.owner.email, hone.owner.password)).status, 200)
  })
})

describe('a session', () => {
  const status = async (headers: Record<string, string>): Promise<number> =>
    (await hone.call('GET', '/api/workspaces', { headers })).status
  const logout = (headers: Record<string, string>): Promise<Answer> =>
    hone.call('POST', '/api/auth/logout', { headers })

  test('ends with logout, and no other one does', async () => {
    const { email, password } = hone.owner
    const [here, there] = [await hone.login(email, password), await hone.login(email, password)]
    assert.equal(await status(here), 200)
    const answer = await logout(here)
    assert.equal(answer.status, 204)
    assert.equal(answer.text, '')
    assert.equal(await status(here), 401)
    assert.equal((await logout(here)).status, 401)
    assert.equal(await status(there), 200)
  })

  test('ends after its hour', async () => {
    const headers = await hone.login(hone.owner.email, hone.owner.password)
    clock.forward(3_599_000)
    assert.equal(await status(headers), 200)
    clock.forward(1000)
    assert.equal(await status(headers), 401)
  })

  test('changes the password, which ends the other sessions and not this one', async () => {
    const person = await addPerson(hone, 'member')
    const other = await hone.login(person.email, person.password)
    const bystander = await hone.login(hone.owner.email, hone.owner.password)
    assert.equal(await status(other), 200)
    const answer = await hone.call('POST', '/api/auth/password', {
      headers: person.headers,
      body: { current_password: person.password, new_password: 'a new password' },
    })
    assert.equal(answer.status, 204)
    assert.equal(await status(person.headers), 200)
    assert.equal(await status(other), 401)
    assert.equal(await status(bystander), 200)
    assert.equal((await signIn(person.email, person.password)).status, 401)
    assert.equal((await signIn(person.email, 'a new password')).status, 200)
  })

  test('changes the password once, when two changes of the same one come at once', async () => {
    const person = await addPerson(hone, 'member')
    const other = await hone.login(person.email, person.password)
    const change = async (headers: Record<string, string>, new_password: string): Promise<number> =>
      (
        await hone.call('POST', '/api/auth/password', {
          headers,
          body: { current_password: person.password, new_password },
        })
      ).status
    const chosen = ['the first new password', 'the second new password'] as const
    const statuses = await Promise.all([
      change(person.headers, chosen[0]),
      change(other, chosen[1]),
    ])
    assert.deepEqual(statuses.toSorted(), [204, 401])
    const won = statuses.indexOf(204)
    assert.equal((await signIn(person.email, chosen[won] ?? '')).status, 200)
    assert.equal((await signIn(person.email, chosen[1 - won] ?? '')).status, 401)
  })

  test('does not change the password without the old one, ten times a minute', async () => {
    const person = await addPerson(hone, 'member')
    const change = (): Promise<Answer> =>
      hone.call('POST', '/api/auth/password', {
        headers: person.headers,
        body: { current_password: wrong, new_password: 'a new password' },
      })
    for (let i = 0; i < loginTriesPerMinute; i++) assert.equal((await change()).status, 401)
    const limited = await change()
    assert.equal(limited.status, 429)
    assert.ok(Number(limited.headers.get('retry-after')) >= 1)
    clock.forward(60_001)
    assert.equal((await signIn(person.email, person.password)).status, 200)
  })

  test('takes a new password between its limits only', async () => {
    const person = await addPerson(hone, 'member')
    let current_password = person.password
    for (const [length, expected] of [
      [passwordCharactersMin - 1, 400],
      [passwordCharactersMax + 1, 400],
      [passwordCharactersMin, 204],
      [passwordCharactersMax, 204],
    ] as const) {
      const new_password = 'é'.repeat(length)
      const answer = await hone.call('POST', '/api/auth/password', {
        headers: person.headers,
        body: { current_password, new_password },
      })
      assert.equal(answer.status, expected, answer.text)
      if (expected === 204) current_password = new_password
    }
    assert.equal((await signIn(person.email, current_password)).status, 200)
  })
})
