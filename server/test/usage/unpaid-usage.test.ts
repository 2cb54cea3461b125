// A call whose charge could not be paid was used all the same: it is in the statistics, at no cost.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { newId } from '#server/lib/id.ts'
import { testHone } from '#test/support/test-hone.ts'
import { chargedCall } from '#test/support/wallet-rig.ts'

test('a call whose funds were gone when it was charged counts as completed and costs nothing', async () => {
  const hone = await testHone()
  const { money, storage, clock } = hone.app
  try {
    const { rows } = await sql<{ org: string; workspace: string }>`
      select org_id as org, id as workspace from workspace order by id limit 1
    `.execute(storage.db)
    const { org: walletId, workspace: workspaceId } = rows[0]!
    const requestId = newId(clock.now())
    const hold = await money.wallets.hold({
      walletId,
      workspaceId,
      keyId: null,
      requestId,
      amount: 50n,
    })
    await sql`delete from wallet_lease`.execute(storage.db)
    await sql`update wallet set balance = 0, leased = 0`.execute(storage.db)
    assert.equal(await hold.post(40n, { ...chargedCall, model: 'unpaid/model' }), false)
    const { json } = await hone.call('GET', '/api/analytics/usage?group_by=model', {
      key: hone.owner.key,
    })
    const [row] = json.usage as unknown as Record<string, unknown>[]
    assert.equal(row?.model, 'unpaid/model')
    assert.equal(row.calls, 1)
    assert.equal(row.cost_usd, '0')
    assert.equal(row.output_tokens, chargedCall.usage.outputTokens)
    assert.equal(row.latency_ms_p50, chargedCall.latencyMs)
  } finally {
    await hone.stop()
  }
})
