// Random interleavings of hold, post, void, reserve, charge, release, top-up, retry and crash on several processes, compared with a
// plain model of what a wallet is.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { type ReservationPurpose, reservationPurposes } from '#contract/wallet.ts'
import { systemClock } from '#server/lib/clock.ts'
import { newId } from '#server/lib/id.ts'
import { auditLedger } from '#server/wallet/audit-ledger.ts'
import { postCharges } from '#server/wallet/charge-store.ts'
import type { Hold } from '#server/wallet/hold.ts'
import {
  chargeReservation,
  readCharges,
  releaseReservation,
  reservedFunds,
  reserveFunds,
} from '#server/wallet/reserve.ts'
import { takeBackLeases } from '#server/wallet/wallet-store.ts'
import { InsufficientFunds } from '#server/wallet/lacking-funds.ts'
import type { Wallets } from '#server/wallet/wallets.ts'
import { chargedCall, type WalletRig, walletRig } from '#test/support/wallet-rig.ts'

let rig: WalletRig
before(async () => {
  rig = await walletRig()
})
after(() => rig.close())

type Step =
  | { do: 'hold'; process: number; amount: number }
  | { do: 'post'; pick: number; share: number }
  | { do: 'void'; pick: number }
  | { do: 'postTwice'; pick: number }
  | { do: 'topUp'; amount: number; key: number }
  | { do: 'retryCharge'; pick: number }
  | { do: 'reserve'; process: number; amount: number; again: number | null }
  | { do: 'chargeReservation'; process: number; pick: number; share: number }
  | { do: 'release'; process: number; pick: number }
  | { do: 'crash'; process: number }
  | { do: 'renew'; process: number }

const index = fc.nat({ max: 1000 })
const process = fc.nat({ max: 1 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('hold'),
      process,
      amount: fc.integer({ min: 0, max: 400 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('post'),
      pick: index,
      share: fc.integer({ min: 0, max: 120 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('void'), pick: index }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('postTwice'), pick: index }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('topUp'),
      amount: fc.integer({ min: 1, max: 500 }),
      key: fc.nat({ max: 5 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('retryCharge'), pick: index }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('reserve'),
      process,
      amount: fc.integer({ min: 1, max: 400 }),
      again: fc.option(index, { freq: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('chargeReservation'),
      process,
      pick: index,
      share: fc.integer({ min: 0, max: 100 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('release'), process, pick: index }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('crash'), process }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('renew'), process }) },
)

type Open = { hold: Hold; amount: bigint; process: number; requestId: string }
type Reserved = {
  reference: string
  purpose: ReservationPurpose
  amount: bigint
  /** Null while it is open. */
  charged: bigint | null
}

async function run(steps: Step[], balance: number): Promise<void> {
  const walletId = await rig.wallet(BigInt(balance))
  const processes = [await rig.process(), await rig.process()]
  let open: Open[] = []
  const posted: { requestId: string; cost: bigint }[] = []
  const usedKeys = new Set<number>()
  let expected = BigInt(balance)
  const pick = <T>(list: T[], at: number): T | undefined => list[at % Math.max(1, list.length)]
  const workspaceId = walletId
  const openSum = () => open.reduce((sum, { amount }) => sum + amount, 0n)
  const reserved: Reserved[] = []
  const reservedSum = () =>
    reserved.reduce((sum, { amount, charged }) => sum + (charged === null ? amount : 0n), 0n)
  const free = () => expected - openSum() - reservedSum()
  const app = (at: number) => ({ storage: processes[at]!.storage, clock: systemClock })

  for (const one of steps) {
    switch (one.do) {
      case 'hold': {
        const amount = BigInt(one.amount)
        const requestId = newId(new Date())
        const request = { walletId, workspaceId, keyId: null, requestId, amount }
        const fits = free() >= amount
        try {
          const hold = await processes[one.process]!.wallets.hold(request)
          assert.ok(fits, 'a hold was given that the balance does not cover')
          open.push({ hold, amount, process: one.process, requestId })
        } catch (error) {
          if (!(error instanceof InsufficientFunds)) throw error
          assert.ok(!fits, 'a hold was refused that the balance covers')
        }
        break
      }
      case 'post': {
        const chosen = pick(open, one.pick)
        if (!chosen) break
        open = open.filter((other) => other !== chosen)
        // Above 100% the counter overshot: what is free pays for it, and what is not was reported.
        const cost = (chosen.amount * BigInt(one.share)) / 100n
        const { underpaid } = processes[chosen.process]!
        const before = underpaid.length
        const freeBeside = free() - chosen.amount
        await chosen.hold.post(cost, chargedCall)
        const charged = cost - (underpaid.slice(before)[0] ?? 0n)
        assert.ok(charged === cost || charged <= chosen.amount + freeBeside)
        assert.ok(charged >= (cost < chosen.amount ? cost : chosen.amount))
        expected -= charged
        if (charged > 0n) posted.push({ requestId: chosen.requestId, cost: charged })
        break
      }
      case 'void': {
        const chosen = pick(open, one.pick)
        chosen?.hold.void()
        chosen?.hold.void()
        open = open.filter((other) => other !== chosen)
        break
      }
      case 'postTwice': {
        const chosen = pick(open, one.pick)
        if (!chosen) break
        open = open.filter((other) => other !== chosen)
        await chosen.hold.post(chosen.amount, chargedCall)
        const again = chosen.hold.post(chosen.amount, chargedCall)
        // A free call has nothing that could be charged twice.
        if (chosen.amount > 0n) await assert.rejects(again)
        else await again
        chosen.hold.void()
        expected -= chosen.amount
        if (chosen.amount > 0n) posted.push({ requestId: chosen.requestId, cost: chosen.amount })
        break
      }
      case 'topUp': {
        const after = await rig.topUp(walletId, BigInt(one.amount), `key ${one.key}`)
        if (!usedKeys.has(one.key)) expected += BigInt(one.amount)
        assert.equal(after === null, usedKeys.has(one.key))
        usedKeys.add(one.key)
        break
      }
      case 'retryCharge': {
        // What a process does that never heard whether its write landed.
        const chosen = pick(posted, one.pick)
        if (!chosen) break
        const charge = {
          walletId,
          leaseId: newId(new Date()),
          amount: chosen.cost,
          workspaceId,
          keyId: null,
          requestId: chosen.requestId,
          call: chargedCall,
        }
        assert.equal((await postCharges(rig.storage, [charge], new Date())).size, 0)
        break
      }
      case 'reserve': {
        const known = one.again === null ? undefined : pick(reserved, one.again)
        const { reference, purpose, amount } = known ?? {
          reference: newId(new Date()),
          purpose: reservationPurposes[one.amount % 3]!,
          amount: BigInt(one.amount),
        }
        const wanted = { orgId: walletId, workspaceId, reference, purpose, amount }
        const outcome = await reserveFunds(app(one.process), wanted)
        if (known) {
          assert.equal(outcome, known.charged === null ? 'reserved' : 'ended')
        } else if (free() >= amount) {
          assert.equal(outcome, 'reserved', 'a reservation was refused that the balance covers')
          reserved.push({ reference, purpose, amount, charged: null })
        } else {
          assert.ok(typeof outcome === 'object' && outcome.short >= amount - free())
        }
        break
      }
      case 'chargeReservation': {
        const chosen = pick(reserved, one.pick)
        if (!chosen) break
        const { reference, purpose } = chosen
        const amount = (chosen.amount * BigInt(one.share)) / 100n
        const charging = { reference, purpose, amount, detail: { attempt_id: reference } }
        const charged = await chargeReservation(app(one.process), charging)
        if (chosen.charged === null) {
          chosen.charged = amount
          expected -= amount
        }
        assert.equal(charged, chosen.charged, 'a second charge answers what the first one did')
        break
      }
      case 'release': {
        const chosen = pick(reserved, one.pick)
        if (!chosen) break
        const { reference, purpose } = chosen
        await releaseReservation(app(one.process), { reference, purpose })
        chosen.charged ??= 0n
        break
      }
      case 'crash': {
        // The process is gone with everything it held; its leases run out and come back.
        const dead = processes[one.process]!
        open = open.filter((other) => other.process !== one.process)
        await rig.storage.pool.query(
          'expire',
          `update wallet_lease set expires_at = now() - interval '1 second' where process_id = $1`,
          [dead.wallets.processId],
        )
        await dead.storage.close()
        await takeBackLeases(rig.storage, false)
        processes[one.process] = await rig.process()
        break
      }
      case 'renew':
        await processes[one.process]!.wallets.renew()
        break
    }
    const seen = await rig.read(walletId)
    assert.equal(seen.balance, expected)
    assert.equal(seen.entries, expected, 'the balance is the sum of the entries')
    assert.ok(seen.leased + reservedSum() <= seen.balance)
    assert.equal(await reservedFunds(app(0), walletId), reservedSum())
    assert.equal(seen.charges, posted.length, 'each request is charged at most once')
    assert.ok(free() >= 0n)
  }
  for (const { reference, purpose, charged } of reserved) {
    assert.equal((await readCharges(app(0), reference))[purpose], charged ?? 0n)
  }
  const { problems } = await auditLedger(rig.storage.db)
  assert.deepEqual(problems, [])
  for (const { hold } of open) hold.void()
  for (const { wallets, storage, unpaid } of processes) {
    await wallets.close()
    await storage.close()
    assert.deepEqual(unpaid, [])
  }
  assert.equal((await rig.read(walletId)).leased, 0n, 'nothing stays leased after a clean stop')
}

test('random interleavings keep the balance equal to the sum of the entries and never below zero', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 5, maxLength: 40 }),
      fc.integer({ min: 0, max: 2000 }),
      run,
    ),
    { numRuns: 40, endOnFailure: true },
  )
})

test('ten thousand top-ups and calls at once leave exactly what a sum says', async () => {
  const walletId = await rig.wallet(1_000_000n)
  const processes = await Promise.all([rig.process(), rig.process()])
  const workspaceId = newId(new Date())
  let expected = 1_000_000n
  let charges = 0
  const random = seeded(7)
  const call = async (wallets: Wallets): Promise<void> => {
    const amount = BigInt(Math.floor(random() * 300))
    const requestId = newId(new Date())
    const hold = await wallets.hold({ walletId, workspaceId, keyId: null, requestId, amount })
    await new Promise((resolve) => setImmediate(resolve))
    if (random() < 0.3) return hold.void()
    const cost = (amount * BigInt(Math.floor(random() * 100))) / 100n
    expected -= cost
    if (cost > 0n) charges += 1
    await hold.post(cost, chargedCall)
  }
  const topUp = async (): Promise<void> => {
    const amount = BigInt(1 + Math.floor(random() * 1000))
    expected += amount
    await rig.topUp(walletId, amount)
  }
  for (let round = 0; round < 50; round++) {
    await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        i % 20 === 0 ? topUp() : call(processes[i % 2]!.wallets),
      ),
    )
  }
  const seen = await rig.read(walletId)
  assert.equal(seen.balance, expected)
  assert.equal(seen.entries, expected)
  assert.equal(seen.charges, charges)
  for (const { wallets } of processes) assert.equal(wallets.held(walletId), 0n)
})

function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}
