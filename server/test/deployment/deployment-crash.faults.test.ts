// Kills a Hone in the middle of starting and stopping a deployment whose time has a price, and lets the next one go on: its name answers
// once it is started and not once it is stopped, each minute is charged once, and nothing stays reserved.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Deployment } from '#contract/deployment.ts'
import { defaultCatalog } from '#server/catalog/default-catalog.ts'
import { deploymentCrashNames } from '#server/deployment/walk.ts'
import {
  chosenOwner,
  type HoneProcess,
  honeProcess,
  ownerEnv,
  preparedFolder,
} from '#test/support/hone-process.ts'
import { ask, ledgerProblems } from '#test/support/loop-process.ts'
import { until } from '#test/support/until.ts'

/** An hour is over and a machine is asked long after a test has ended; tables show what comes then. */
const later = ['renew-deployment', 'check-deployment']
const points = deploymentCrashNames
  .filter((name) => !later.includes(name))
  .flatMap((name) => [`before:${name}`, `after:${name}`])

async function deployments(url: string): Promise<Deployment[]> {
  const { json } = await ask(url, 'GET', '/api/deployments')
  return (json as never as { deployments: Deployment[] }).deployments
}

async function says(url: string, model: string): Promise<number> {
  const messages = [{ role: 'user', content: 'Hello' }]
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${chosenOwner.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages, max_tokens: 2 }),
  })
  await answer.text()
  return answer.status
}

/** Makes it, and stops it once it serves, unless the process dies over it. */
async function makeAndStop(hone: HoneProcess, name: string): Promise<void> {
  const url = await hone.listening()
  const died = hone.ended.then(() => 'died' as const)
  const stop = async (): Promise<'stopped'> => {
    await ask(url, 'POST', '/api/deployments', { model: 'hone/hone-mini', name })
    let id = ''
    await until(async () => {
      const [newest] = await deployments(url)
      id = newest?.id ?? ''
      return newest?.status === 'serving'
    })
    await ask(url, 'POST', `/api/deployments/${id}/stop`)
    return 'stopped'
  }
  // Whoever talks to a process that dies is told nothing.
  await Promise.race([died, stop().catch(() => died)])
  await died
}

test('killed before or after anything it does with a deployment, the next process goes on with it', async () => {
  const dataDir = await preparedFolder()
  const machine = {
    name: 'embedded',
    engine: 'embedded',
    training_usd_per_hour: 0,
    serving_usd_per_hour: 6,
  }
  const catalog = { ...defaultCatalog, machines: [machine] }
  writeFileSync(join(dataDir, 'catalog.json'), JSON.stringify(catalog))
  for (const [index, point] of points.entries()) {
    const name = `crash-${index}`
    const dying = honeProcess({ dataDir, env: { ...ownerEnv, HONE_CRASH_AT: point } })
    await makeAndStop(dying, name)
    assert.equal((await dying.ended).signal, 'SIGKILL', `${point} was not reached`)
    const next = honeProcess({ dataDir, env: ownerEnv })
    const url = await next.listening()
    let found: Deployment | undefined
    await until(async () => {
      found = (await deployments(url)).find((one) => one.name === name)
      return found?.status === 'serving' || found?.status === 'stopped'
    })
    assert.equal(await says(url, name), found?.status === 'serving' ? 200 : 503, point)
    const gone = await ask(url, 'DELETE', `/api/deployments/${found?.id}`)
    assert.equal(gone.status, 204, point)
    await until(async () => {
      const { json } = await ask(url, 'GET', '/api/wallet')
      return (json as never as { held_usd: string }).held_usd === '0'
    })
    const { json } = await ask(url, 'GET', '/api/wallet/transactions?limit=200')
    const { transactions } = json as never as {
      transactions: { kind: string; detail: { name?: string } }[]
    }
    const charged = transactions.filter(({ detail }) => detail.name === name)
    assert.ok(charged.length <= 1, `${point}: ${JSON.stringify(charged)}`)
    assert.deepEqual(await ledgerProblems(dataDir), [], point)
    next.kill('SIGTERM')
    await next.ended
  }
})
