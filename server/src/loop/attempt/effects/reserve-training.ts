// Reserves the most that the training can cost, or says what the wallet lacks for that.
import type { App } from '../../../app.ts'
import { reserveFunds } from '../../../wallet/reserve.ts'
import type { AttemptRow } from '../attempt.ts'
import type { Done } from './effects.ts'
import { fundsOf, mostItCosts } from '../training-of.ts'

export async function reserveTraining(app: App, attempt: AttemptRow): Promise<Done | void> {
  const { state, org_id: orgId, workspace_id: workspaceId } = attempt
  if (state.phase !== 'preparing' && state.phase !== 'waiting_for_funds') return
  const amount = mostItCosts(attempt)
  // A machine without a price needs no funds.
  const result =
    amount === 0n
      ? 'reserved'
      : await reserveFunds(app, { ...fundsOf(attempt), orgId, workspaceId, amount })
  if (result === 'ended') throw new Error(`the training of ${attempt.id} was charged before`)
  const missing = result === 'reserved' ? '0' : result.short.toString()
  const funds = { asked_at: app.clock.now().toISOString(), missing }
  return { changes: { state: { ...state, funds } } }
}
