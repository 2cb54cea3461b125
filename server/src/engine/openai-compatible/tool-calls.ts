// Which tool call each fragment of a stream belongs to, for all the ways in which servers say so, and the id by which
// clients know each call.
import { randomUUID } from 'node:crypto'
import type { Message } from '../../core/block.ts'
import type { StreamPart } from '../../core/stream-part.ts'
import { isObject, type Json } from '../../lib/json-object.ts'
import { EngineError } from '../engine.ts'
import { notAnAnswer } from '../upstream/read-json.ts'
import { bareId, type CallProofs, proofIn } from './call-proofs.ts'
import type { Call, PartsInOrder } from './parts-in-order.ts'
import { isWord } from './read-words.ts'

export class ToolCalls {
  readonly #parts: PartsInOrder
  readonly #messages: readonly Message[]
  readonly #proofs: CallProofs | null
  /** By their index as the server counts. */
  readonly #calls = new Map<unknown, Call>()
  /** By their id as the server calls them; the last where it gives one to several. */
  readonly #callsById = new Map<string, Call>()
  readonly #told = new Map<Call, string>()
  /** Of calls of earlier turns, as their servers gave them; gathered when the first call comes. */
  #usedIds: ReadonlySet<string> | null = null
  #lastCall: Call | null = null

  constructor(parts: PartsInOrder, messages: readonly Message[], proofs: CallProofs | null) {
    this.#parts = parts
    this.#messages = messages
    this.#proofs = proofs
  }

  /** A call from its start to its end. */
  whole(call: Json, into: StreamPart[]): void {
    const fn = functionOf(call)
    this.#add(this.#begin(call, fn, into), fn, into)
  }

  fragment(fragment: Json, into: StreamPart[]): void {
    const fn = functionOf(fragment)
    if (this.#isRepeated(fragment, fn)) return
    this.#add(this.#callOf(fragment, fn) ?? this.#begin(fragment, fn, into), fn, into)
  }

  #add(call: Call, fn: Json, into: StreamPart[]): void {
    if (!this.#parts.fragment(call, argumentsText(fn), into)) throw notAnAnswer()
  }

  /** Some servers say a call again from its start once it is whole. */
  #isRepeated({ id, index }: Json, fn: Json): boolean {
    if (!isWord(id)) return false
    const known = typeof index === 'number' ? this.#calls.get(index) : this.#callsById.get(id)
    if (!known || fn.name !== known.name || this.#told.get(known) !== id) return false
    const json = argumentsText(fn)
    return json !== '' && json === known.arguments.text && known.arguments.isWhole
  }

  /**
   * The call that a fragment continues; null where it begins one. Ids tell calls apart where a server sends them; indexes
   * are its own affair: some servers leave them out, and some give every call the same.
   */
  #callOf(fragment: Json, fn: Json): Call | null {
    const isNamed = isWord(fn.name) && typeof fragment.id === 'string'
    const id = isWord(fragment.id) ? fragment.id : null
    const known = (id !== null && this.#callsById.get(id)) || null
    if (typeof fragment.index !== 'number') {
      // Whoever repeats an id behind a whole call has two calls under it.
      if (known && !(isNamed && known.arguments.isWhole)) return known
      if (isNamed || this.#lastCall === null) return null
      return beginsAnother(fn, this.#lastCall) ? null : this.#lastCall
    }
    const here = this.#calls.get(fragment.index)
    if (!here) return isNamed ? null : known
    // The index of a call that has ended may be used again, and so may its id.
    if (id === null || this.#told.get(here) === id) return beginsAnother(fn, here) ? null : here
    // Some servers make up an id for every fragment, but only the first has a name.
    return known ?? (isNamed ? null : here)
  }

  #begin(fragment: Json, { name }: Json, into: StreamPart[]): Call {
    const { id: told, index } = fragment
    // Servers pass on what a model wrote, which anybody can make it write.
    if (!isWord(name)) {
      const message = 'The model server sent a tool call without a name.'
      throw new EngineError('broken', message, { answerOnly: true })
    }
    const id = this.#idFor(told)
    const proof = proofIn(fragment)
    const shown = proof !== null && this.#proofs ? this.#proofs.idWith(id, proof) : id
    const call = this.#parts.begin(shown, name, into)
    this.#calls.set(index, call)
    if (isWord(told)) {
      this.#callsById.set(told, call)
      this.#told.set(call, told)
    }
    this.#lastCall = call
    return call
  }

  /** Clients send results back by the id of their call: not every server gives one, and some give one twice. */
  #idFor(told: unknown): string {
    const isNew = isWord(told) && !this.#callsById.has(told) && !this.#isUsed(told)
    return isNew ? told : `call_${randomUUID().replaceAll('-', '')}`
  }

  #isUsed(id: string): boolean {
    this.#usedIds ??= callIdsIn(this.#messages)
    return this.#usedIds.has(id)
  }
}

function functionOf({ function: fn }: Json): Json {
  return isObject(fn) ? fn : {}
}

function callIdsIn(messages: readonly Message[]): Set<string> {
  const ids = new Set<string>()
  for (const { role, blocks } of messages) {
    if (role !== 'assistant') continue
    for (const block of blocks) if (block.type === 'tool-call') ids.add(bareId(block.id))
  }
  return ids
}

/**
 * Whether a fragment is of another call than the one before it: nothing can follow a whole object. Some servers say the
 * name again at the end of a call, with nothing beside it.
 */
function beginsAnother(fn: Json, call: Call): boolean {
  if (!isWord(fn.name)) return false
  const saysMore = fn.name !== call.name || argumentsText(fn).trim() !== ''
  return saysMore && (call.ended || call.arguments.isWhole)
}

/** Some servers send the object itself and not its text. */
function argumentsText({ arguments: value = '' }: Json): string {
  if (typeof value === 'string') return value
  if (value === null) return ''
  if (isObject(value)) return JSON.stringify(value)
  throw notAnAnswer()
}
