// Which of the three error shapes a path speaks, and every failure rendered in it.
import type { IncomingHttpHeaders } from 'node:http'
import { type InferenceErrorCode, isFinal, type PlatformErrorCode } from '#contract/errors.ts'
import { Refusal } from '../core/refusal.ts'
import { renderChatError } from '../dialect/chat/render-error.ts'
import { renderMessagesError } from '../dialect/messages/render-error.ts'
import { EngineError } from '../engine/engine.ts'
import { noRetry } from '../inference/no-retry.ts'
import {
  StorageBusy,
  StorageContended,
  StorageFull,
  StorageReadOnly,
  StorageUnavailable,
} from '../storage/storage-unavailable.ts'
import { requestPath } from './request-path.ts'

export type Surface = 'platform' | 'chat' | 'messages'

export function surfaceOf(url: string, headers: IncomingHttpHeaders): Surface {
  const path = requestPath(url)
  if (path.startsWith('/v1/messages')) return 'messages'
  if (path.startsWith('/v1/models')) return headers['anthropic-version'] ? 'messages' : 'chat'
  return path === '/v1' || path.startsWith('/v1/') ? 'chat' : 'platform'
}

export function renderRefusal(surface: Surface, refusal: Refusal, requestId: string): string {
  switch (surface) {
    case 'chat':
      return renderChatError(refusal)
    case 'messages':
      return renderMessagesError(refusal, requestId)
    case 'platform':
      return JSON.stringify({
        error: { code: refusal.code, message: refusal.message, ...refusal.detail.extra },
      })
  }
}

const storageRetrySeconds = 2

function storageSentence(error: StorageUnavailable): string {
  if (error instanceof StorageReadOnly) {
    return 'The database is read-only right now; try again in a moment.'
  }
  if (error instanceof StorageFull) {
    return 'The disk of the database is full; try again after some space on it has been freed.'
  }
  if (error instanceof StorageContended) {
    return 'This change conflicted with another one; try again in a moment.'
  }
  return error instanceof StorageBusy
    ? 'Too many requests are waiting for the database right now; try again in a moment.'
    : 'The database cannot be reached right now; try again in a moment.'
}

/** Any error as the refusal its surface shows. What is not ours to explain becomes an internal error. */
export function asRefusal(error: unknown, surface: Surface): Refusal {
  if (error instanceof Refusal) return error
  const pick = (platform: PlatformErrorCode, inference: InferenceErrorCode) =>
    surface === 'platform' ? platform : inference
  if (error instanceof StorageUnavailable) {
    return new Refusal(pick('UNAVAILABLE', 'unavailable'), storageSentence(error), {
      retryAfterSeconds: storageRetrySeconds,
      cause: error,
    })
  }
  if (error instanceof EngineError) {
    return new Refusal(pick('INTERNAL_ERROR', 'upstream_failed'), error.message, { cause: error })
  }
  const status = (error as { statusCode?: unknown } | null)?.statusCode
  if (status === 413) {
    return new Refusal(
      pick('PAYLOAD_TOO_LARGE', 'request_too_large'),
      'The body is larger than this endpoint accepts.',
    )
  }
  if (status === 415) {
    return new Refusal(
      pick('BAD_REQUEST', 'invalid_body'),
      'The header Content-Type is not a valid media type; send application/json or leave it out.',
    )
  }
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new Refusal(pick('BAD_REQUEST', 'invalid_body'), 'The request is malformed.')
  }
  return new Refusal(
    pick('INTERNAL_ERROR', 'internal_error'),
    'Something went wrong on our side; look for the request id in the log of the server.',
    { cause: error },
  )
}

export function refusalHeaders(refusal: Refusal): Record<string, string> {
  const { retryAfterSeconds, allow, headers, isFinal: stays = false } = refusal.detail
  return {
    ...headers,
    ...(stays || isFinal(refusal.code) ? noRetry : {}),
    'content-type': 'application/json; charset=utf-8',
    'x-content-type-options': 'nosniff',
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    ...(allow === undefined ? {} : { allow: allow.join(', ') }),
    ...(refusal.status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
  }
}
