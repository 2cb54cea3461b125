// A prompt that the bundled model has no room for is refused before anything is held or taken for it, in both dialects; one that
// just fits is answered.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { defaultCatalog } from '#server/catalog/default-catalog.ts'
import { dialects, dig, paths } from '#test/support/chaos-hone.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'

let hone: TestHone
before(async () => {
  const limits = { requests_per_minute: 1, tokens_per_minute: 100_000 }
  hone = await testHone({ clock: new ManualClock(), catalog: { ...defaultCatalog, limits } })
})
after(() => hone.stop())

function ask(path: string, content: string, more: object = {}): Promise<Answer> {
  const messages = [{ role: 'user', content }]
  return hone.call('POST', path, {
    bearer: hone.owner.key,
    body: { model: 'hone/hone-mini', max_tokens: 4, messages, ...more },
  })
}

// A little beyond the window of 2,048 tokens, and so far beyond it that nobody would count.
for (const words of [3_000, 1_000_000]) {
  for (const dialect of dialects) {
    test(`${dialect}: ${words} words are refused, and cost nothing of the wallet or the ceilings`, async () => {
      for (const stream of [false, true]) {
        const answer = await ask(paths[dialect], 'word '.repeat(words), { stream })
        assert.equal(answer.status, 400, answer.text.slice(0, 500))
        assert.equal(dig(answer.json, 'error.type'), 'invalid_request_error')
        assert.equal(dig(answer.json, 'error.param'), 'messages')
        assert.match(
          String(dig(answer.json, 'error.message')),
          /prompt is too long: .* has room for 2047/,
        )
        if (dialect === 'chat')
          assert.equal(dig(answer.json, 'error.code'), 'context_length_exceeded')
        assert.equal(answer.headers.get('x-ratelimit-limit-requests'), null)
      }
      const { json } = await hone.call('GET', '/api/wallet', { key: hone.owner.key })
      assert.deepEqual(json, { balance_usd: '100', held_usd: '0' })
    })
  }
}

test('count_tokens says how long one is, or refuses it as a call would be', async () => {
  const counted = await ask('/v1/messages/count_tokens', 'w '.repeat(3_000))
  assert.ok(Number(dig(counted.json, 'input_tokens')) > 3_000, counted.text)
  const refused = await ask('/v1/messages/count_tokens', 'word '.repeat(1_000_000))
  assert.equal(refused.status, 400)
  assert.equal(dig(refused.json, 'error.param'), 'messages')
  assert.match(
    String(dig(refused.json, 'error.message')),
    /prompt is too long: .* has room for 2047/,
  )
})

test('one that fits is answered, and is the first of its minute', async () => {
  const answer = await ask(paths.chat, 'word '.repeat(500))
  assert.equal(answer.status, 200, answer.text)
  assert.equal(answer.headers.get('x-ratelimit-remaining-requests'), '0')
  assert.equal((await ask(paths.chat, 'word')).status, 429)
})
