// One model call up to its engine: resolve, adjust, hold, admit. Whoever asked for it reads the answer from what comes
// back, writes it to its client and says how that went; nothing here knows a dialect or a socket.
import type { Caller } from '../account/caller.ts'
import type { App } from '../app.ts'
import { Refusal } from '../core/refusal.ts'
import type { CallRequest } from '../core/request.ts'
import { crashPoint } from '../lib/crash-point.ts'
import { formatUsd, type Picodollars } from '../lib/money.ts'
import { mostItCanCost } from '../wallet/price-usage.ts'
import type { Hold } from '../wallet/hold.ts'
import { FundsOutOfReach, InsufficientFunds } from '../wallet/lacking-funds.ts'
import { countTight, isTight } from './count-prompt-tokens.ts'
import { findModel } from './find-model.ts'
import { type CallContext, OpenCall } from './open-call.ts'
import { promptTokensMax } from './prompt-tokens-max.ts'
import { ratesOf } from './rates.ts'
import { settleRequest } from './settle-request.ts'
import type { Admission } from './workspace-limits.ts'

export async function serveCall(
  app: App,
  caller: Caller,
  request: CallRequest,
  context: CallContext,
): Promise<OpenCall> {
  const model = findModel(app, request.model)
  // Most of what follows is decided at once, and a wait for nothing costs a turn each time.
  const promptMost = promptTokensMax(request)
  const promptTokens = isTight(model, request, promptMost)
    ? await countTight(app, caller, model, request, context)
    : null
  const settled = settleRequest(model, request, promptTokens)
  const workspaceId = caller.workspace.id
  const startedMs = app.clock.monotonicMs()
  const planned = app.promptCache.plan({
    request,
    model: model.id,
    workspaceId,
    caching: model.prompt_caching,
    effort: settled.effort,
    startedAt: context.startedAt,
  })
  const plan = planned instanceof Promise ? await planned : planned
  const promptMax = Math.min(promptMost, model.context_window)
  const most = mostItCanCost(
    promptMax,
    settled.maxTokens,
    model.routes.map((one) => ratesOf(one).prices),
  )
  // Before the ceilings: who cannot pay is told so, whatever else is full, and takes nothing of the minute.
  const held = holdFunds(app, caller, context, most)
  const hold = held instanceof Promise ? await held : held
  let admission: Admission
  try {
    app.abortGuard.check(workspaceId)
    const admitted = app.limits.admit(workspaceId, Math.ceil(promptMax / 4) + settled.maxTokens)
    admission = admitted instanceof Promise ? await admitted : admitted
  } catch (error) {
    hold.void()
    throw error
  }
  crashPoint('admitted')
  const { startedAt, wish } = context
  const begun = app.recorder.begin(caller, request, { model: model.id, startedAt, wish })
  const recording = begun instanceof Promise ? await begun : begun
  const asked = { app, caller, request, context, model, settled, startedMs, promptMost }
  return new OpenCall({ ...asked, plan, admission, hold, recording })
}

function holdFunds(
  app: App,
  caller: Caller,
  context: CallContext,
  amount: Picodollars,
): Hold | Promise<Hold> {
  const held = app.wallets.hold({
    walletId: caller.org.id,
    workspaceId: caller.workspace.id,
    keyId: caller.key?.id ?? null,
    requestId: context.requestId,
    amount,
  })
  if (!(held instanceof Promise)) return held
  return held.catch((error: unknown) => {
    if (error instanceof FundsOutOfReach) throw outOfReach(error)
    if (!(error instanceof InsufficientFunds)) throw error
    throw new Refusal(
      'insufficient_balance',
      `The wallet does not cover the ${formatUsd(amount)} USD this call may cost at most; add funds or lower max_tokens.`,
    )
  })
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
