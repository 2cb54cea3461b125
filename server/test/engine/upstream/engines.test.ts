// Which routes share an engine: those to the same place in the same way, and no others. An engine has one key and one way to
// write a request, so that two routes which shared one by mistake would send the key of the one to the server of the other.
import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { test, type TestContext } from 'node:test'
import { EngineError } from '#server/engine/engine.ts'
import { type EngineAddress, Engines } from '#server/engine/engines.ts'
import { ModelStore } from '#server/model-store/model-store.ts'

const env = { KEY: 'one', OTHER_KEY: 'two', BLANK: ' \n', LINES: 'a\nb', BEYOND: 'a→b' }

function enginesOf(t: TestContext): Engines {
  const engines = new Engines(env, new Uint8Array(32), new ModelStore(tmpdir()), 1e9)
  t.after(() => engines.close())
  return engines
}

const chat = {
  engine: 'openai-compatible',
  base_url: 'http://127.0.0.1:9/v1',
  cache_salt: false,
  passes_thinking: false,
  tokenizes: false,
  continues: false,
  whole_only: false,
  max_tokens_field: 'max_tokens',
  thinking: 'none',
  leaves_out: [],
} as const satisfies EngineAddress
const messages = {
  engine: 'anthropic-compatible',
  base_url: 'http://127.0.0.1:9/v1',
  key_header: 'x-api-key',
  thinking: 'none',
  leaves_out: [],
} as const satisfies EngineAddress

const others: EngineAddress[] = [
  messages,
  { ...chat, base_url: 'http://127.0.0.1:9/v2' },
  { ...chat, api_key_env: 'KEY' },
  { ...chat, api_key_env: 'OTHER_KEY' },
  { ...chat, headers: { 'x-team': 'a' } },
  { ...chat, headers: { 'x-team': 'b' } },
  { ...chat, headers: { 'x-team': { env: 'KEY' } } },
  { ...messages, headers: { 'x-team': 'a' } },
  { ...chat, cache_salt: true },
  { ...chat, passes_thinking: true },
  { ...chat, tokenizes: true },
  { ...chat, continues: true },
  { ...chat, whole_only: true },
  { ...chat, max_tokens_field: 'max_completion_tokens' },
  { ...chat, thinking: 'reasoning_effort' },
  { ...chat, leaves_out: ['temperature'] },
  { ...chat, leaves_out: ['temperature', 'top_p'] },
  { ...chat, first_byte_seconds: 5 },
  { ...messages, key_header: 'authorization' },
  { ...messages, thinking: 'budget' },
  { engine: 'judge-basic' },
  { engine: 'embedded' },
  { engine: 'embedded', model_folder: '/models/other' },
]

test('routes to the same place in the same way share an engine, and no others do', (t) => {
  const engines = enginesOf(t)
  const all = [chat, ...others]
  const opened = all.map((address) => engines.at(address))
  assert.equal(new Set(opened).size, all.length)
  for (const [index, address] of all.entries()) {
    assert.equal(engines.at(address), opened[index])
    assert.equal(engines.at({ ...address }), opened[index], JSON.stringify(address))
  }
})

test('a route whose key is not there, blank or nothing that a header can hold is not set up', (t) => {
  const engines = enginesOf(t)
  for (const api_key_env of ['MISSING', 'BLANK', 'LINES', 'BEYOND']) {
    for (const way of [{ api_key_env }, { headers: { 'x-team-key': { env: api_key_env } } }]) {
      assert.throws(
        () => engines.at({ ...chat, ...way }),
        (error) =>
          error instanceof EngineError &&
          error.failure === 'not-set-up' &&
          !error.message.includes(api_key_env) &&
          (error.cause as Error).message.includes(api_key_env),
      )
    }
  }
})
