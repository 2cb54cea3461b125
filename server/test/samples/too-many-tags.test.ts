// A sample has 32 tags at most: of more, those that a header asks for stay, and what is left out is counted.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually, type LoopHone, loopHone } from '#test/support/loop-hone.ts'

let hone: LoopHone
before(async () => {
  hone = await loopHone()
  await hone.pipeline('Support')
})
after(() => hone.stop())

test('configured tags that do not fit beside those of a header are counted, and no call is missed', async () => {
  const tags = Array.from({ length: 32 }, (_, nr) => `c${nr}`)
  const put = await hone.call('PUT', '/api/loop/configs/plain', {
    key: hone.owner.key,
    body: { enabled: true, tags },
  })
  assert.equal(put.status, 200, put.text)
  assert.deepEqual((await hone.sampleOf(await hone.ask())).tags, tags)
  const answer = await hone.ask({ headers: { 'x-loop-pipeline': 'support' } })
  assert.deepEqual((await hone.sampleOf(answer)).tags, ['support', ...tags.slice(0, 31)])
  const { capture } = await eventually(
    () => hone.stats(),
    ({ capture: { counts } }) => counts.some(({ outcome }) => outcome === 'too_many_tags'),
  )
  const left = capture.counts.filter(({ outcome }) => outcome === 'too_many_tags')
  assert.deepEqual(
    left.map(({ source, tag, calls }) => [source, tag, calls]),
    [['plain', 'c31', 1]],
  )
  assert.equal(capture.not_recorded, 0)
})

test('a tag that is said twice counts once', async () => {
  const tags = Array.from({ length: 32 }, (_, nr) => `c${nr}`)
  const put = (list: string[]) =>
    hone.call('PUT', '/api/loop/configs/plain', {
      key: hone.owner.key,
      body: { enabled: true, tags: list },
    })
  assert.equal((await put([...tags, 'c31'])).status, 200)
  const refused = await put([...tags, 'c32'])
  assert.equal(refused.status, 400, refused.text)
  assert.match(refused.text, /tags: must have at most 32 different tags/)
  const posted = await hone.call('POST', '/api/loop/traces', {
    key: hone.owner.key,
    body: { deployment_id: 'plain', prompt: 'a', completion: 'b', labels: [...tags, 'c0'] },
  })
  assert.ok(posted.status < 300, posted.text)
})
