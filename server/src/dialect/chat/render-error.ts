// A refusal as the chat dialect shows it.
import type { InferenceErrorCode } from '#contract/errors.ts'
import type { Refusal } from '../../core/refusal.ts'

const types: Partial<Record<InferenceErrorCode, string>> = {
  insufficient_balance: 'insufficient_quota',
  rate_limit_exceeded: 'rate_limit_error',
  no_healthy_route: 'service_unavailable_error',
  unavailable: 'service_unavailable_error',
  upstream_failed: 'server_error',
  internal_error: 'server_error',
}

export function renderChatError(refusal: Refusal): string {
  return JSON.stringify({
    error: {
      message: refusal.message,
      type: types[refusal.code as InferenceErrorCode] ?? 'invalid_request_error',
      param: refusal.detail.param ?? null,
      code: refusal.code,
    },
  })
}
