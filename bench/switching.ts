// How long a name takes to move to another version: from the commit until calls begin with the new one, and what its first call takes
// beside the next, where the version was asked for a word before as it is when it goes live.
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { defaultCatalog } from '#server/catalog/default-catalog.ts'
import { changeDeployment } from '#server/deployment/deployment-store.ts'
import { identifyInference } from '#server/http/v1/identify-inference.ts'
import { deployment, storeAdapter, storeMerged } from '../server/test/support/deployments.ts'
import { testHone, type TestHone } from '../server/test/support/test-hone.ts'
import { median } from './median.ts'

const switches = 20

type Weights = { adapter: string | null; merged: string | null }

export async function measureSwitching(): Promise<void> {
  const hone = await testHone({ catalog: defaultCatalog })
  const adapter: Weights = { adapter: await storeAdapter(hone), merged: null }
  const merged: Weights = { adapter: null, merged: await storeMerged(hone) }
  const session = await hone.login(hone.owner.email, hone.owner.password)
  const workspace_id = session['x-workspace-id'] ?? ''
  let row = await deployment(hone, { workspace_id, name: 'switched', ...adapter })
  const caller = await identifyInference(hone.app, { authorization: `Bearer ${hone.owner.key}` })
  const nameNow = async (): Promise<string> =>
    (await hone.app.calls.models.resolve(caller, 'switched', 'chat')).engineName
  await call(hone)
  const [moved, first, later]: number[][] = [[], [], []]
  for (let round = 0; round < switches; round++) {
    const next = { ...row, ...(round % 2 === 0 ? merged : adapter) }
    await hone.app.serving.machines.prepare(next, AbortSignal.timeout(60_000))
    const before = await nameNow()
    await changeDeployment(hone.app.storage.db, row, { adapter: next.adapter, merged: next.merged })
    const committed = performance.now()
    while ((await nameNow()) === before) await delay(0)
    moved!.push(performance.now() - committed)
    first!.push(await call(hone))
    later!.push(await call(hone))
    row = { ...next, revision: row.revision + 1 }
  }
  const [ms, firstMs, laterMs] = [median(moved!), median(first!), median(later!)]
  console.log(
    `a name that moves to another version: ${ms.toFixed(1)} ms after the commit; its first call takes ${firstMs.toFixed(1)} ms, ` +
      `the next ${laterMs.toFixed(1)} ms, ratio ${(firstMs / laterMs).toFixed(2)}`,
  )
  await hone.stop()
}

/** How long a call of one token takes. */
async function call(hone: TestHone): Promise<number> {
  const started = performance.now()
  const answer = await hone.call('POST', '/v1/chat/completions', {
    bearer: hone.owner.key,
    body: { model: 'switched', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 },
  })
  if (answer.status !== 200) throw new Error(answer.text)
  return performance.now() - started
}
