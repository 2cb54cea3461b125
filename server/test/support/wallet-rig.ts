// Wallets and processes to move money with, straight on a database of its own: for tests that need thousands of
// moves, where HTTP would only be in the way.
import { sql } from 'kysely'
import { noUsage } from '#server/core/usage.ts'
import { newId } from '#server/lib/id.ts'
import { type Clock, systemClock } from '#server/lib/clock.ts'
import { openStorage, type Storage } from '#server/storage/open-storage.ts'
import { insertOrg, insertWorkspace } from '#server/account/account-store.ts'
import { addFunds, insertWallet } from '#server/wallet/wallet-store.ts'
import { type ChargedCall, priceCard } from '#server/wallet/charge.ts'
import type { HoldRequest } from '#server/wallet/hold.ts'
import { Wallets, type WalletsOptions } from '#server/wallet/wallets.ts'
import { testDatabase } from './test-database.ts'

/** What a call of its own asks to be held. */
export function request(walletId: string, amount: bigint): HoldRequest {
  const requestId = newId(new Date())
  return { walletId, workspaceId: newId(new Date()), keyId: null, requestId, amount }
}

/** What is paid for; the wallet looks at none of it. */
export const chargedCall: ChargedCall = {
  model: 'test',
  route: 'test #1',
  clientRequestId: 'test',
  usage: { ...noUsage, inputTokens: 7, outputTokens: 3 },
  card: priceCard({ input: '0.1', output: '0.2' }),
  latencyMs: 12,
  firstTokenMs: 3,
}

export type Process = {
  storage: Storage
  wallets: Wallets
  unpaid: string[]
  underpaid: bigint[]
  refused: unknown[]
  left: number[]
}

export type WalletRig = {
  storage: Storage
  /** A new wallet with this balance in pico-dollars, of an organization with one workspace. All three have the same id. */
  wallet(balance: bigint): Promise<string>
  topUp(walletId: string, amount: bigint, idempotencyKey?: string): Promise<bigint | null>
  /** Another process on the same database. */
  process(options?: Omit<WalletsOptions, 'report'>, clock?: Clock): Promise<Process>
  read(
    walletId: string,
  ): Promise<{ balance: bigint; entries: bigint; leased: bigint; charges: number }>
  close(): Promise<void>
}

export async function walletRig(url?: string): Promise<WalletRig> {
  const database = url === undefined ? await testDatabase() : { url, drop: async () => {} }
  const storage = await openStorage(database.url, systemClock)
  const processes: Process[] = []
  const now = () => systemClock.now()
  const topUp: WalletRig['topUp'] = (walletId, amount, idempotencyKey) =>
    addFunds(storage.db, {
      entryId: newId(now()),
      walletId,
      kind: 'top_up',
      amount,
      workspaceId: null,
      keyId: null,
      idempotencyKey: idempotencyKey ?? newId(now()),
      detail: {},
      at: now(),
    })
  return {
    storage,
    topUp,
    async wallet(balance) {
      const id = newId(now())
      await storage.db.transaction().execute(async (tx) => {
        await insertOrg(tx, { id, name: 'test', at: now() })
        await insertWorkspace(tx, { id, orgId: id, name: 'test', at: now() })
        await insertWallet(tx, id)
      })
      if (balance > 0n) await topUp(id, balance)
      return id
    },
    async process(options = {}, clock = systemClock) {
      const own = await openStorage(database.url, systemClock, { connectionsMax: 4 })
      const unpaid: string[] = []
      const underpaid: bigint[] = []
      const refused: unknown[] = []
      const left: number[] = []
      const wallets = new Wallets(own, clock, {
        ...options,
        report: {
          unpaid: (charge) => unpaid.push(charge.requestId),
          underpaid: (_, amount) => underpaid.push(amount),
          refused: (error) => refused.push(error),
          left: (charges) => left.push(charges),
        },
      })
      const process = { storage: own, wallets, unpaid, underpaid, refused, left }
      processes.push(process)
      return process
    },
    async read(walletId) {
      const { rows } = await sql<Record<'balance' | 'leased' | 'entries' | 'charges', string>>`
        select w.balance, w.leased,
          (select coalesce(sum(amount), 0) from ledger_entry where wallet_id = w.id) as entries,
          (select count(*) from ledger_entry where wallet_id = w.id and kind = 'charge') as charges
        from wallet w where w.id = ${walletId}
      `.execute(storage.db)
      const [row] = rows
      if (!row) throw new Error('no such wallet')
      return {
        balance: BigInt(row.balance),
        entries: BigInt(row.entries),
        leased: BigInt(row.leased),
        charges: Number(row.charges),
      }
    },
    async close() {
      for (const process of processes) {
        await process.wallets.close().catch(() => {})
        await process.storage.close().catch(() => {})
      }
      await storage.close()
    },
  }
}
