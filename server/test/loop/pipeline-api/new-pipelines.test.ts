// A pipeline that was just created or deleted: the very next call, import and post already go by it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type LoopHone, loopHone } from '#test/support/loop-hone.ts'
import { testHone } from '#test/support/test-hone.ts'

let hone: LoopHone
before(async () => {
  hone = await loopHone()
})
after(() => hone.stop())

const recorded = async (tag: string): Promise<boolean> => {
  const answer = await hone.ask({ headers: { 'x-loop-pipeline': tag } })
  assert.equal(answer.status, 200, answer.text)
  return answer.headers.get('x-loop-sample-id') !== null
}

test('the next call is recorded under it, and no call after its deletion', async () => {
  await recorded('nobody')
  for (let round = 0; round < 20; round++) {
    const { tag, rule_id } = await hone.pipeline(`Round ${round}`)
    assert.equal(await recorded(tag), true, tag)
    const path = `/api/loop/pipelines/${rule_id}`
    assert.equal((await hone.call('DELETE', path, { key: hone.owner.key })).status, 204)
    assert.equal(await recorded(tag), false, tag)
  }
})

test('a post, a configuration and an import at another process go by it at once too', async () => {
  const second = await testHone({ databaseUrl: hone.databaseUrl })
  const key = hone.owner.key
  try {
    for (let round = 0; round < 20; round++) {
      const { tag, rule_id } = await hone.pipeline(`Elsewhere ${round}`)
      const [post, put, rows] = await Promise.all([
        second.call('POST', '/api/loop/traces', {
          key,
          body: { deployment_id: tag, prompt: 'q', completion: 'a' },
        }),
        second.call('PUT', `/api/loop/configs/${tag}`, { key, body: { enabled: true } }),
        second.call('POST', `/api/loop/pipelines/${rule_id}/import`, {
          key,
          body: { rows: [{ prompt: 'q' }] },
        }),
      ])
      assert.deepEqual([post.status, put.status, rows.status], [201, 200, 200], post.text)
    }
    const missing = await second.call('PUT', '/api/loop/configs/nobody', {
      key,
      body: { enabled: true },
    })
    assert.equal(missing.status, 404)
  } finally {
    await second.stop()
  }
})
