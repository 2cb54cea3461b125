// The status that an error would have had, where it came inside of an answer that had begun with a status of success.
import { isObject, type Json } from '../../lib/json-object.ts'

/** OpenRouter, vLLM and LiteLLM say `code`, as a number or a text; Groq and TGI have names of their own. */
const names = ['code', 'status_code', 'http_status_code', 'status']
/** What stands in place of a number, in small letters and without what is between them. */
const words = new Map([
  ['invalidrequesterror', 400],
  ['badrequesterror', 400],
  ['contextlengthexceeded', 400],
  ['ratelimiterror', 429],
  ['ratelimitexceeded', 429],
  ['toomanyrequests', 429],
  ['overloaded', 503],
  ['overloadederror', 503],
  ['serviceunavailable', 503],
  ['serviceunavailableerror', 503],
])

/** Null where it is not told. */
export function toldStatus(error: unknown): number | null {
  if (!isObject(error)) return null
  const status = names.map((name) => Number(error[name])).find(isFailure)
  return status ?? toldInWords(error)
}

function isFailure(status: number): boolean {
  return Number.isInteger(status) && status >= 400 && status < 600
}

function toldInWords({ code, type }: Json): number | null {
  for (const word of [code, type]) {
    if (typeof word !== 'string') continue
    const status = words.get(word.toLowerCase().replace(/[_ -]/g, ''))
    if (status !== undefined) return status
  }
  return null
}
