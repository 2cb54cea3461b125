// Fields that steer the words of an answer, at servers that do not take them: the call is answered without, and says so.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StreamPart } from '#server/core/stream-part.ts'
import { EngineError } from '#server/engine/engine.ts'
import type { EngineCall } from '#server/engine/engine.ts'
import { askedSteering } from '#server/engine/openai-compatible/asked-steering.ts'
import { request } from '#test/engine/embedded/requests.ts'

type Outcome = StreamPart[] | EngineError

/** Asks a server that answers each call in turn so, and says with which fields it was asked. */
async function ask(steering: EngineCall['request']['steering'], outcomes: Outcome[]) {
  const seen: unknown[] = []
  const adjusted: string[] = []
  async function* server({ request: asked }: EngineCall): AsyncGenerator<StreamPart[]> {
    seen.push(asked.steering)
    const outcome = await Promise.resolve(outcomes[seen.length - 1]!)
    if (outcome instanceof EngineError) throw outcome
    yield outcome
  }
  const call: EngineCall = {
    request: { ...request(''), ...(steering === undefined ? {} : { steering }) },
    engineModel: 'm',
    effort: null,
    thinkingBudgetTokens: null,
    maxTokens: 5,
    requestId: 'r',
    workspaceId: 'w',
    adjusted,
  }
  const parts: StreamPart[] = []
  let failure: unknown = null
  try {
    for await (const group of askedSteering(call, server)) parts.push(...group)
  } catch (error) {
    failure = error
  }
  return { seen, adjusted, parts, failure }
}

const hello: StreamPart[] = [{ type: 'text-delta', text: 'Hello' }]
const refused = new EngineError('refused', 'No.')
const steering = { logitBias: { '5': 1 }, verbosity: 'low' } as const

test('a server that refuses them is asked without, and the answer names what was left out', async () => {
  const { seen, adjusted, parts } = await ask(steering, [refused, hello])
  assert.deepEqual(seen, [steering, undefined])
  assert.deepEqual(adjusted, ['logit_bias', 'verbosity'])
  assert.deepEqual(parts, hello)
})

test('a server that takes them is asked once', async () => {
  const { seen, adjusted } = await ask(steering, [hello])
  assert.deepEqual([seen, adjusted], [[steering], []])
})

test('what is refused without them too is refused as that', async () => {
  const other = new EngineError('refused', 'Never.')
  assert.equal((await ask(steering, [refused, other])).failure, other)
})

test('nothing is asked twice without them, for a prompt that is too long, or where the server failed', async () => {
  const tooLong = new EngineError('refused', 'Too long.', { tooLong: { numbers: [] } })
  const broken = new EngineError('broken', 'It broke.')
  for (const [given, outcome] of [
    [undefined, refused],
    [steering, tooLong],
    [steering, broken],
  ] as const) {
    const { seen, failure } = await ask(given, [outcome])
    assert.deepEqual([seen, failure], [[given], outcome])
  }
})
