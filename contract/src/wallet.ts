// The organization's wallet and its ledger. Amounts are decimal strings of USD, exact to 12 places.
import { z } from 'zod'
import { idempotencyKeyCharactersMax, topUpUsdMax, topUpUsdMin } from './limits.ts'
import { nextCursor, pageQuery, route, timestamp, usd } from './route.ts'

/** What jobs of hours reserve funds for. The charge of a reservation is a ledger entry of that kind. */
export const reservationPurposes = ['training', 'serving', 'scoring', 'retest'] as const
export type ReservationPurpose = (typeof reservationPurposes)[number]

export const transactionKinds = [
  'top_up',
  'grant',
  'charge',
  'storage',
  ...reservationPurposes,
] as const

export const wallet = z.object({
  balance_usd: usd,
  /** What calls in flight and jobs under way may still cost; not yet spent. */
  held_usd: usd,
})

export const transaction = z.object({
  id: z.uuid(),
  kind: z.enum(transactionKinds),
  /** Negative for charges. */
  amount_usd: usd,
  workspace_id: z.uuid().nullable(),
  key_id: z.uuid().nullable(),
  /** One execution of one call; charged at most once. */
  request_id: z.uuid().nullable(),
  detail: z.record(z.string(), z.unknown()),
  created_at: timestamp,
})
export type Transaction = z.infer<typeof transaction>

export const topUpBody = z.strictObject({
  amount_usd: z
    .union([
      z.string().meta({ pattern: '^\\d+(\\.\\d{1,6})?$' }),
      z.number().meta({ minimum: Number(topUpUsdMin), maximum: Number(topUpUsdMax) }),
    ])
    .describe(`Decimal USD from ${topUpUsdMin} to ${topUpUsdMax} with at most 6 decimals`),
})

export const topUpHeaders = z.object({
  'idempotency-key': z.string().min(1).max(idempotencyKeyCharactersMax),
})

export const walletRoutes = [
  route({
    name: 'getWallet',
    tag: 'Wallet',
    method: 'GET',
    path: '/api/wallet',
    summary: 'The balance, and how much of it is held for calls in flight and jobs under way',
    access: { kind: 'caller', scope: 'billing:read' },
    tool: 'get_wallet',
    sdk: 'wallet.get',
    status: 200,
    response: wallet,
    errors: [],
  }),
  route({
    name: 'listTransactions',
    tag: 'Wallet',
    method: 'GET',
    path: '/api/wallet/transactions',
    summary: 'The ledger, newest first',
    access: { kind: 'caller', scope: 'billing:read' },
    tool: 'list_transactions',
    sdk: 'wallet.transactions',
    query: pageQuery,
    status: 200,
    response: z.object({ transactions: z.array(transaction), next_cursor: nextCursor }),
    errors: [],
  }),
  route({
    name: 'topUpWallet',
    tag: 'Wallet',
    method: 'POST',
    path: '/api/wallet/top-ups',
    summary: 'Add funds; repeating the call with the same Idempotency-Key adds them once',
    access: { kind: 'caller', permission: 'top_up' },
    headers: topUpHeaders,
    body: topUpBody,
    status: 201,
    response: z.object({ transaction, balance_usd: usd }),
    errors: ['IDEMPOTENCY_KEY_REUSED'],
  }),
] as const
