// Refusals that are about the route and not about the request: its key, its account, its headers or the name of its model. Most servers
// have other statuses for these; some say them as they say that a request is wrong, and no caller can do anything about that.

/** Beginnings of reasons, because a reason may quote a request further on. */
const beginnings = [
  // Gemini, xAI.
  /^api key (not valid|expired)/,
  /^(incorrect|invalid) api key/,
  // Claude.
  /^your credit balance is too low/,
  /^you have reached your specified api usage limits/,
  /^this organization has been disabled/,
  // Gemini, where Hone is in a country that it does not serve.
  /^user location is not supported/,
  // DeepSeek, Mistral, LiteLLM, Bedrock, OpenRouter.
  /^model not exist/,
  /^(\/?\w\S*: )?invalid model(:| name passed)/,
  // LiteLLM without a database, which looks there for every key but its own.
  /^no connected db/,
  /^the provided model identifier is invalid/,
  /^\S+ is not a valid model id/,
  // Portkey, of the headers that tell it where a call goes.
  /^either x-portkey-config or x-portkey-provider/,
  /^invalid (provider|config) passed/,
  /^invalid custom host/,
]

const codes = [
  'api_key_invalid',
  'billing_hard_limit_reached',
  'insufficient_quota',
  'invalid_api_key',
  'invalid_model',
  'model_decommissioned',
  'model_not_found',
  'no_db_connection',
]

/** A reason in small letters: a code, or a sentence. */
export function isRouteTrouble(reason: string): boolean {
  return codes.includes(reason) || beginnings.some((beginning) => beginning.test(reason))
}
