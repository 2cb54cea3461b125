// What each refusal is called in either dialect, for those too that no caller brings about by what they send.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inferenceErrors, type InferenceErrorCode } from '#contract/errors.ts'
import { Refusal } from '#server/core/refusal.ts'
import { renderChatError } from '#server/dialect/chat/render-error.ts'
import { renderMessagesError } from '#server/dialect/messages/render-error.ts'

type Row = [status: number, chat: string, messages: string]
const bad: Row = [400, 'invalid_request_error', 'invalid_request_error']

const rows: Record<InferenceErrorCode, Row> = {
  invalid_json: bad,
  invalid_body: bad,
  unsupported_parameter: bad,
  missing_required_parameter: bad,
  invalid_value: bad,
  unsupported_by_model: bad,
  context_length_exceeded: bad,
  missing_bearer_token: [401, 'invalid_request_error', 'authentication_error'],
  invalid_api_key: [401, 'invalid_request_error', 'authentication_error'],
  insufficient_scope: [401, 'invalid_request_error', 'authentication_error'],
  insufficient_balance: [402, 'insufficient_quota', 'billing_error'],
  not_found: [404, 'invalid_request_error', 'not_found_error'],
  model_not_found: [404, 'invalid_request_error', 'not_found_error'],
  method_not_allowed: [405, 'invalid_request_error', 'invalid_request_error'],
  request_too_large: [413, 'invalid_request_error', 'request_too_large'],
  expectation_failed: [417, 'invalid_request_error', 'invalid_request_error'],
  rate_limit_exceeded: [429, 'rate_limit_error', 'rate_limit_error'],
  internal_error: [500, 'server_error', 'api_error'],
  upstream_failed: [502, 'server_error', 'api_error'],
  no_healthy_route: [503, 'service_unavailable_error', 'overloaded_error'],
  unavailable: [503, 'service_unavailable_error', 'overloaded_error'],
}

test('every refusal has its status, and its type in each dialect', () => {
  assert.deepEqual(Object.keys(rows).sort(), Object.keys(inferenceErrors).sort())
  for (const [code, [status, chat, messages]] of Object.entries(rows)) {
    const refusal = new Refusal(code as InferenceErrorCode, 'No.', { param: 'model' })
    assert.equal(refusal.status, status, code)
    assert.deepEqual(JSON.parse(renderChatError(refusal)), {
      error: { message: 'No.', type: chat, param: 'model', code },
    })
    assert.deepEqual(JSON.parse(renderMessagesError(refusal, 'id')), {
      type: 'error',
      error: { type: messages, message: 'No.', param: 'model' },
      request_id: 'id',
    })
  }
})

test('without a field at fault the chat dialect says null and the messages dialect nothing', () => {
  const refusal = new Refusal('internal_error', 'No.')
  assert.deepEqual(JSON.parse(renderChatError(refusal)), {
    error: { message: 'No.', type: 'server_error', param: null, code: 'internal_error' },
  })
  assert.deepEqual(JSON.parse(renderMessagesError(refusal, 'id')), {
    type: 'error',
    error: { type: 'api_error', message: 'No.' },
    request_id: 'id',
  })
})

test('what the platform calls forbidden is a permission_error for messages clients', () => {
  const answer = JSON.parse(renderMessagesError(new Refusal('FORBIDDEN', 'No.'), 'id')) as {
    error: object
  }
  assert.deepEqual(answer.error, { type: 'permission_error', message: 'No.' })
})

test('a thread that is asked for is refused in the words that tool runners go on after', () => {
  const refusal = new Refusal('unsupported_parameter', 'No.', { param: 'thread' })
  assert.deepEqual(JSON.parse(renderMessagesError(refusal, 'id')), {
    type: 'error',
    error: {
      type: 'invalid_request_error',
      message: 'No.',
      param: 'thread',
      details: { error_code: 'thread_unsupported_request' },
    },
    request_id: 'id',
  })
})
