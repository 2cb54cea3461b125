// The call of a member: holds funds, counts against the ceilings of its workspace, is recorded where that is wanted, and is charged
// when its answer was delivered.
import type { Caller } from '../account/caller.ts'
import { Refusal } from '../core/refusal.ts'
import { noUsage, promptTokens, type Usage } from '../core/usage.ts'
import { formatUsd, type Picodollars } from '../lib/money.ts'
import type { UsageRecord } from '../usage/usage-record.ts'
import type { Hold } from '../wallet/hold.ts'
import { FundsOutOfReach, InsufficientFunds } from '../wallet/lacking-funds.ts'
import type {
  Bill,
  BilledCall,
  Billing,
  CompletedCall,
  EndedCall,
  Estimate,
  SeenCall,
} from './billing.ts'
import type { Recording, RecordingWish } from './recorder.ts'
import type { Admission } from './workspace-limits.ts'

export type MemberWishes = {
  /** The request id that the client sees. */
  clientRequestId: string
  recording: RecordingWish
}

export class WalletBilling implements Billing {
  readonly #wishes: MemberWishes

  constructor(wishes: MemberWishes) {
    this.#wishes = wishes
  }

  queueOf({ workspace }: Caller): string {
    return workspace.id
  }

  async open(call: BilledCall, most: Estimate): Promise<Bill> {
    const { app, caller, request, model, source, startedAt } = call
    // Before the ceilings: a caller who cannot pay is told so also when a limit is reached, and takes nothing of the minute.
    const hold = await holdFunds(call, most.cost)
    let admission: Admission
    try {
      app.calls.abortGuard.check(caller.workspace.id)
      admission = await app.calls.limits.admit(caller.workspace.id, most.tokens)
    } catch (error) {
      hold.void()
      throw error
    }
    const { clientRequestId, recording: wish } = this.#wishes
    const recording = await app.calls.recorder.begin(caller, request, {
      model,
      source,
      startedAt,
      wish,
    })
    return new WalletBill(call, { clientRequestId, hold, admission, recording })
  }
}

type Taken = { clientRequestId: string; hold: Hold; admission: Admission; recording: Recording }

class WalletBill implements Bill {
  readonly #call: BilledCall
  readonly #taken: Taken

  constructor(call: BilledCall, taken: Taken) {
    this.#call = call
    this.#taken = taken
  }

  get headers(): Record<string, string> {
    return this.#taken.admission.headers
  }

  get recording(): Recording {
    return this.#taken.recording
  }

  mayDeliver(): undefined | Promise<void> {
    return this.#taken.hold.mayDeliver()
  }

  /** The charge goes on alone: what a call has in memory is far more, and would be kept for as long as charges wait for each other. */
  settle({ usage, cost, card, seen, worth }: CompletedCall): void {
    const { app, caller } = this.#call
    const { clientRequestId, hold, admission, recording } = this.#taken
    recording.keep()
    app.calls.abortGuard.completed(caller.workspace.id, worth)
    admission.done(promptTokens(usage) + usage.outputTokens)
    if (cost > 0n) return void hold.post(cost, { ...seen, clientRequestId, usage, card })
    hold.void()
    this.#record('completed', usage, seen)
  }

  void({ outcome, seen, worth }: EndedCall): void {
    const { app, caller } = this.#call
    const { hold, admission, recording } = this.#taken
    hold.void()
    recording.void()
    if (worth !== null) app.calls.abortGuard.aborted(caller.workspace.id, worth)
    admission.done(0)
    this.#record(outcome, noUsage, seen)
  }

  /** For calls that are not in the ledger, because there was nothing to pay. */
  #record(outcome: UsageRecord['outcome'], usage: Usage, seen: SeenCall): void {
    const { app, caller, requestId, startedAt: at } = this.#call
    app.money.usage.record({
      ...seen,
      requestId,
      orgId: caller.org.id,
      workspaceId: caller.workspace.id,
      keyId: caller.key?.id ?? null,
      outcome,
      usage,
      at,
    })
  }
}

async function holdFunds(
  { app, caller, requestId }: BilledCall,
  amount: Picodollars,
): Promise<Hold> {
  try {
    return await app.money.wallets.hold({
      walletId: caller.org.id,
      workspaceId: caller.workspace.id,
      keyId: caller.key?.id ?? null,
      requestId,
      amount,
    })
  } catch (error) {
    if (error instanceof FundsOutOfReach) throw outOfReach(error)
    if (!(error instanceof InsufficientFunds)) throw error
    throw new Refusal(
      'insufficient_balance',
      `The wallet does not cover the ${formatUsd(amount)} USD this call may cost at most; add funds or lower max_tokens.`,
    )
  }
}

/** What ended processes had leased is looked for every few seconds. */
const takenBackSeconds = 5

function outOfReach({ seconds }: FundsOutOfReach): Refusal {
  const retryAfterSeconds = Math.min(60, Math.ceil(seconds) + takenBackSeconds)
  return new Refusal(
    'unavailable',
    `Part of the wallet is held by a server that stopped answering; try again in ${retryAfterSeconds} s, when it is free again.`,
    { retryAfterSeconds },
  )
}
