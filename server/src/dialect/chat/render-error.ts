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
  const { param = null } = refusal.detail
  // What is wrong with the system prompt stands among the messages here; only a field that is foreign is called system.
  const isMessage = param === 'system' && refusal.code === 'invalid_value'
  return JSON.stringify({
    error: {
      message: refusal.message,
      type: types[refusal.code as InferenceErrorCode] ?? 'invalid_request_error',
      param: isMessage ? 'messages' : param,
      code: refusal.code,
    },
  })
}
