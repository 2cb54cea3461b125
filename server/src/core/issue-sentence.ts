// What is wrong with a part of a request, in one sentence for whoever wrote it: the field as they would write it, what it
// must be, and of what kind it is instead. The value itself may be a secret and is never repeated.
import type { z } from 'zod'
import { grouped } from '../lib/grouped.ts'

type Issue = z.core.$ZodIssue
type Union = z.core.$ZodIssueInvalidUnion

/** Has the library keep what it saw and say nothing itself, so that every message left is one that the contract wrote. */
export const inOurWords = { reportInput: true, error: () => '' }

export function issueSentence(issue: Issue, where: string): string {
  const leaf = leafOf(issue)
  if (leaf.code === 'unrecognized_keys' && leaf.message === '') {
    const names = leaf.keys.slice(0, keysNamed).map((key) => pathText([...leaf.path, key]))
    const more = leaf.keys.length - names.length
    const list = names.join(', ') + (more > 0 ? ` and ${more} more` : '')
    return `Unknown field in the ${where}: ${list}.`
  }
  const name = pathText(leaf.path)
  return `${name === '' ? `The ${where}` : `${where} field ${name}:`} ${problemOf(leaf)}.`
}

const keysNamed = 10
const nameCharacters = 80

/** As a client writes it: `rows[3].messages[0].role`. */
function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`
    const name = String(step)
    const cut = name.length > nameCharacters ? `${name.slice(0, nameCharacters)}...` : name
    if (!/^[\w$.-]+$/.test(cut)) return `${text}[${JSON.stringify(cut)}]`
    return text === '' ? cut : `${text}.${cut}`
  }, '')
}

/** Of a union, the issue of the branch that the value was most likely meant for; the union itself where it is none. */
function leafOf(issue: Issue): Issue {
  if (issue.code !== 'invalid_union' || issue.message !== '') return issue
  const near = issue.errors.filter(([first]) => first && !isOfAnotherKind(first))
  const plain = near.every(([first]) => first?.path.length === 0 && expectationOf(first) !== null)
  if (plain) return issue
  const [closest] = near.toSorted((one, other) => one.length - other.length)
  const [first] = closest ?? []
  return first ? leafOf({ ...first, path: [...issue.path, ...first.path] }) : issue
}

function isOfAnotherKind({ code, path }: Issue): boolean {
  return path.length === 0 && (code === 'invalid_type' || code === 'invalid_value')
}

function problemOf(issue: Issue): string {
  if (issue.message !== '') return issue.message
  const expectation = expectationOf(issue)
  if (expectation) return mustBe(expectation, inputOf(issue))
  switch (issue.code) {
    case 'too_small':
    case 'too_big':
      return limitText(issue)
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    case 'unrecognized_keys':
      return 'holds unknown fields'
    case 'invalid_key':
      return `has a name that ${nestedProblem(issue.issues)}`
    case 'invalid_element':
      return `holds an entry that ${nestedProblem(issue.issues)}`
    case 'invalid_type':
      return issue.expected === 'nonoptional' ? 'is missing' : 'must be left out'
    case 'invalid_union':
      return 'matches more than one of the allowed forms'
    default:
      return 'is not valid'
  }
}

/** Where one field tells the forms of an object apart, the object is what was seen, and the field what is at fault. */
function inputOf(issue: Issue): unknown {
  if (issue.code !== 'invalid_union' || issue.discriminator === undefined) return issue.input
  return (issue.input as Record<string, unknown>)[issue.discriminator]
}

function nestedProblem([first]: Issue[]): string {
  return first ? problemOf(leafOf(first)) : 'is not valid'
}

/** What a value must be, and of which kinds that is, so that only another kind is told as what it is instead. */
type Expectation = { words: string[]; values: string[]; kinds: string[] }

function mustBe({ words, values, kinds }: Expectation, input: unknown): string {
  const oneOf = values.length > 1 ? [`one of ${values.join(', ')}`] : values
  const expected = `must be ${[...words, ...oneOf].join(' or ')}`
  if (input === undefined) return `${expected}${oneOf.length > 0 ? ',' : ''} and is missing`
  const kind = kindOf(input)
  return kind === null || kinds.includes(kind) ? expected : `${expected}, not ${kind}`
}

/** Null where it is not a matter of being something. */
function expectationOf(issue: Issue): Expectation | null {
  switch (issue.code) {
    case 'invalid_type':
      return expectationOfType(issue.expected)
    case 'invalid_value':
      return expectationOfValues(issue.values)
    case 'invalid_format':
      return { words: [formatText(issue)], values: [], kinds: ['a string'] }
    case 'invalid_union':
      return expectationOfUnion(issue)
    default:
      return null
  }
}

const typeTexts: Record<string, { word: string; kind?: string }> = {
  int: { word: 'a whole number', kind: 'a number' },
  nan: { word: 'a number' },
  boolean: { word: 'true or false', kind: 'a boolean' },
  array: { word: 'a list' },
  tuple: { word: 'a list' },
  object: { word: 'an object' },
  record: { word: 'an object' },
  map: { word: 'an object' },
  set: { word: 'a list' },
  null: { word: 'null' },
}
/** Of these nothing at all is right, or anything. */
const noTypes = ['never', 'undefined', 'void', 'nonoptional']

function expectationOfType(expected: string): Expectation | null {
  if (noTypes.includes(expected)) return null
  const { word, kind = word } = typeTexts[expected] ?? { word: `a ${expected}` }
  return { words: [word], values: [], kinds: [kind] }
}

function expectationOfValues(values: readonly unknown[]): Expectation {
  return {
    words: [],
    values: values.map((value) => (isPlainWord(value) ? value : (JSON.stringify(value) ?? 'null'))),
    kinds: values.flatMap((value) => kindOf(value) ?? []),
  }
}

function isPlainWord(value: unknown): value is string {
  return typeof value === 'string' && /^[^\s,"]+$/.test(value)
}

function expectationOfUnion(union: Union): Expectation | null {
  const options = 'options' in union ? (union.options ?? []) : []
  const all = [
    expectationOfValues(options),
    ...union.errors.flatMap(([first]) => (first && expectationOf(first)) ?? []),
  ]
  const distinct = (part: keyof Expectation): string[] => [
    ...new Set(all.flatMap((one) => one[part])),
  ]
  const joined = { words: distinct('words'), values: distinct('values'), kinds: distinct('kinds') }
  return joined.kinds.length > 0 ? joined : null
}

const formatTexts: Record<string, string> = {
  uuid: 'an id such as 01900000-0000-7000-8000-000000000000',
  datetime: 'a date and time such as 2026-01-31T12:00:00Z',
  date: 'a date such as 2026-01-31',
  email: 'an e-mail address',
  url: 'a web address',
}

function formatText({ format }: z.core.$ZodIssueInvalidStringFormat): string {
  return formatTexts[format] ?? `a string of the format ${format}`
}

function limitText(issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig): string {
  const small = issue.code === 'too_small'
  const limit = grouped(Number(small ? issue.minimum : issue.maximum))
  const unit = unitOf(issue.origin)
  if (unit === null) {
    if (issue.exact) return `must be exactly ${limit}`
    if (issue.inclusive === false) return `must be ${small ? 'more' : 'less'} than ${limit}`
    return `must be at ${small ? 'least' : 'most'} ${limit}`
  }
  const [verb, one, many] = unit
  const count = `${limit} ${limit === '1' ? one : many}`
  if (issue.exact) return `must ${verb} exactly ${count}`
  if (issue.inclusive === false) return `must ${verb} ${small ? 'more' : 'fewer'} than ${count}`
  if (small && limit === '1') return 'must not be empty'
  return `must ${verb} at ${small ? 'least' : 'most'} ${count}`
}

/** Null where the value itself is measured. */
function unitOf(origin: string): [verb: string, one: string, many: string] | null {
  if (['number', 'int', 'bigint', 'date'].includes(origin)) return null
  if (origin === 'string') return ['have', 'character', 'characters']
  return origin === 'file' ? ['have', 'byte', 'bytes'] : ['hold', 'entry', 'entries']
}

/** In the words of JSON; null for what JSON has no word for. */
function kindOf(input: unknown): string | null {
  if (input === null) return 'null'
  if (Array.isArray(input)) return 'a list'
  if (Number.isNaN(input)) return null
  switch (typeof input) {
    case 'string':
      return 'a string'
    case 'number':
      return 'a number'
    case 'boolean':
      return 'a boolean'
    case 'object':
      return 'an object'
    default:
      return null
  }
}
