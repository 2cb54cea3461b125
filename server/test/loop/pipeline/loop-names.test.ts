// The names loop-<tag> while nothing is live under them: errors that clients of both dialects understand.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import OpenAI, { NotFoundError } from 'openai'
import { createKey, otherOrg } from '#test/support/accounts.ts'
import { type LoopHone, loopHone } from '#test/support/loop-hone.ts'

let hone: LoopHone

before(async () => {
  hone = await loopHone()
  await hone.pipeline('Support')
})
after(() => hone.stop())

test('on chat it is a 404 that says why', async () => {
  const answer = await hone.ask({ model: 'loop-support' })
  assert.equal(answer.status, 404)
  assert.equal(answer.json.error?.code, 'model_not_found')
  assert.match(answer.json.error?.message ?? '', /no live version/)
})

test('the SDK raises it as a model that is not there, and does not try again', async () => {
  const client = new OpenAI({ baseURL: `${hone.url}/v1`, apiKey: hone.owner.key })
  await assert.rejects(
    client.chat.completions.create({
      model: 'loop-support',
      messages: [{ role: 'user', content: 'Hi' }],
    }),
    NotFoundError,
  )
})

test('on messages a deployment is a 400, also when it is only counted', async () => {
  for (const path of ['/v1/messages', '/v1/messages/count_tokens']) {
    const answer = await hone.call('POST', path, {
      bearer: hone.owner.key,
      body: {
        model: 'loop-support',
        ...(path.endsWith('s') && !path.includes('count') ? { max_tokens: 5 } : {}),
        messages: [{ role: 'user', content: 'Hi' }],
      },
    })
    assert.equal(answer.status, 400, answer.text)
    assert.match(answer.json.error?.message ?? '', /chat\/completions/)
  }
})

test('it needs the scope deployments:read', async () => {
  const session = await hone.login(hone.owner.email, hone.owner.password)
  const { secret } = await createKey(hone, session, { scopes: ['serverless'] })
  for (const dialect of ['chat', 'messages'] as const) {
    const answer = await hone.ask({ model: 'loop-support', key: secret, dialect })
    assert.equal(answer.status, 404)
    assert.match(answer.json.error?.message ?? '', /deployments:read/)
  }
  const both = await createKey(hone, session, { scopes: ['serverless', 'deployments:read'] })
  assert.equal((await hone.ask({ model: 'loop-support', key: both.secret })).status, 404)
})

test('a tag of nobody, or of another workspace, is a model that is not there', async () => {
  const stranger = await otherOrg(hone)
  for (const [model, key] of [
    ['loop-nobody', hone.owner.key],
    ['loop-', hone.owner.key],
    ['loop-support', stranger.secret],
  ] as const) {
    for (const dialect of ['chat', 'messages'] as const) {
      const answer = await hone.ask({ model, key, dialect })
      assert.equal(answer.status, 404, answer.text)
      assert.doesNotMatch(answer.text, /live version/)
    }
  }
})
