// Every error code a client can branch on, each table in order of precedence: when several apply, the first
// one wins. How a code is rendered is each surface's own business.

/** `/api/*`: `{error: {code, message, ...extra}}`. */
export const platformErrors = {
  EXPECTATION_FAILED: 417,
  METHOD_NOT_ALLOWED: 405,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  LOOP_COMING_SOON: 403,
  PAYLOAD_TOO_LARGE: 413,
  BAD_REQUEST: 400,
  NOT_FOUND: 404,
  CONFLICT: 409,
  SAMPLE_NOT_YET_RECORDED: 409,
  PIPELINE_NAME_TAKEN: 409,
  OWN_TAG_TAKEN: 409,
  DATASET_NAME_TAKEN: 409,
  REVISION_MISMATCH: 409,
  LAST_OWNER: 409,
  IDEMPOTENCY_KEY_REUSED: 409,
  TRAINING_NOT_ENABLED: 409,
  METHOD_NOT_ENABLED: 422,
  MODEL_NOT_TRAINABLE: 422,
  RATE_LIMITED: 429,
  MODELS_UNAVAILABLE: 503,
  UNAVAILABLE: 503,
  IMPORT_INCOMPLETE: 500,
  INTERNAL_ERROR: 500,
} as const

/** `/v1/*`: one refusal, rendered by each dialect in its own shape. */
export const inferenceErrors = {
  expectation_failed: 417,
  method_not_allowed: 405,
  missing_bearer_token: 401,
  invalid_api_key: 401,
  insufficient_scope: 401,
  request_too_large: 413,
  invalid_json: 400,
  invalid_body: 400,
  unsupported_parameter: 400,
  missing_required_parameter: 400,
  invalid_value: 400,
  not_found: 404,
  model_not_found: 404,
  unsupported_by_model: 400,
  context_length_exceeded: 400,
  insufficient_balance: 402,
  rate_limit_exceeded: 429,
  no_healthy_route: 503,
  unavailable: 503,
  upstream_failed: 502,
  internal_error: 500,
} as const

export type PlatformErrorCode = keyof typeof platformErrors
export type InferenceErrorCode = keyof typeof inferenceErrors
export type ErrorCode = PlatformErrorCode | InferenceErrorCode

/** A conflict that passes by itself; every other 409 of the platform stays until the caller changes the request. */
const passingConflicts: readonly ErrorCode[] = ['CONFLICT', 'SAMPLE_NOT_YET_RECORDED']

/** True when the same request cannot succeed later, although clients in the style of `openai` repeat its status. */
export function isFinal(code: ErrorCode): boolean {
  return code in platformErrors && statusOf(code) === 409 && !passingConflicts.includes(code)
}

export function statusOf(code: ErrorCode): number {
  return code in platformErrors
    ? platformErrors[code as PlatformErrorCode]
    : inferenceErrors[code as InferenceErrorCode]
}
