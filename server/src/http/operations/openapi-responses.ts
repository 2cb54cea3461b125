// What a route may answer: its success, and each of its codes in the shape of its surface.
import { chatErrorBody, messagesErrorBody, platformErrorBody } from '#contract/error-bodies.ts'
import { type ErrorCode, isFinal, platformErrors, statusOf } from '#contract/errors.ts'
import type { Route } from '#contract/route.ts'
import type { Json } from '../../lib/json-object.ts'
import { surfaceOf } from '../surface.ts'
import { schema } from './openapi-schema.ts'

export const errorSchemas: Json = {
  PlatformError: schema(platformErrorBody, 'output'),
  ChatError: schema(chatErrorBody, 'output'),
  MessagesError: schema(messagesErrorBody, 'output'),
}

const schemaNames = { platform: 'PlatformError', chat: 'ChatError', messages: 'MessagesError' }

const text = { type: 'string' }

export const responseHeaders: Json = {
  RequestId: {
    description: 'Identifies the request in the logs: the id that the client sent, or a new one',
    schema: text,
  },
  RetryAfter: { description: 'Seconds to wait before a retry', schema: text },
  ShouldRetry: {
    description: '`false` where a retry cannot succeed; the official clients obey it',
    schema: { type: 'string', enum: ['false'] },
  },
  SampleId: {
    description: 'Id of the sample that this call becomes; absent if it is not recorded',
    schema: { type: 'string', format: 'uuid' },
  },
  ParamsAdjusted: {
    description:
      'Parameters that were served with another value than requested, separated by commas',
    schema: text,
  },
  CacheMarker: {
    description: 'For a call with `cache_control`: whether the model acts on it',
    schema: { type: 'string', enum: ['honoured', 'ignored'] },
  },
}

const requestId = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } }
const retryAfter = { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }
const shouldRetry = { 'X-Should-Retry': { $ref: '#/components/headers/ShouldRetry' } }
const ofCall = {
  'X-Loop-Sample-Id': { $ref: '#/components/headers/SampleId' },
  'X-Service-Params-Adjusted': { $ref: '#/components/headers/ParamsAdjusted' },
  'X-Service-Cache-Marker': { $ref: '#/components/headers/CacheMarker' },
}
const retryStatuses = [429, 503]
const hasRetryAfter = (code: ErrorCode): boolean =>
  code === 'SAMPLE_NOT_YET_RECORDED' || retryStatuses.includes(statusOf(code))

export function responses(record: Route): Json {
  const surface = surfaceOf(record.path, {})
  const body = { schema: { $ref: `#/components/schemas/${schemaNames[surface]}` } }
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of errorsOf(record)) {
    byStatus.set(statusOf(code), [...(byStatus.get(statusOf(code)) ?? []), code])
  }
  const failures = [...byStatus].map(([status, codes]) => [
    status,
    {
      description: codes.join(', '),
      headers: {
        ...requestId,
        ...(codes.some(hasRetryAfter) ? retryAfter : {}),
        ...(codes.some(isFinal) ? shouldRetry : {}),
      },
      content: { 'application/json': body },
    },
  ])
  const { instead } = record
  return {
    [record.status]: success(record),
    ...(instead ? { [instead.status]: success({ ...record, response: instead.response }) } : {}),
    ...(Object.fromEntries(failures) as Json),
  }
}

function success(record: Route): Json {
  const headers = { ...requestId, ...(record.events ? ofCall : {}) }
  if (record.response === null) return { description: 'Done', headers }
  return {
    description: 'Success',
    headers,
    content: {
      [record.contentType ?? 'application/json']: { schema: schema(record.response, 'output') },
      ...(record.events ? { 'text/event-stream': { schema: text } } : {}),
    },
  }
}

/** All that it may be refused with, each once. */
export function errorsOf(record: Route): ErrorCode[] {
  return [...new Set([...commonErrors(record), ...record.errors])]
}

/** What any route of its kind may give, beside its own codes. */
function commonErrors(record: Route): ErrorCode[] {
  if (record.access.kind === 'inference') {
    return [
      'missing_bearer_token',
      'invalid_api_key',
      'insufficient_scope',
      'request_too_large',
      'invalid_json',
      'invalid_body',
      'missing_required_parameter',
      'unsupported_parameter',
      'invalid_value',
      'unavailable',
      'internal_error',
    ]
  }
  if (!record.path.startsWith('/api/')) return []
  const codes = Object.keys(platformErrors) as (keyof typeof platformErrors)[]
  const fitting: Partial<Record<keyof typeof platformErrors, boolean>> = {
    UNAUTHORIZED: record.name === 'login' || record.access.kind !== 'public',
    FORBIDDEN: record.access.kind === 'caller',
    LOOP_COMING_SOON: record.path.startsWith('/api/loop/') && record.loopOff !== 'served',
    PAYLOAD_TOO_LARGE: record.body !== undefined,
    BAD_REQUEST: true,
    NOT_FOUND: record.access.kind === 'caller',
    UNAVAILABLE: true,
    INTERNAL_ERROR: true,
  }
  return codes.filter((code) => fitting[code])
}
