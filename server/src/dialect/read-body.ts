// What both dialects do first with a body: tell apart the three ways it can be no request at all, and read
// fields with errors that name them.
import { Refusal } from '../core/refusal.ts'

export type Json = Record<string, unknown>

export function readObject(text: string): Json {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Refusal('invalid_json', 'The body is not valid JSON.')
  }
  if (!isObject(value)) throw new Refusal('invalid_body', 'The body must be a JSON object.')
  return value
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Null counts as absent, everywhere. */
export function present(body: Json, field: string): boolean {
  return Object.hasOwn(body, field) && body[field] !== null && body[field] !== undefined
}

export function bad(param: string, message: string): Refusal {
  return new Refusal('invalid_value', message, { param })
}

export function required(body: Json, field: string): unknown {
  if (!present(body, field)) {
    throw new Refusal('missing_required_parameter', `The field ${field} is missing.`, {
      param: field,
    })
  }
  return body[field]
}

export function requiredString(body: Json, field: string): string {
  const value = required(body, field)
  if (typeof value !== 'string' || value === '') throw bad(field, `${field} must be a text.`)
  return value
}

export function optionalBoolean(body: Json, field: string): boolean | undefined {
  if (!present(body, field)) return undefined
  const value = body[field]
  if (typeof value !== 'boolean') throw bad(field, `${field} must be true or false.`)
  return value
}

export function optionalNumber(
  body: Json,
  field: string,
  range: { min: number; max: number; whole?: boolean },
): number | undefined {
  if (!present(body, field)) return undefined
  const value = body[field]
  const fits =
    typeof value === 'number' &&
    value >= range.min &&
    value <= range.max &&
    (!range.whole || Number.isInteger(value))
  if (!fits) {
    const kind = range.whole ? 'a whole number' : 'a number'
    throw bad(field, `${field} must be ${kind} from ${range.min} to ${range.max}.`)
  }
  return value
}

export function optionalStrings(body: Json, field: string, max: number): string[] {
  if (!present(body, field)) return []
  const value = typeof body[field] === 'string' ? [body[field]] : body[field]
  const fits =
    Array.isArray(value) && value.length <= max && value.every((item) => typeof item === 'string')
  if (!fits) throw bad(field, `${field} must be a text or a list of at most ${max} texts.`)
  return value.filter((item) => item !== '')
}

export function requiredMessages(body: Json): Json[] {
  const value = required(body, 'messages')
  if (!Array.isArray(value) || value.length === 0 || !value.every(isObject)) {
    throw bad('messages', 'messages must be a list of at least one message object.')
  }
  return value
}

/** Fields that this server does not serve yet are refused, because ignoring them would change the answer. */
export function refuseUnserved(body: Json, fields: readonly string[]): void {
  for (const field of fields) {
    if (present(body, field)) {
      throw new Refusal('unsupported_parameter', `${field} is not supported by this server.`, {
        param: field,
      })
    }
  }
}

export function refuseForeign(
  body: Json,
  foreign: Readonly<Record<string, string>>,
  dialect: string,
): void {
  for (const [field, native] of Object.entries(foreign)) {
    if (present(body, field)) {
      throw new Refusal(
        'unsupported_parameter',
        `${field} belongs to the ${dialect} dialect; here use ${native}.`,
        { param: field },
      )
    }
  }
}
