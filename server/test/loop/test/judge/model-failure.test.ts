// What a failed platform call says of the sample: the model gave no answer, the question was too long, or nothing at all.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ErrorCode } from '#contract/errors.ts'
import { Refusal, type RefusalDetail } from '#server/core/refusal.ts'
import { EngineError } from '#server/engine/engine.ts'
import { noRetry } from '#server/inference/no-retry.ts'
import { modelFailure } from '#server/loop/test/judge/model-failure.ts'

const refused = (code: ErrorCode, detail: RefusalDetail = {}) => new Refusal(code, 'Why.', detail)
const away = (retryAfterSeconds?: number) =>
  new EngineError(
    'overloaded',
    'Why.',
    retryAfterSeconds === undefined ? {} : { retryAfterSeconds },
  )

test('each failure is the model’s for good, for now, or none of its own', () => {
  for (const [error, expected] of [
    [refused('context_length_exceeded'), ['too_long', null, false]],
    [refused('invalid_value'), ['no_answer', null, false]],
    [refused('unsupported_by_model'), ['no_answer', null, false]],
    [away(), ['no_answer', 500, false]],
    [away(2), ['no_answer', 2000, false]],
    // The refusal's own advice is for clients where the server said nothing.
    [
      refused('no_healthy_route', { retryAfterSeconds: 5, cause: away() }),
      ['no_answer', 500, true],
    ],
    [
      refused('no_healthy_route', { retryAfterSeconds: 5, cause: away(60) }),
      ['no_answer', 20_000, true],
    ],
    // The route rests.
    [refused('no_healthy_route', { retryAfterSeconds: 5 }), ['no_answer', null, true]],
    [refused('no_healthy_route', { headers: noRetry }), ['no_answer', null, false]],
    [refused('upstream_failed'), ['no_answer', 500, false]],
    [refused('upstream_failed', { retryAfterSeconds: 3 }), ['no_answer', 3000, false]],
    [refused('model_not_found'), null],
    [refused('invalid_api_key'), null],
    [refused('insufficient_scope'), null],
    [refused('insufficient_balance'), null],
    [refused('unavailable'), null],
    [refused('internal_error'), null],
    [new Error('a mistake of ours'), null],
  ] as const) {
    const failure = modelFailure(error)
    assert.deepEqual(failure && [failure.failed, failure.pauseMs, failure.away], expected)
    assert.ok(failure === null || failure.why === 'Why.')
  }
})
