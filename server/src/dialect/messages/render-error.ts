// A refusal as the messages dialect shows it.
import type { Refusal } from '../../core/refusal.ts'

const types: Record<number, string> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  502: 'api_error',
  503: 'overloaded_error',
}

/** Tool runners of the official clients ask for a thread, and go on without one when they are told so in this way. */
const detailsOf: Partial<Record<string, object>> = {
  thread: { error_code: 'thread_unsupported_request' },
}

/** What engines find wrong with a format is named as in the other dialect; only a field that is foreign is called so. */
function paramOf({ code, detail: { param = '' } }: Refusal): string {
  return param === 'response_format' && code === 'invalid_value' ? 'output_config' : param
}

export function renderMessagesError(refusal: Refusal, requestId: string): string {
  const param = paramOf(refusal)
  const details = detailsOf[param]
  return JSON.stringify({
    type: 'error',
    error: {
      type: types[refusal.status] ?? 'invalid_request_error',
      message: refusal.message,
      ...(param === '' ? {} : { param }),
      ...(details ? { details } : {}),
    },
    request_id: requestId,
  })
}
