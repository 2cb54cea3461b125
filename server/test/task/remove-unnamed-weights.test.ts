// Which weights stay on the disk: those that a pipeline or a deployment names.
import assert from 'node:assert/strict'
import { readdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { removeUnnamedWeights } from '#server/task/remove-unnamed-weights.ts'
import { deployment, storeAdapter } from '#test/support/deployments.ts'
import { type LoopHone, loopHone } from '#test/support/loop-hone.ts'

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
