// What a model server is asked beside its calls: what counts as an answer, and that no answer is no error.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  answersModels,
  askCount,
  readBounded,
  type SideAnswer,
} from '#server/engine/upstream/side-questions.ts'

const { signal } = new AbortController()
const asked: unknown[] = []
const saying = (answer: SideAnswer | null) => ({
  ask: (path: string, _: unknown, body?: object) => {
    asked.push([path, body])
    return Promise.resolve(answer)
  },
})

test('a server is there by its list of models, and says nothing where it has none', async () => {
  const there = (status: number | null): Promise<boolean | null> =>
    answersModels(saying(status === null ? null : { status, json: null }), signal)
  assert.equal(await there(200), true)
  for (const status of [404, 405, 501]) assert.equal(await there(status), null, `${status}`)
  for (const status of [400, 401, 403, 429, 500, 502, 503, null]) {
    assert.equal(await there(status), false, `${status}`)
  }
  assert.deepEqual(asked.at(-1), ['models', undefined])
})

test('a count is a whole number of an answer with status 200, and nothing else', async () => {
  const count = (status: number, json: unknown): Promise<number | null> =>
    askCount(saying({ status, json }), 'count', { a: 1 }, 'tokens', signal)
  assert.equal(await count(200, { tokens: 7, other: 8 }), 7)
  assert.equal(await count(200, { tokens: 0 }), 0)
  assert.equal(await count(201, { tokens: 7 }), null)
  for (const json of [{ tokens: -1 }, { tokens: 1.5 }, { tokens: 2 ** 53 }, { tokens: '7' }]) {
    assert.equal(await count(200, json), null, JSON.stringify(json))
  }
  for (const json of [{}, [], null, 7, 'tokens']) assert.equal(await count(200, json), null)
  assert.equal(await askCount(saying(null), 'count', {}, 'tokens', signal), null)
  assert.deepEqual(asked.at(-2), ['count', { a: 1 }])
})

async function* pieces(...texts: string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield await Promise.resolve(Buffer.from(text))
}

test('an answer is read as JSON, nothing where it is none, and up to 8 MiB', async () => {
  assert.deepEqual(await readBounded(pieces('{"a"', ':1}')), { a: 1 })
  assert.equal(await readBounded(pieces('<html>')), null)
  assert.equal(await readBounded(pieces()), null)
  const most = ' '.repeat(8 * 1024 * 1024 - 1)
  assert.equal(await readBounded(pieces(most, '7')), 7)
  await assert.rejects(readBounded(pieces(most, '7', ' ')), /too much/)
})
