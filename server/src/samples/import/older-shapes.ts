// Rows from before there were tools, and from those who write them in fewer words: functions, calls without ids, arguments that
// are no text, and results that only name their function. They are rewritten as they would be sent, so that one shape is read.
import { Refusal } from '../../core/refusal.ts'
import { field, present } from '../../dialect/read-fields.ts'
import { isObject, type Json } from '../../lib/json-object.ts'

const lists = ['messages', 'prompt', 'completion', 'chosen', 'rejected'] as const

/** The row itself where there is nothing old about it, which is nearly always. */
export function inTodaysShape(row: Json): Json {
  const turns = lists.some((name) => holdsOlderTurn(row[name])) ? withToolTurns(row) : row
  return present(turns, 'functions') ? withTools(turns) : turns
}

function withTools(row: Json): Json {
  const functions = field(row, 'functions')
  if (!Array.isArray(functions)) throw refused('functions must be a list.')
  const others = field(row, 'tools')
  if (functions.length === 0) return row
  if (others !== undefined && !(Array.isArray(others) && others.length === 0)) {
    throw refused('The row has both tools and functions; send one of them.')
  }
  const tools = functions.map((one: unknown, index) => {
    if (!isObject(one)) throw refused(`functions[${index}] must be an object.`)
    return { type: 'function', function: one }
  })
  return { ...row, tools }
}

function holdsOlderTurn(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isOlderTurn)
  return isOlderTurn(value)
}

function isOlderTurn(turn: unknown): boolean {
  if (typeof turn !== 'object' || turn === null) return false
  const { role, function_call, tool_call_id } = turn as Json
  if (role === 'assistant') return function_call != null || callsOf(turn).some(isOlderCall)
  return role === 'function' || (role === 'tool' && tool_call_id == null)
}

function isOlderCall({ id, function: of }: Json): boolean {
  return isObject(of) && (id == null || isObject(of.arguments))
}

/** Calls get ids that count through the conversation, and each result gets the id of the call it belongs to. */
function withToolTurns(row: Json): Json {
  const asked = field(row, 'prompt') ?? field(row, 'messages')
  const given = givenIds(row)
  const changed: Json = { ...row }
  let inQuestion = 0
  for (const name of lists) {
    const value = field(row, name)
    if (value === undefined || typeof value === 'string') continue
    const turns: unknown[] = Array.isArray(value) ? value : [value]
    const isReply = name !== 'messages' && name !== 'prompt'
    // An answer that repeats its question has the same calls again and not further ones.
    const before = isReply && !repeats(turns, asked) ? inQuestion : 0
    const ids = new CallIds(name, before, given)
    const converted = turns.map((turn, index) => ids.inTurn(turn, index))
    if (!isReply) inQuestion = ids.count
    changed[name] = Array.isArray(value) ? converted : converted[0]
  }
  return changed
}

function repeats(turns: readonly unknown[], asked: unknown): boolean {
  const [first] = turns
  if (!isObject(first) || first.role !== 'assistant') return true
  if (!Array.isArray(asked)) return false
  return JSON.stringify(turns.slice(0, asked.length)) === JSON.stringify(asked)
}

function givenIds(row: Json): Set<unknown> {
  const ids = new Set<unknown>()
  for (const turn of lists.flatMap((name) => field(row, name) ?? [])) {
    for (const call of callsOf(turn)) ids.add(call.id)
  }
  return ids
}

function callsOf(turn: unknown): Json[] {
  const calls = isObject(turn) ? field(turn, 'tool_calls') : undefined
  return Array.isArray(calls) ? calls.filter(isObject) : []
}

class CallIds {
  readonly #list: string
  readonly #given: ReadonlySet<unknown>
  readonly #open = new OpenCalls()
  count: number

  constructor(list: string, count: number, given: ReadonlySet<unknown>) {
    this.#list = list
    this.count = count
    this.#given = given
  }

  inTurn(turn: unknown, index: number): unknown {
    if (!isObject(turn)) return turn
    const at = `${this.#list}[${index}]`
    if (turn.role === 'assistant') return this.#callsIn(turn, at)
    if (isOlderTurn(turn)) return this.#resultIn(turn, at)
    if (turn.role === 'tool') this.#open.close(turn.tool_call_id)
    return turn
  }

  #callsIn(turn: Json, at: string): Json {
    const called = field(turn, 'function_call')
    const calls = field(turn, 'tool_calls')
    if (called === undefined) {
      if (!Array.isArray(calls)) return turn
      return { ...turn, tool_calls: calls.map((call: unknown) => this.#made(call)) }
    }
    if (callsOf(turn).length > 0) {
      throw refused(`${at} has both tool_calls and function_call; send one of them.`)
    }
    const { name, arguments: args } = isObject(called) ? called : {}
    if (typeof name !== 'string' || (typeof args !== 'string' && !isObject(args))) {
      throw refused(`${at}.function_call must have a name and arguments.`)
    }
    const { function_call: _, ...others } = turn
    return { ...others, tool_calls: [this.#made({ type: 'function', function: called })] }
  }

  /** What is no call at all is left to whoever reads the turns. */
  #made(call: unknown): unknown {
    if (!isObject(call) || !isObject(call.function)) return call
    const { name, arguments: given } = call.function
    const id = call.id ?? this.#newId()
    if (typeof id === 'string') this.#open.add(id, name)
    const args = isObject(given) ? JSON.stringify(given) : given
    return { ...call, id, function: { ...call.function, arguments: args } }
  }

  #resultIn(turn: Json, at: string): Json {
    const id = this.#open.take(field(turn, 'name'))
    if (id === null)
      throw refused(`${at} is the result of a function that no message before it calls.`)
    return { role: 'tool', tool_call_id: id, content: turn.content }
  }

  #newId(): string {
    let id: string
    do id = `function_call_${++this.count}`
    while (this.#given.has(id))
    return id
  }
}

type Queue = { ids: string[]; next: number }

/** Calls without a result yet, in the order in which they were made. However many there are, each is looked at twice. */
class OpenCalls {
  readonly #open = new Set<unknown>()
  readonly #all: Queue = { ids: [], next: 0 }
  readonly #byName = new Map<unknown, Queue>()

  add(id: string, name: unknown): void {
    this.#open.add(id)
    this.#all.ids.push(id)
    const named = this.#byName.get(name)
    if (named) named.ids.push(id)
    else this.#byName.set(name, { ids: [id], next: 0 })
  }

  close(id: unknown): void {
    this.#open.delete(id)
  }

  /** The oldest of this name, or of any where there is none; null when all have their results. */
  take(name: unknown): string | null {
    const queue = name === undefined ? this.#all : this.#byName.get(name)
    while (queue && queue.next < queue.ids.length) {
      const id = queue.ids[queue.next++] as string
      if (this.#open.delete(id)) return id
    }
    return null
  }
}

function refused(reason: string): Refusal {
  return new Refusal('BAD_REQUEST', reason)
}
