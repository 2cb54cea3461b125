// What a status, a code or a reason of a model server says: of the request, of the route, or of the moment.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errors } from 'undici'
import { toldStatus } from '#server/engine/openai-compatible/told-status.ts'
import { failureOfError, failureOfStatus } from '#server/engine/upstream/failures.ts'
import { failureOfRefusal } from '#server/engine/upstream/refusals.ts'
import { retryAfterSeconds } from '#server/engine/upstream/retry-after.ts'
import { isRouteTrouble } from '#server/engine/upstream/route-troubles.ts'
import { SseNotText, SseTooLarge } from '#server/lib/sse.ts'

test('a status is an overload or a fault, and only of one fault the request may be the reason', () => {
  for (const status of [429, 503, 529]) {
    assert.equal(failureOfStatus(status).failure, 'overloaded')
    assert.equal(failureOfStatus(status).retryAfterSeconds, undefined)
    assert.equal(failureOfStatus(status, '9').retryAfterSeconds, 9)
  }
  for (const status of [204, 301, 401, 404, 408, 428, 430, 500, 502, 504, 528, 530]) {
    const { failure, mayBeRequest, message } = failureOfStatus(status, '9')
    assert.deepEqual([failure, mayBeRequest], ['broken', status === 500])
    assert.equal(message, `The model server answered with status ${status}.`)
  }
})

test('each error of a transport or a reader has its sentence, and its text stays here', () => {
  const coded = (code: string) => Object.assign(new Error('http://secret'), { code })
  for (const [error, failure, sentence] of [
    [new errors.HeadersTimeoutError(), 'timeout', 'The model server did not answer in time.'],
    [new errors.BodyTimeoutError(), 'timeout', 'The model server did not answer in time.'],
    [new errors.ConnectTimeoutError(), 'timeout', 'The model server did not answer in time.'],
    [new SseTooLarge(), 'broken', 'The model server sent an answer that is too large.'],
    [new SseNotText(), 'broken', 'The model server sent a response that is not a valid answer.'],
    ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'].map(
      (code) => [coded(code), 'unreachable', 'The model server cannot be reached.'] as const,
    ),
    [coded('ECONNRESET'), 'broken', 'The connection to the model server broke.'],
    [coded('XENOTFOUNDX'), 'broken', 'The connection to the model server broke.'],
    [new Error('http://secret'), 'broken', 'The connection to the model server broke.'],
    [undefined, 'broken', 'The connection to the model server broke.'],
  ] as const) {
    const told = failureOfError(error)
    assert.deepEqual([told.failure, told.message], [failure, sentence])
  }
  const own = failureOfStatus(503)
  assert.equal(failureOfError(own), own)
})

test('when to come back is said in seconds or as a date', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  const at = (value: unknown): number | undefined => retryAfterSeconds(value, now)
  assert.equal(at('Thu, 01 Jan 2026 00:00:20 GMT'), 20)
  assert.equal(at('Thu, 01 Jan 2026 00:01:00 GMT'), 60)
  assert.equal(at('2026-01-01T00:00:01.500Z'), 2)
  assert.equal(at('Wed, 31 Dec 2025 23:59:00 GMT'), 1)
  assert.equal(at('1.01'), 2)
  for (const value of [undefined, null, 7, '', ' ', 'soon', ['7']])
    assert.equal(at(value), undefined)
})

test('the status of an error inside of an answer is told as a number or in words', () => {
  for (const [error, status] of [
    [{ code: 429 }, 429],
    [{ code: '503' }, 503],
    [{ status_code: 400 }, 400],
    [{ http_status_code: 422 }, 422],
    [{ status: 599 }, 599],
    [{ code: 200, status: 413 }, 413],
    [{ code: 'invalid_request_error' }, 400],
    [{ type: 'BadRequestError' }, 400],
    [{ code: 'context_length_exceeded' }, 400],
    [{ type: 'rate_limit_error' }, 429],
    [{ code: 'rate-limit-exceeded' }, 429],
    [{ code: 'Too Many Requests' }, 429],
    [{ type: 'overloaded' }, 503],
    [{ type: 'overloaded_error' }, 503],
    [{ code: 'service_unavailable' }, 503],
    [{ type: 'ServiceUnavailableError' }, 503],
    [{ code: 'server_error', type: 'overloaded_error' }, 503],
    [{ code: 399 }, null],
    [{ code: 600 }, null],
    [{ code: 400.5 }, null],
    [{ code: 'server_error', type: 7 }, null],
    ['429', null],
    [null, null],
  ] as const) {
    assert.equal(toldStatus(error), status, JSON.stringify(error))
  }
})

test('reasons that are about a route are told from those about a request', () => {
  for (const reason of [
    'api key not valid. please pass a valid api key.',
    'api key expired. please renew the api key.',
    'incorrect api key provided: x.',
    'invalid api key',
    'your credit balance is too low to access the api.',
    'you have reached your specified api usage limits.',
    'this organization has been disabled.',
    'user location is not supported for the api use.',
    'model not exist',
    'invalid model: x',
    '/chat/completions: invalid model name passed in model=x.',
    'no connected db.',
    'the provided model identifier is invalid.',
    'some/model is not a valid model id',
    'either x-portkey-config or x-portkey-provider header is required',
    'invalid provider passed',
    'invalid config passed',
    'invalid custom host',
    ...['api_key_invalid', 'billing_hard_limit_reached', 'insufficient_quota', 'invalid_api_key'],
    ...['invalid_model', 'model_decommissioned', 'model_not_found', 'no_db_connection'],
  ]) {
    assert.ok(isRouteTrouble(reason), reason)
    assert.ok(!isRouteTrouble(`field required near: ${reason}`), reason)
    const { failure } = failureOfRefusal(400, JSON.stringify({ error: { message: reason } }))
    assert.equal(failure, 'broken', reason)
  }
})

test('a reason is read from the fields for reasons, however they are nested, and to a depth', () => {
  const means = (body: unknown): string => failureOfRefusal(422, JSON.stringify(body)).message
  const schema = 'The model server cannot follow the JSON schema of this request; simplify it.'
  const general = 'The model server refused the request; change it before you send it again.'
  const reason = 'bad grammar'
  for (const name of ['code', 'type', 'message', 'msg', 'detail', 'details', 'error', 'errors']) {
    assert.equal(means({ [name]: reason }), schema, name)
  }
  assert.equal(means([{ detail: [{ msg: reason }] }]), schema)
  assert.equal(means({ error: { error: { error: { error: reason } } } }), schema)
  assert.equal(means([[[[[reason]]]]]), general)
  assert.equal(means({ error: { error: { error: { error: { error: reason } } } } }), general)
  for (const name of ['input', 'param', 'ctx']) assert.equal(means({ [name]: reason }), general)
  // What every refusal is called says nothing of it.
  assert.equal(means({ type: 'invalid_request_error', message: 'image' }), general)
  assert.equal(means({ type: 'BadRequestError', message: 'image' }), general)
})

test('the numbers of a reason that a prompt is too long are kept, sixteen at most', () => {
  const numbers = (message: string): readonly number[] | undefined =>
    failureOfRefusal(400, JSON.stringify({ message })).tooLong?.numbers
  assert.deepEqual(
    numbers('prompt is too long: 210000 tokens > 200000 maximum'),
    [210_000, 200_000],
  )
  assert.equal(numbers(`prompt is too long: ${'7 '.repeat(20)}`)?.length, 16)
  assert.equal(numbers('bad grammar'), undefined)
})

test('a page is what stands before a model server, and knows nothing but a size', () => {
  for (const page of ['<html>grammar', ' \n<HTML>grammar', '<!DOCTYPE html>', '<!doctype html>']) {
    assert.equal(failureOfRefusal(400, page).failure, 'broken', page)
    assert.equal(failureOfRefusal(413, page).failure, 'refused', page)
  }
  assert.equal(failureOfRefusal(400, 'bad grammar in <html>').failure, 'refused')
})

test('a status of a key is a refusal only of what was said', () => {
  assert.equal(failureOfRefusal(403, '{"message":"flagged"}').failure, 'refused')
  assert.equal(failureOfRefusal(403, '{"message":"bad grammar"}').failure, 'broken')
  assert.equal(failureOfRefusal(403, '').failure, 'broken')
})
