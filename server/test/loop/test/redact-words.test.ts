// What is stored of a test where redaction does not come to its end.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { App } from '#server/app.ts'
import { redactReason, redactReply } from '#server/loop/test/redact-words.ts'
import { RedactionTimeout } from '#server/samples/redact/redaction-pool.ts'

const slow = (closing = false): App =>
  ({
    samples: { redaction: { redact: () => Promise.reject(new RedactionTimeout('late')) } },
    operations: { closing },
  }) as unknown as App
const said = { blocks: [{ type: 'text' as const, text: 'Hello.' }], cost: 7n }

test('an answer that is not redacted in time is none and costs what it cost, and a reason is left out', async () => {
  const reply = await redactReply(slow(), said)
  assert.partialDeepStrictEqual(reply, { failed: 'no_answer', away: false, cost: 7n })
  assert.equal(await redactReason(slow(), 'Because.'), null)
})

test('redaction that ends because Hone stops is no failure of an answer', async () => {
  await assert.rejects(redactReply(slow(true), said), RedactionTimeout)
  await assert.rejects(redactReason(slow(true), 'Because.'), RedactionTimeout)
})
