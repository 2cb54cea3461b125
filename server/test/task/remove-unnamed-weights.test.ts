// Which weights stay on the disk: those that a pipeline or a deployment names.
import assert from 'node:assert/strict'
import { cp, mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { removeUnnamedWeights } from '#server/task/remove-unnamed-weights.ts'
import { stopReplacedDeployments } from '#server/task/walk-deployments.ts'
import { bundledModel } from '#server/engine/engines.ts'
import { endedAs, keepAttempt } from '#test/support/attempt-rows.ts'
import {
  deployment,
  putVersionLive,
  storeAdapter,
  storeFaintAdapter,
} from '#test/support/deployments.ts'
import { type LoopHone, loopHone } from '#test/support/loop-hone.ts'
import { miniAdapter } from '#test/support/scripted-compute.ts'

let hone: LoopHone
before(async () => {
  hone = await loopHone({ tasks: [] })
})
after(() => hone.stop())

test('weights go an hour after the last pipeline or deployment that named them, and stay until then', async () => {
  const objects = join(hone.app.config.dataDir, 'objects')
  const kept = async (kind: 'models' | 'adapters'): Promise<string[]> => {
    const folder = join(objects, kind)
    const old = new Date(Date.now() - 2 * 3_600_000)
    for (const name of await readdir(folder)) await utimes(join(folder, name), old, old)
    await removeUnnamedWeights.run(hone.app)
    return readdir(folder)
  }
  const { rule_id } = await hone.pipeline('Keeps its base')
  const adapter = await storeAdapter(hone)
  const key = hone.owner.key
  const me = await hone.call('GET', '/api/api-keys/introspect', { key })
  const workspace_id = (me.json as unknown as { workspace: { id: string } }).workspace.id
  const { id } = await deployment(hone, { name: 'desk', workspace_id, adapter })
  assert.equal((await kept('models')).length, 1)
  assert.deepEqual(await kept('adapters'), [adapter])

  const deleted = await hone.call('DELETE', `/api/loop/pipelines/${rule_id}`, { key })
  assert.equal(deleted.status, 204)
  await hone.app.storage.db
    .updateTable('deployment')
    .set({ status: 'deleted' })
    .where('id', '=', id)
    .execute()
  assert.deepEqual(await kept('models'), [])
  assert.deepEqual(await kept('adapters'), [])
})

test('a base stays for as long as a version or an attempt that may still go live was trained on it', async () => {
  const { app, owner } = hone
  const key = owner.key
  const names = async (): Promise<string[]> => {
    await removeUnnamedWeights.run(app)
    const folder = join(app.config.dataDir, 'objects', 'models')
    const old = new Date(Date.now() - 2 * 3_600_000)
    for (const name of await readdir(folder)) await utimes(join(folder, name), old, old)
    await removeUnnamedWeights.run(app)
    return readdir(folder)
  }
  const { rule_id } = await hone.pipeline('Moves on')
  const adapter = await storeAdapter(hone)
  await putVersionLive(hone, rule_id, { attemptNo: 1, adapter })
  const waiting = await changedBase(hone, 'waiting')
  const undecided = { ...endedAs('waiting_for_review'), attempt_no: 2, adapter }
  await keepAttempt(hone, rule_id, { ...undecided, model_revision: waiting })
  const first = await app.learning.modelStore.modelHash(bundledModel)
  const pinned = await changedBase(hone, 'pinned')
  const unnamed = await changedBase(hone, 'unnamed')
  await app.storage.db
    .updateTable('pipeline')
    .set({ model_revision: pinned })
    .where('id', '=', rule_id)
    .execute()
  const second = await storeFaintAdapter(hone)
  await putVersionLive(hone, rule_id, { attemptNo: 3, adapter: second })
  await app.storage.db
    .updateTable('deployment')
    .set({ base_revision: pinned })
    .where('pipeline_id', '=', rule_id)
    .execute()
  const kept = await names()
  assert.ok(!kept.includes(unnamed))
  assert.deepEqual(kept.toSorted(), [first, waiting, pinned].toSorted())
  const deleted = await hone.call('DELETE', `/api/loop/pipelines/${rule_id}`, { key })
  assert.equal(deleted.status, 204)
  // What answered under the name before is kept open for some minutes more.
  assert.deepEqual(await names(), [first])
  await app.storage.db.updateTable('replaced_target').set({ stop_at: app.clock.now() }).execute()
  await stopReplacedDeployments.run(app)
  assert.deepEqual(await names(), [])
})

test('adapters that became no version go 30 days after their attempts ended, unless a member may still decide', async () => {
  const { app } = hone
  const { rule_id } = await hone.pipeline('Tries often')
  const adapters = await Promise.all(
    ['1', '2', '3', '4', '5', '6'].map((no) => adapterOf(hone, no)),
  )
  const dayMs = 24 * 3_600_000
  const ended = (result: Parameters<typeof endedAs>[0], days: number) => ({
    ...endedAs(result),
    ended_at: new Date(app.clock.now().getTime() - days * dayMs),
  })
  const rows = [
    ended('not_better', 31),
    ended('stopped', 31),
    ended('not_better', 29),
    ended('inconclusive', 31),
    ended('waiting_for_review', 31),
    {},
  ]
  for (const [index, row] of rows.entries()) {
    const named = { attempt_no: index + 1, adapter: adapters[index]! }
    await keepAttempt(hone, rule_id, { ...named, ...row })
  }
  const folder = join(app.config.dataDir, 'objects', 'adapters')
  const old = new Date(Date.now() - 2 * 3_600_000)
  for (const name of await readdir(folder)) await utimes(join(folder, name), old, old)
  await removeUnnamedWeights.run(app)
  assert.deepEqual((await readdir(folder)).sort(), adapters.slice(2).sort())
})

test('rows of attempts that do not run are removed, and what else is in their folder is not', async () => {
  const { rule_id } = await hone.pipeline('Left its rows')
  const ended = await keepAttempt(hone, rule_id, endedAs('stopped'))
  const running = await keepAttempt(hone, rule_id, { attempt_no: 2 })
  const folder = join(hone.app.config.dataDir, 'rows')
  await mkdir(folder, { recursive: true })
  const endings = ['.jsonl', '.jsonl.0b5c']
  const kept = [...endings.map((ending) => running.id + ending), 'notes.jsonl', ended.id]
  const names = [...endings.map((ending) => ended.id + ending), ...kept]
  for (const name of names) await writeFile(join(folder, name), '')
  await removeUnnamedWeights.run(hone.app)
  assert.deepEqual((await readdir(folder)).sort(), kept.sort())
})

/** One of its own; by its hash. */
async function adapterOf({ app }: LoopHone, words: string): Promise<string> {
  const folder = join(app.config.dataDir, `adapter ${words}`)
  await cp(miniAdapter, folder, { recursive: true })
  await writeFile(join(folder, 'adapter_config.json'), JSON.stringify({ words }))
  return app.learning.modelStore.keepAdapter(folder)
}

/** The bundled model with other words in its config; by its hash. */
async function changedBase({ app }: LoopHone, words: string): Promise<string> {
  const folder = join(app.config.dataDir, words)
  await cp(bundledModel, folder, { recursive: true })
  const file = join(folder, 'config.json')
  const config = JSON.parse(await readFile(file, 'utf8')) as object
  await writeFile(file, JSON.stringify({ ...config, words }))
  return app.learning.modelStore.keepModel(folder)
}
