// The schema of an answer is a part of the prompt to most model servers: it is held for, and counts to the tokens of the minute.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ChaosHone, chaosHone, dialects } from '#test/support/chaos-hone.ts'
import { openStream } from '#test/support/open-stream.ts'
import { until } from '#test/support/until.ts'

let rig: ChaosHone
before(async () => {
  rig = await chaosHone()
})
after(() => rig.stop())

const schema = { type: 'object', description: 'x'.repeat(20_000) }
const asked = {
  chat: { response_format: { type: 'json_schema', json_schema: { name: 'a', schema } } },
  messages: { output_config: { format: { type: 'json_schema', schema } } },
}

for (const dialect of dialects) {
  test(`${dialect}: a schema is held for like any other text`, async () => {
    const held = async (fields: object): Promise<number> => {
      const stream = await openStream(rig, dialect, { model: 'hang_mid_stream', ...fields })
      await until(() => stream.text.includes('Hello'))
      const { held_usd } = await rig.wallet()
      stream.abort()
      await rig.settled()
      return Number(held_usd)
    }
    const more = (await held(asked[dialect])) - (await held({}))
    // At a dollar for a million tokens, and a token for each byte.
    assert.ok(more >= 0.02 && more < 0.0205, String(more))
  })
}
