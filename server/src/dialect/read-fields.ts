// How both dialects read a body: tell apart the three ways it can be no request at all, and read fields with errors
// that name them. Null counts as absent everywhere.
import { shortTextCharactersMax } from '#contract/limits.ts'
import { Refusal } from '../core/refusal.ts'
import { grouped } from '../lib/grouped.ts'
import { isObject, type Json } from '../lib/json-object.ts'
import { withWholeCharacters } from './whole-characters.ts'

export function readObject(text: string): Json {
  let value: unknown
  try {
    value = withWholeCharacters(JSON.parse(text), text)
  } catch {
    throw new Refusal('invalid_json', 'The body is not valid JSON.')
  }
  if (!isObject(value)) throw new Refusal('invalid_body', 'The body must be a JSON object.')
  return value
}

export function present(body: Json, name: string): boolean {
  return field(body, name) !== undefined
}

/** The field's value when it is the object's own; never something inherited. */
export function field(body: Json, name: string): unknown {
  const value = body[name]
  // Most fields are in no body at all, and then there is nothing to be anybody's own.
  if (value === undefined || value === null) return undefined
  return Object.hasOwn(body, name) ? value : undefined
}

export function bad(param: string, message: string): Refusal {
  return new Refusal('invalid_value', message, { param })
}

export function unsupported(param: string, message: string): Refusal {
  return new Refusal('unsupported_parameter', message, { param })
}

export function required(body: Json, name: string): unknown {
  const value = field(body, name)
  if (value === undefined) {
    throw new Refusal('missing_required_parameter', `The field ${name} is missing.`, {
      param: name,
    })
  }
  return value
}

/** Before any of them is looked at: a field that is missing is said before one that is wrong. */
export function requireAll(body: Json, names: readonly string[]): void {
  for (const name of names) required(body, name)
}

export function requiredString(body: Json, name: string): string {
  const value = required(body, name)
  if (typeof value !== 'string' || value === '')
    throw bad(name, `${name} must be a non-empty string.`)
  return value
}

export function optionalBoolean(body: Json, name: string): boolean | undefined {
  const value = field(body, name)
  if (value === undefined || typeof value === 'boolean') return value
  throw bad(name, `${name} must be true or false.`)
}

export function optionalString(body: Json, name: string): string | undefined {
  const value = field(body, name)
  if (value === undefined) return undefined
  if (typeof value === 'string' && value.length <= shortTextCharactersMax) return value
  throw bad(
    name,
    `${name} must be a string of at most ${grouped(shortTextCharactersMax)} characters.`,
  )
}

/** Nothing is called by the empty text. */
export function optionalName(body: Json, name: string): string | undefined {
  const value = optionalString(body, name)
  return value === '' ? undefined : value
}

export function optionalObject(body: Json, name: string): Json | undefined {
  const value = field(body, name)
  if (value === undefined || isObject(value)) return value
  throw bad(name, `${name} must be an object.`)
}

export function optionalList(body: Json, name: string, itemsMax: number): unknown[] | undefined {
  const value = field(body, name)
  if (value === undefined) return undefined
  if (!Array.isArray(value)) throw bad(name, `${name} must be a list.`)
  if (value.length > itemsMax)
    throw bad(name, `${name} must have at most ${grouped(itemsMax)} items.`)
  return value as unknown[]
}

export function optionalNumber(
  body: Json,
  name: string,
  range: { min: number; max: number; whole?: boolean; unset?: number },
): number | undefined {
  const value = field(body, name)
  // Some clients have a number for what is not set, and send it.
  if (value === undefined || value === range.unset) return undefined
  const fits =
    typeof value === 'number' &&
    value >= range.min &&
    value <= range.max &&
    (!range.whole || Number.isInteger(value))
  if (fits) return value
  const kind = range.whole ? 'a whole number' : 'a number'
  const bounds =
    range.max === Infinity
      ? `of at least ${grouped(range.min)}`
      : `from ${grouped(range.min)} to ${grouped(range.max)}`
  throw bad(name, `${name} must be ${kind} ${bounds}.`)
}

export function optionalStrings(body: Json, name: string, itemsMax: number): string[] {
  const value = field(body, name)
  if (value === undefined) return []
  if (areStrings(value, itemsMax)) return value.filter((item) => item !== '')
  throw bad(name, `${name} must be a list of at most ${grouped(itemsMax)} strings.`)
}

export function optionalStringOrStrings(body: Json, name: string, itemsMax: number): string[] {
  const value = field(body, name)
  if (value === undefined || value === '') return []
  if (typeof value === 'string') return [value]
  if (areStrings(value, itemsMax)) return value.filter((item) => item !== '')
  throw bad(name, `${name} must be a string or a list of at most ${grouped(itemsMax)} strings.`)
}

function areStrings(value: unknown, itemsMax: number): value is string[] {
  return (
    Array.isArray(value) &&
    value.length <= itemsMax &&
    value.every((item) => typeof item === 'string')
  )
}

/** Fields of the other dialect, each with what to use here instead; null where there is no such thing. */
export type ForeignFields = Readonly<Record<string, string | null>>

export function refuseForeign(body: Json, foreign: ForeignFields, dialect: string): void {
  // By the fields that are there, because they are fewer than those that could be.
  for (const name in body) {
    if (!Object.hasOwn(foreign, name) || !present(body, name)) continue
    const native = foreign[name]
    const instead =
      native === null ? 'this dialect has no such field, so leave it out' : `here use ${native}`
    throw unsupported(name, `${name} belongs to the ${dialect} dialect; ${instead}.`)
  }
}
