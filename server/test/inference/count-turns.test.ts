// Prompts that are only counted: they cost nothing, so a workspace may have only so many counted at once.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Engine } from '#server/engine/engine.ts'
import { type ChaosHone, chaosHone, dig, leastBody } from '#test/support/chaos-hone.ts'
import type { Answer } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'

let rig: ChaosHone
before(async () => {
  rig = await chaosHone()
})
after(() => rig.stop())

test('sixteen of a workspace are counted at once, five hundred wait, and one more is told to come back', async () => {
  let [counting, most] = [0, 0]
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const slow: Engine = {
    async *call() {
      throw new Error('nobody asks for an answer here')
    },
    async countPromptTokens() {
      counting += 1
      most = Math.max(most, counting)
      await gate
      counting -= 1
      return 7
    },
    busy: false,
    close: () => Promise.resolve(),
  }
  rig.hone.app.calls.answerPorts.engineAt = () => slow
  const answers: Answer[] = []
  const all = Array.from({ length: 517 }, async () => {
    const { messages } = leastBody
    const body = { model: 'ok', messages }
    const answer = await rig.hone.call('POST', '/v1/messages/count_tokens', {
      bearer: rig.hone.owner.key,
      body,
    })
    answers.push(answer)
  })
  await until(() => answers.length > 0)
  const [first] = answers
  open()
  await Promise.all(all)
  assert.equal(first?.status, 429, first?.text)
  assert.equal(dig(first?.json, 'error.type'), 'rate_limit_error')
  assert.equal(first?.headers.get('retry-after'), '1')
  assert.equal(most, 16)
  const counted = answers.filter(({ status }) => status === 200)
  assert.equal(counted.length, 516)
  assert.deepEqual(counted[0]?.json, { input_tokens: 7 })
})
