// The status that an error would have had, where it came inside of an answer that had begun with a status of success.
import { isObject, type Json } from '../upstream/read-json.ts'

/** OpenRouter, vLLM and LiteLLM say `code`, as a number or a text; Groq and TGI have names of their own. */
const names = ['code', 'status_code', 'http_status_code', 'status']
/** What stands in place of a number where the request is at fault, in small letters. */
const requestWords = ['invalid_request_error', 'badrequesterror', 'context_length_exceeded']

/** Null where it is not told. */
export function toldStatus(error: unknown): number | null {
  if (!isObject(error)) return null
  const status = names.map((name) => Number(error[name])).find(isFailure)
  return status ?? (isOfRequest(error) ? 400 : null)
}

function isFailure(status: number): boolean {
  return Number.isInteger(status) && status >= 400 && status < 600
}

function isOfRequest({ code, type }: Json): boolean {
  return [code, type].some(
    (word) => typeof word === 'string' && requestWords.includes(word.toLowerCase()),
  )
}
