// Charges that are written down before the ledger has them: what of them is found again, which files go, and what happens when
// the disk takes nothing.
import assert from 'node:assert/strict'
import fs, { appendFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { statSync, symlinkSync, utimesSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { pino } from 'pino'
import { insertOrg } from '#server/account/account-store.ts'
import { newId } from '#server/lib/id.ts'
import { StartupProblem } from '#server/lib/startup-problem.ts'
import { StorageUnavailable } from '#server/storage/storage-unavailable.ts'
import type { Charge } from '#server/wallet/charge.ts'
import { ChargeJournal, type Page, readLeftPages } from '#server/wallet/charge-journal.ts'
import { chargeLeftPages } from '#server/wallet/charge-left-pages.ts'
import { insertWallet } from '#server/wallet/wallet-store.ts'
import { chargedCall, request, type WalletRig, walletRig } from '#test/support/wallet-rig.ts'
import { until } from '#test/support/until.ts'

const folders: string[] = []
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hone-journal-'))
  folders.push(folder)
  return folder
}

function charge(given: Partial<Charge> = {}): Charge {
  const { walletId, workspaceId, keyId, requestId } = request(newId(new Date()), 1n)
  const leaseId = newId(new Date())
  return {
    walletId,
    workspaceId,
    keyId,
    requestId,
    leaseId,
    amount: 123n,
    call: chargedCall,
    ...given,
  }
}

function openJournal(folder: string): {
  journal: ChargeJournal
  pages: Page[]
  failures: unknown[]
  /** Resolves when the charge had its turn to be written down. */
  write: (one: Charge) => Promise<void>
} {
  const pages: Page[] = []
  const failures: unknown[] = []
  const report = { failed: (error: unknown) => void failures.push(error) }
  const journal = new ChargeJournal(folder, newId(new Date()), report, () => {})
  return {
    journal,
    pages,
    failures,
    async write(one) {
      journal.append(one, (page) => pages.push(page))
      await nextTurn()
      await nextTurn()
    },
  }
}

const found = async (folder: string): Promise<Charge[]> =>
  (await readLeftPages(folder)).flatMap(({ charges }) => charges)

describe('what was written down', () => {
  test('is found again as it was, and only its owner can read the file', async () => {
    const folder = newFolder()
    const { write } = openJournal(folder)
    const charges = [charge(), charge({ keyId: null, amount: 10n ** 30n })]
    for (const one of charges) await write(one)
    assert.deepEqual(await found(folder), charges)
    for (const name of readdirSync(folder)) {
      assert.equal(statSync(join(folder, name)).mode & 0o077, 0)
    }
  })

  test('is found without a line that was cut off, and with those behind it', async () => {
    const folder = newFolder()
    const { write } = openJournal(folder)
    const [first, second] = [charge(), charge()]
    await write(first)
    const [name = ''] = readdirSync(folder).filter((file) => statSync(join(folder, file)).size > 0)
    appendFileSync(join(folder, name), '{"walletId":"cut o')
    assert.deepEqual(await found(folder), [first])
    appendFileSync(join(folder, name), '\n')
    await write(second)
    assert.deepEqual(await found(folder), [first, second])
  })

  test('is given up page by page once the ledger has it, so that the folder does not grow', async () => {
    const folder = newFolder()
    const { journal, write, pages } = openJournal(folder)
    const calls = 5000
    let settled = 0
    for (let n = 0; n < calls; n++) {
      await write(charge())
      // The ledger is always some behind.
      if (n >= 100) journal.settled(pages[settled++] as Page)
    }
    const bytes = readdirSync(folder).reduce(
      (sum, name) => sum + statSync(join(folder, name)).size,
      0,
    )
    assert.ok(bytes < 1024 * 1024, `${bytes} bytes`)
    assert.equal(new Set(pages).size, 2)
    // None of those that the ledger lacks is gone.
    assert.ok((await found(folder)).length >= calls - settled)
  })

  test('leaves no file when the ledger has all of it, and stays when it has not', async () => {
    const [done, left] = [newFolder(), newFolder()]
    const full = openJournal(done)
    await full.write(charge())
    full.journal.settled(full.pages[0] as Page)
    full.journal.close()
    assert.deepEqual(readdirSync(done), [])
    const lacking = openJournal(left)
    const one = charge()
    await lacking.write(one)
    lacking.journal.close()
    assert.deepEqual(await found(left), [one])
  })
})

test('a disk that takes nothing is reported once, and what comes when it does again is found', async (t) => {
  const folder = newFolder()
  const { write, pages, failures } = openJournal(folder)
  const [first, last] = [charge(), charge()]
  await write(first)
  const full = t.mock.method(fs, 'writeSync', () => {
    throw new Error('ENOSPC: no space left on device, write')
  })
  syncBuiltinESMExports()
  await write(charge())
  await write(charge())
  full.mock.restore()
  syncBuiltinESMExports()
  assert.deepEqual([pages.length, failures.length], [1, 1])
  await write(last)
  assert.deepEqual(await found(folder), [first, last])
})

test('a charge of which the disk took a part is not safe, and spoils none that comes after it', async (t) => {
  const folder = newFolder()
  const { write, pages, failures } = openJournal(folder)
  const realWrite = fs.writeSync
  const half = t.mock.method(fs, 'writeSync', (fd: number, text: string) =>
    realWrite(fd, text.slice(0, text.length / 2)),
  )
  syncBuiltinESMExports()
  await write(charge())
  half.mock.restore()
  syncBuiltinESMExports()
  assert.deepEqual([pages.length, failures.length], [0, 1])
  const last = charge()
  await write(last)
  assert.deepEqual(await found(folder), [last])
})

test('a file that somebody removed is there again soon, with all that was in it', async () => {
  const folder = newFolder()
  const { journal, write } = openJournal(folder)
  const [first, second] = [charge(), charge()]
  await write(first)
  await write(second)
  for (const name of readdirSync(folder)) rmSync(join(folder, name))
  journal.touch()
  assert.deepEqual(await found(folder), [first, second])
  for (const name of readdirSync(folder)) rmSync(join(folder, name))
  journal.close()
  assert.deepEqual(await found(folder), [first, second])
})

test('what comes in the turn in which a journal is closed is kept, and what comes later harms nothing', async () => {
  const folder = newFolder()
  const { journal, write, failures } = openJournal(folder)
  const one = charge()
  journal.append(one, () => {})
  journal.close()
  await write(charge())
  assert.deepEqual(await found(folder), [one])
  assert.deepEqual(failures, [])
})

describe('at the next start', () => {
  let rig: WalletRig
  before(async () => {
    rig = await walletRig()
  })
  after(() => rig.close())
  const log = pino({ level: 'silent' })

  test('each is charged once, whether the ledger had it or not', async () => {
    const folder = newFolder()
    const walletId = await rig.wallet(1000n)
    const { write } = openJournal(folder)
    const charges = [1n, 20n, 300n].map((amount) => charge({ walletId, amount }))
    for (const one of charges) await write(one)
    const { wallets, unpaid } = await rig.process()
    await wallets.chargeLeft(charges.slice(0, 1))
    for (let again = 0; again < 2; again++) {
      await chargeLeftPages({ wallets, log }, await readLeftPages(folder), false)
    }
    const seen = await rig.read(walletId)
    assert.deepEqual([seen.balance, seen.entries, seen.charges], [679n, 679n, 3])
    assert.deepEqual(unpaid, [])
    assert.equal(readdirSync(folder).length, 2, 'a living process may still write there')
    await chargeLeftPages({ wallets, log }, await readLeftPages(folder), true)
    assert.deepEqual(readdirSync(folder), [])
  })

  test('killed again and again within a minute, no start adds to what the next one finds', async () => {
    const folder = newFolder()
    const walletId = await rig.wallet(1000n)
    const { write } = openJournal(folder)
    await write(charge({ walletId, amount: 7n }))
    const report = { failed: (error: unknown) => assert.fail(String(error)) }
    for (let start = 0; start < 3; start++) {
      const pages = await readLeftPages(folder)
      const { wallets } = await rig.process({ journal: { folder, report } })
      await chargeLeftPages({ wallets, log }, pages, false)
      await nextTurn()
      assert.equal((await found(folder)).length, 1)
    }
    assert.equal((await rig.read(walletId)).charges, 1)
  })

  test('an end in order does not give up what only an ended process wrote down', async (t) => {
    const folder = newFolder()
    const walletId = await rig.wallet(1000n)
    const { write } = openJournal(folder)
    await write(charge({ walletId, amount: 7n }))
    const report = { failed: (error: unknown) => assert.fail(String(error)) }
    const ending = await rig.process({ journal: { folder, report } })
    const pages = await readLeftPages(folder)
    const silent = t.mock.method(ending.storage.pool, 'query', () =>
      Promise.reject(new StorageUnavailable(new Error('it does not answer'))),
    )
    await ending.wallets.chargeLeft(
      pages.flatMap((page) => page.charges),
      1,
    )
    await ending.wallets.close()
    silent.mock.restore()
    assert.deepEqual([ending.unpaid, ending.left], [[], [1]])
    assert.equal((await found(folder)).length, 1)
  })

  test('files of a living process stay, however long it had nothing to charge, and those of a dead one go', async () => {
    const folder = newFolder()
    const report = { failed: (error: unknown) => assert.fail(String(error)) }
    const living = await rig.process({ journal: { folder, report }, leaseMs: 60 })
    const files = readdirSync(folder).map((name) => join(folder, name))
    openJournal(folder)
    const anHourAgo = new Date(Date.now() - 3_600_000)
    for (const name of readdirSync(folder)) utimesSync(join(folder, name), anHourAgo, anHourAgo)
    await until(() => files.every((file) => statSync(file).mtime > anHourAgo))
    const { wallets } = await rig.process()
    await chargeLeftPages({ wallets, log }, await readLeftPages(folder), false)
    assert.deepEqual(
      readdirSync(folder)
        .map((name) => join(folder, name))
        .sort(),
      files.sort(),
    )
    // Whoever tidied up in the folder keeps nobody from ending in order.
    for (const file of files) rmSync(file)
    await living.wallets.close()
  })

  test('D8: a clock put forward while two are at work in the folder loses no charge of the one that was there', async (t) => {
    const folder = newFolder()
    const walletId = await rig.wallet(10_000n)
    const report = { failed: (error: unknown) => assert.fail(String(error)) }
    const living = await rig.process({ journal: { folder, report } })
    const first = await living.wallets.hold(request(walletId, 100n))
    const second = await living.wallets.hold(request(walletId, 200n))
    t.mock.method(living.storage.pool, 'query', () =>
      Promise.reject(new StorageUnavailable(new Error('it does not answer'))),
    )
    const realNow = Date.now
    const moved = t.mock.method(Date, 'now', () => realNow() + 3_600_000)
    const taken = await readLeftPages(folder)
    moved.mock.restore()
    void first.post(70n, chargedCall)
    await until(async () => (await found(folder)).length === 1, 5000)
    const { wallets } = await rig.process()
    await chargeLeftPages({ wallets, log }, taken, false)
    // It looks after its pages ten times a second.
    await new Promise((resolve) => setTimeout(resolve, 150))
    void second.post(5n, chargedCall)
    await until(async () => (await found(folder)).length === 2, 5000)
    // It is killed now, and this is the next start.
    await chargeLeftPages({ wallets, log }, await readLeftPages(folder), false)
    const { balance, entries, charges } = await rig.read(walletId)
    assert.deepEqual([balance, entries, charges], [9925n, 9925n, 2])
  })

  test('D8: a clock put back makes nobody charge twice, and keeps no file of a dead process once it has gone on', async (t) => {
    const folder = newFolder()
    const walletId = await rig.wallet(1000n)
    const { write } = openJournal(folder)
    await write(charge({ walletId, amount: 7n }))
    const { wallets } = await rig.process()
    const realNow = Date.now
    for (const jumpMs of [-3_600_000, -3_600_000, 61_000]) {
      const moved = t.mock.method(Date, 'now', () => realNow() + jumpMs)
      const pages = await readLeftPages(folder)
      moved.mock.restore()
      await chargeLeftPages({ wallets, log }, pages, false)
      const { balance, charges } = await rig.read(walletId)
      assert.deepEqual([balance, charges], [993n, 1])
      assert.equal(readdirSync(folder).length, jumpMs < 0 ? 2 : 0)
    }
  })

  test('what the wallet does not have any more is reported', async () => {
    const folder = newFolder()
    const walletId = await rig.wallet(100n)
    const { write } = openJournal(folder)
    const [dear, cheap] = [charge({ walletId, amount: 101n }), charge({ walletId, amount: 99n })]
    await write(dear)
    await write(cheap)
    const { wallets, unpaid } = await rig.process()
    await chargeLeftPages({ wallets, log }, await readLeftPages(folder), true)
    assert.deepEqual(unpaid, [dear.requestId])
    assert.equal((await rig.read(walletId)).balance, 1n)
  })

  test('what belongs to another database stays for a start on that one', async () => {
    const folder = newFolder()
    const walletId = await rig.wallet(1000n)
    const elsewhere = newId(new Date())
    const { write } = openJournal(folder)
    await write(charge({ walletId, amount: 1n }))
    await write(charge({ walletId: elsewhere, amount: 20n }))
    const { wallets, unpaid } = await rig.process()
    await chargeLeftPages({ wallets, log }, await readLeftPages(folder), true)
    assert.equal((await rig.read(walletId)).balance, 999n)
    assert.deepEqual(unpaid, [], 'nothing is given up')
    const at = new Date()
    await rig.storage.db.transaction().execute(async (tx) => {
      await insertOrg(tx, { id: elsewhere, name: 'elsewhere', at })
      await insertWallet(tx, elsewhere)
    })
    await rig.topUp(elsewhere, 1000n)
    await chargeLeftPages({ wallets, log }, await readLeftPages(folder), true)
    assert.deepEqual(
      [(await rig.read(walletId)).balance, (await rig.read(elsewhere)).balance],
      [999n, 980n],
    )
    assert.deepEqual(readdirSync(folder), [])
  })

  test('a file that cannot be read is a problem of the start, in a sentence', async () => {
    const folder = newFolder()
    mkdirSync(join(folder, 'charges-of-nobody.journal'))
    await assert.rejects(readLeftPages(folder), (error: unknown) => {
      assert.ok(error instanceof StartupProblem)
      assert.match(error.message, /charges-of-nobody\.journal may hold charges .*; let the account/)
      return true
    })
  })

  test('a file whose process ended in order while it was looked for is no problem', async () => {
    const folder = newFolder()
    symlinkSync(join(folder, 'gone'), join(folder, 'charges-of-one-that-ended.journal'))
    assert.deepEqual(await readLeftPages(folder), [])
  })

  test('a process whose charges are all in the ledger leaves no file', async () => {
    const folder = newFolder()
    const walletId = await rig.wallet(10_000n)
    const report = { failed: (error: unknown) => assert.fail(String(error)) }
    const { wallets, left } = await rig.process({ journal: { folder, report } })
    for (const cost of [1n, 20n]) {
      const hold = await wallets.hold(request(walletId, 100n))
      await hold.post(cost, chargedCall)
    }
    await wallets.close()
    assert.deepEqual([readdirSync(folder), left], [[], []])
    assert.equal((await rig.read(walletId)).balance, 9979n)
  })

  test('a folder that takes no file is reported, and charges go straight into the ledger', async () => {
    const folder = join(newFolder(), 'missing')
    const walletId = await rig.wallet(10_000n)
    const failures: unknown[] = []
    const report = { failed: (error: unknown) => void failures.push(error) }
    const { wallets } = await rig.process({ journal: { folder, report } })
    assert.equal(failures.length, 1)
    const hold = await wallets.hold(request(walletId, 100n))
    assert.equal(await hold.post(70n, chargedCall), true)
    assert.equal((await rig.read(walletId)).balance, 9930n)
  })

  test('what the database did not take before an end in order is left there', async (t) => {
    const folder = newFolder()
    const walletId = await rig.wallet(10_000n)
    const report = { failed: (error: unknown) => assert.fail(String(error)) }
    const ending = await rig.process({ journal: { folder, report } })
    const hold = await ending.wallets.hold(request(walletId, 100n))
    t.mock.method(ending.storage.pool, 'query', () =>
      Promise.reject(new StorageUnavailable(new Error('it does not answer'))),
    )
    const posted = hold.post(70n, chargedCall)
    await ending.wallets.close()
    assert.equal(await posted, false)
    assert.deepEqual([ending.unpaid, ending.left], [[], [1]], 'nothing is given up')
    const { wallets } = await rig.process()
    await chargeLeftPages({ wallets, log }, await readLeftPages(folder), true)
    assert.equal((await rig.read(walletId)).balance, 9930n)
  })
})
