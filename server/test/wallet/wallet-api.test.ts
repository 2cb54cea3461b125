// The wallet over HTTP: what it shows, its ledger in pages, and top-ups that add funds once.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { idempotencyKeyCharactersMax } from '#contract/limits.ts'
import { roles } from '#contract/scopes.ts'
import { type Transaction, transaction, wallet } from '#contract/wallet.ts'
import { noUsage } from '#server/core/usage.ts'
import { newId } from '#server/lib/id.ts'
import { parseUsd } from '#server/lib/money.ts'
import { priceCard } from '#server/wallet/charge.ts'
import { chargeReservation, reserveFunds } from '#server/wallet/reserve.ts'
import { addPerson, createKey, otherOrg } from '#test/support/accounts.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'

let hone: TestHone
let owner: Record<string, string>
let keys = 0

before(async () => {
  hone = await testHone()
  owner = await hone.login(hone.owner.email, hone.owner.password)
})
after(() => hone.stop())

function topUp(
  amount_usd: unknown,
  idempotencyKey: string | null = `key ${++keys}`,
  headers = owner,
): Promise<Answer> {
  const header = idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey }
  return hone.call('POST', '/api/wallet/top-ups', {
    headers: { ...headers, ...header },
    body: { amount_usd },
  })
}

async function balance(): Promise<bigint> {
  const answer = await hone.call('GET', '/api/wallet', { headers: owner })
  const picodollars = parseUsd(wallet.strict().parse(answer.json).balance_usd, 12)
  assert.ok(picodollars !== null)
  return picodollars
}

async function entries(): Promise<Transaction[]> {
  const all: Transaction[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const path = `/api/wallet/transactions?limit=7${cursor && `&cursor=${cursor}`}`
    const answer = await hone.call('GET', path, { headers: owner })
    assert.equal(answer.status, 200, answer.text)
    const page = answer.json as unknown as {
      transactions: Transaction[]
      next_cursor: string | null
    }
    all.push(...page.transactions.map((entry) => transaction.strict().parse(entry)))
    cursor = page.next_cursor
  }
  return all
}

const usd = 1_000_000_000_000n

test('a new wallet holds 100 USD, by one entry', async () => {
  const answer = await hone.call('GET', '/api/wallet', { key: hone.owner.key })
  assert.deepEqual(answer.json, { balance_usd: '100', held_usd: '0' })
  const [first, ...rest] = await entries()
  assert.deepEqual(rest, [])
  assert.equal(first?.kind, 'grant')
  assert.equal(first?.amount_usd, '100')
})

test('what an attempt reserves is held, and what it is charged is an entry of its own kind', async () => {
  const workspaceId = owner['x-workspace-id'] ?? ''
  const of = { purpose: 'training', reference: newId(new Date()) } as const
  const held = async () => {
    const { json } = await hone.call('GET', '/api/wallet', { headers: owner })
    return wallet.strict().parse(json).held_usd
  }
  const before = await balance()
  const funds = { orgId: owner['x-org-id'] ?? '', workspaceId, ...of, amount: 24n * (usd / 10n) }
  assert.equal(await reserveFunds(hone.app, funds), 'reserved')
  assert.deepEqual([await held(), await balance()], ['2.4', before])
  const detail = { attempt_id: of.reference, rule_id: newId(new Date()), seconds: 3600 }
  await chargeReservation(hone.app, { ...of, amount: usd, detail })
  assert.deepEqual([await held(), await balance()], ['0', before - usd])
  const [entry] = await entries()
  assert.partialDeepStrictEqual(entry, {
    kind: 'training',
    amount_usd: '-1',
    workspace_id: workspaceId,
    key_id: null,
    request_id: null,
    detail,
  })
})

describe('a top-up', () => {
  for (const [amount, shown] of [
    ['0.01', '0.01'],
    ['5', '5'],
    ['12.345678', '12.345678'],
    ['0.100000', '0.1'],
    ['007', '7'],
    ['1000000', '1000000'],
    [0.01, '0.01'],
    [25, '25'],
    [19.99, '19.99'],
    [0.123456, '0.123456'],
    [1000000, '1000000'],
  ] as const) {
    test(`of ${JSON.stringify(amount)} adds exactly that`, async () => {
      const before = await balance()
      const answer = await topUp(amount)
      assert.equal(answer.status, 201, answer.text)
      const body = answer.json as unknown as { transaction: Transaction; balance_usd: string }
      assert.equal(body.transaction.amount_usd, shown)
      assert.equal(body.transaction.kind, 'top_up')
      assert.equal(body.transaction.workspace_id, owner['x-workspace-id'])
      assert.equal(body.transaction.request_id, null)
      assert.equal(await balance(), before + (parseUsd(shown, 6) ?? 0n))
      assert.equal(parseUsd(body.balance_usd, 12), await balance())
      assert.deepEqual((await entries())[0], body.transaction)
    })
  }

  test('of anything else is a 400 that names the limits, and adds nothing', async () => {
    const before = await balance()
    for (const amount of [
      ...['0', '0.00', '0.009999', '-1', '-0.01', '1000000.000001', '1000001', '1e3', '1e-2'],
      ...[
        '0.1234567',
        '1.0000000',
        '',
        ' ',
        ' 5',
        '5 ',
        '+5',
        '.5',
        '5.',
        '1,000',
        '1_000',
        '0x10',
      ],
      ...[
        '٥',
        '５',
        'five',
        'NaN',
        'Infinity',
        '$5',
        '5 USD',
        '99999999999999999999',
        '5\n',
        '5\0',
      ],
      ...[0, -1, 0.001, 0.1 + 0.2, 1e6 + 0.1, 1e21, 1e-7, 1000001],
    ]) {
      const answer = await topUp(amount)
      assert.equal(answer.status, 400, `${JSON.stringify(amount)}: ${answer.text}`)
      assert.equal(answer.json.error?.code, 'BAD_REQUEST')
      assert.match(answer.json.error?.message ?? '', /amount_usd .*0\.01 to 1000000/)
    }
    for (const amount of [null, true, [], ['5'], {}, { amount: 5 }, undefined]) {
      const answer = await topUp(amount)
      assert.equal(answer.status, 400, `${JSON.stringify(amount)}: ${answer.text}`)
      assert.match(answer.json.error?.message ?? '', /amount_usd/)
    }
    assert.equal(await balance(), before)
  })

  test('without a usable Idempotency-Key is a 400 that names the header', async () => {
    for (const key of [null, '', 'x'.repeat(idempotencyKeyCharactersMax + 1)]) {
      const answer = await topUp('5', key)
      assert.equal(answer.status, 400, answer.text)
      assert.match(answer.json.error?.message ?? '', /idempotency-key/i)
    }
    assert.equal((await topUp('5', 'x'.repeat(idempotencyKeyCharactersMax))).status, 201)
  })

  test('with an unknown field is a 400 that names it', async () => {
    const answer = await hone.call('POST', '/api/wallet/top-ups', {
      headers: { ...owner, 'idempotency-key': 'with currency' },
      body: { amount_usd: '5', currency: 'eur' },
    })
    assert.equal(answer.status, 400)
    assert.match(answer.json.error?.message ?? '', /Unknown field in the body: currency/)
  })

  test('repeated with its key is one entry and the same answer', async () => {
    const before = await balance()
    const first = await topUp('3.5', 'repeated')
    for (const same of ['3.5', '3.500', 3.5]) {
      const again = await topUp(same, 'repeated')
      assert.equal(again.status, 201)
      assert.equal(again.text, first.text)
    }
    assert.equal(await balance(), before + (7n * usd) / 2n)
  })

  test('repeated with its key and another amount is 409, and adds nothing', async () => {
    await topUp('4', 'reused')
    const before = await balance()
    const answer = await topUp('5', 'reused')
    assert.equal(answer.status, 409)
    assert.equal(answer.json.error?.code, 'IDEMPOTENCY_KEY_REUSED')
    assert.match(answer.json.error?.message ?? '', /added 4 USD before/)
    assert.equal(await balance(), before)
  })

  test('repeated twenty times at once is one entry', async () => {
    const before = await balance()
    const answers = await Promise.all(Array.from({ length: 20 }, () => topUp('2', 'at once')))
    const ids = answers.map((answer) => {
      assert.equal(answer.status, 201, answer.text)
      return (answer.json as unknown as { transaction: Transaction }).transaction.id
    })
    assert.equal(new Set(ids).size, 1)
    assert.equal(await balance(), before + 2n * usd)
    const audit = await hone.call('GET', '/api/audit?limit=200', { headers: owner })
    const { audit_events } = audit.json as unknown as {
      audit_events: { action: string; detail: { amount_usd: string } }[]
    }
    const noted = audit_events.filter(
      ({ action, detail }) => action === 'wallet.topped_up' && detail.amount_usd === '2',
    )
    assert.equal(noted.length, 1, 'and one line in the audit log')
  })

  test('names the workspace it was made in and the key it was made with, if any', async () => {
    const byKey = { 'x-api-key': hone.owner.key }
    const { json } = await hone.call('GET', '/api/api-keys/introspect', { headers: byKey })
    const { key_id, workspace } = json as unknown as { key_id: string; workspace: { id: string } }
    for (const [headers, key] of [
      [byKey, key_id],
      [owner, null],
    ] as const) {
      const answer = await topUp('3', undefined, headers)
      assert.equal(answer.status, 201, answer.text)
      const { transaction: made } = answer.json as unknown as { transaction: Transaction }
      assert.deepEqual([made.key_id, made.workspace_id], [key, workspace.id])
    }
  })

  test('twenty at once under keys of their own are twenty', async () => {
    const before = await balance()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => topUp('0.000001'.replace('0.', '1.'), `own ${i}`)),
    )
    for (const answer of answers) assert.equal(answer.status, 201)
    assert.equal(await balance(), before + 20n * (usd + 1_000_000n))
  })

  test('takes any key a client may choose, also the words of our own entries', async () => {
    for (const key of ['first start', "' or 1=1 --", '0', 'null', '..//%00', 'é']) {
      const before = await balance()
      const answer = await topUp('100', key)
      assert.equal(answer.status, 201, `${key}: ${answer.text}`)
      const { transaction: made } = answer.json as unknown as { transaction: Transaction }
      assert.equal(made.kind, 'top_up')
      assert.equal(await balance(), before + 100n * usd)
    }
  })

  test('under the key of another organization is its own', async () => {
    const stranger = await otherOrg(hone)
    await topUp('6', 'shared word')
    const before = await balance()
    const theirs = await topUp('7', 'shared word', { 'x-api-key': stranger.secret })
    assert.equal(theirs.status, 201)
    assert.equal((theirs.json as unknown as { balance_usd: string }).balance_usd, '7')
    assert.equal(await balance(), before)
  })
})

describe('the ledger', () => {
  test('adds up to the balance and ends with its first entry', async () => {
    const all = await entries()
    const sum = all.reduce((total, entry) => total + (parseUsd(entry.amount_usd, 12) ?? 0n), 0n)
    assert.equal(sum, await balance())
    assert.equal(new Set(all.map((entry) => entry.id)).size, all.length)
    assert.equal(all.at(-1)?.kind, 'grant')
  })

  test('D8: is in the order in which it was written, whatever the clock said', async (t) => {
    const clock = new ManualClock()
    const own = await testHone({ clock })
    t.after(() => own.stop())
    const { key } = own.owner
    const amounts = ['1', '2', '3', '4']
    for (const [at, amount_usd] of amounts.entries()) {
      clock.forward([0, -600_000, -3_600_000, 60_000][at] ?? 0)
      const headers = { 'idempotency-key': amount_usd }
      const body = { amount_usd }
      const answer = await own.call('POST', '/api/wallet/top-ups', { key, headers, body })
      assert.equal(answer.status, 201, answer.text)
    }
    const listed: string[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const path = `/api/wallet/transactions?limit=2${cursor && `&cursor=${cursor}`}`
      const { json } = await own.call('GET', path, { key })
      const page = json as unknown as { transactions: Transaction[]; next_cursor: string | null }
      listed.push(...page.transactions.map((entry) => entry.amount_usd))
      cursor = page.next_cursor
    }
    assert.deepEqual(listed, [...amounts.toReversed(), '100'])
  })

  test('goes on where the page ended, though new entries arrive meanwhile', async () => {
    const page = async (query: string): Promise<{ ids: string[]; next: string | null }> => {
      const answer = await hone.call('GET', `/api/wallet/transactions?${query}`, { headers: owner })
      const { transactions, next_cursor } = answer.json as unknown as {
        transactions: Transaction[]
        next_cursor: string | null
      }
      return { ids: transactions.map(({ id }) => id), next: next_cursor }
    }
    const all = (await entries()).map(({ id }) => id)
    const first = await page('limit=3')
    await topUp('1')
    const second = await page(`limit=3&cursor=${first.next}`)
    assert.deepEqual([...first.ids, ...second.ids], all.slice(0, 6))
  })

  test('refuses a cursor it did not give out', async () => {
    const encode = (text: string): string => Buffer.from(text).toString('base64url')
    const within = ['x', '-1', '1.5', '9'.repeat(19)].map((seq) => encode(`transactions:${seq}`))
    for (const cursor of ['x', encode('1'), encode('members:1'), ...within]) {
      const path = `/api/wallet/transactions?cursor=${cursor}`
      const answer = await hone.call('GET', path, { headers: owner })
      assert.equal(answer.status, 400, answer.text)
    }
  })
})

describe('who may', () => {
  for (const role of roles) {
    const reads = ['owner', 'admin', 'billing'].includes(role)
    const pays = ['owner', 'billing'].includes(role)
    test(`a ${role} may ${reads ? '' : 'not '}look and may ${pays ? '' : 'not '}top up`, async () => {
      const person = await addPerson(hone, role)
      const { secret } = await createKey(hone, person.headers)
      for (const headers of [person.headers, { 'x-api-key': secret }]) {
        for (const path of ['/api/wallet', '/api/wallet/transactions']) {
          assert.equal((await hone.call('GET', path, { headers })).status, reads ? 200 : 403)
        }
        const answer = await topUp('1', `of a ${role} ${++keys}`, headers)
        assert.equal(answer.status, pays ? 201 : 403, answer.text)
      }
    })
  }

  test('a key that reads the wallet cannot fill it', async () => {
    const { secret } = await createKey(hone, owner, { scopes: ['billing:read'] })
    assert.equal((await hone.call('GET', '/api/wallet', { key: secret })).status, 200)
    const answer = await topUp('1', 'of a key', { 'x-api-key': secret })
    assert.equal(answer.status, 403)
    assert.match(answer.json.error?.message ?? '', /only when it holds every scope/)
  })
})

test('a key sees what calls of other workspaces cost, and not the ids their clients chose', async () => {
  const { app } = hone
  const [{ org_id: walletId, id: own } = { org_id: '', id: '' }] = await app.storage.db
    .selectFrom('workspace')
    .select(['org_id', 'id'])
    .orderBy('id')
    .limit(1)
    .execute()
  for (const workspaceId of [own, newId(app.clock.now())]) {
    const requestId = newId(app.clock.now())
    const asked = { walletId, workspaceId, keyId: null, requestId, amount: 5n }
    const hold = await app.money.wallets.hold(asked)
    await hold.post(3n, {
      ...{ model: 'm', route: 'm #1', clientRequestId: 'order 4711', usage: noUsage },
      ...{ card: priceCard({ input: '0.000001' }), latencyMs: 1, firstTokenMs: 1 },
    })
    for (const [who, shown] of [
      [{ key: hone.owner.key }, workspaceId === own ? 'order 4711' : null],
      [{ headers: owner }, 'order 4711'],
    ] as const) {
      const { json } = await hone.call('GET', '/api/wallet/transactions?limit=1', who)
      const [entry] = json.transactions as unknown as Transaction[]
      assert.deepEqual([entry?.request_id, entry?.amount_usd], [requestId, '-0.000000000003'])
      assert.equal(entry?.detail.client_request_id, shown)
      assert.equal(entry.detail.model, 'm')
    }
  }
})
