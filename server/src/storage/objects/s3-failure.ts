// What an S3-compatible store meant by its error. Stores differ in statuses and agree on most codes.
import { AnswerTooLarge } from './guarded-handler.ts'
import { ObjectFailure, type ObjectFailureKind } from './object-store.ts'

const kindOfCode: Record<string, ObjectFailureKind> = {
  InvalidAccessKeyId: 'credentials',
  SignatureDoesNotMatch: 'credentials',
  AuthorizationHeaderMalformed: 'refused',
  ExpiredToken: 'credentials',
  InvalidToken: 'credentials',
  TokenRefreshRequired: 'credentials',
  RequestTimeTooSkewed: 'credentials',
  AccessDenied: 'refused',
  // The object was archived, and others can be read.
  InvalidObjectState: 'refused',
  AllAccessDisabled: 'refused',
  AccountProblem: 'refused',
  NoSuchBucket: 'no-such-bucket',
  NoSuchKey: 'missing',
  SlowDown: 'unreachable',
  RequestTimeout: 'unreachable',
}

export type S3Operation = 'put' | 'get' | 'delete'

export function s3Failure(error: unknown, operation: S3Operation): ObjectFailure {
  if (error instanceof AnswerTooLarge) return new ObjectFailure('too-large')
  const { name, $metadata, $response } = (error ?? {}) as {
    name?: unknown
    $metadata?: { httpStatusCode?: unknown }
    $response?: { statusCode?: unknown }
  }
  const status = $metadata?.httpStatusCode ?? $response?.statusCode
  // Without a status nobody answered: a name, a connection, a certificate or the time was the trouble.
  if (typeof status !== 'number') return new ObjectFailure('unreachable')
  const code = typeof name === 'string' && /^(?!Unknown)[A-Za-z]{1,64}$/.test(name) ? name : null
  const known = code !== null && Object.hasOwn(kindOfCode, code) ? kindOfCode[code] : undefined
  return new ObjectFailure(known ?? kindOfStatus(status, operation), code)
}

function kindOfStatus(status: number, operation: S3Operation): ObjectFailureKind {
  if (status === 401 || status === 403) return 'credentials'
  if (status === 404) return operation === 'get' ? 'missing' : 'no-such-bucket'
  if (status === 408 || status === 429 || status >= 500) return 'unreachable'
  return 'refused'
}
