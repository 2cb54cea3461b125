// Reserves the most that the test can cost, or says what the wallet lacks for that.
import type { App } from '../../../app.ts'
import { reserveFunds } from '../../../wallet/reserve.ts'
import type { AttemptRow } from '../attempt.ts'
import type { Done } from './effects.ts'
import { testFundsOf } from '../test-of.ts'

export async function reserveTest(app: App, attempt: AttemptRow): Promise<Done | void> {
  const { state, test, org_id: orgId, workspace_id: workspaceId } = attempt
  if (state.phase !== 'starting_machine' && state.phase !== 'waiting_for_funds') return
  const amount = BigInt(test?.most ?? 0)
  // Models and a judge without a price need no funds.
  const result =
    amount === 0n
      ? 'reserved'
      : await reserveFunds(app, { ...testFundsOf(attempt), orgId, workspaceId, amount })
  if (result === 'ended') throw new Error(`the test of ${attempt.id} was charged before`)
  const missing = result === 'reserved' ? '0' : result.short.toString()
  const funds = { asked_at: app.clock.now().toISOString(), missing }
  return { changes: { state: { ...state, funds } } }
}
