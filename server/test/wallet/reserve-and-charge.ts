// A Hone of its own for tests that kill it: each attempt that it is given trains for money and is released from its scoring.
import { readConfig } from '#server/config.ts'
import { start } from '#server/start.ts'
import { chargeReservation, releaseReservation, reserveFunds } from '#server/wallet/reserve.ts'

const running = await start({
  config: readConfig(process.env),
  env: process.env,
  say: () => {},
  tasks: [],
})
const { app } = running
const workspace = await app.storage.db
  .selectFrom('workspace')
  .select(['id', 'org_id'])
  .executeTakeFirstOrThrow()
const funds = { orgId: workspace.org_id, workspaceId: workspace.id, amount: 1000n }
for (const reference of process.argv.slice(2)) {
  const training = { purpose: 'training', reference } as const
  await reserveFunds(app, { ...funds, ...training })
  await chargeReservation(app, { ...training, amount: 300n, detail: { attempt_id: reference } })
  const scoring = { purpose: 'scoring', reference } as const
  await reserveFunds(app, { ...funds, ...scoring })
  await releaseReservation(app, scoring)
}
await running.stop()
process.exit(0)
