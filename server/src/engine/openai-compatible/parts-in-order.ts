// The parts of an answer one after another, as everybody behind an engine reads them, although servers may send the
// fragments of several tool calls by turns, or words between the fragments of one. What comes while a call is unfinished
// waits until it has ended; how much may wait is bounded by what an answer may weigh.
import type { StreamPart } from '../../core/stream-part.ts'
import { isObject } from '../upstream/read-json.ts'

type Words = Extract<StreamPart, { type: 'text-delta' | 'thinking-delta' }>

/** `number` is its place among the calls of the answer. */
export type Call = {
  type: 'call'
  number: number
  id: string
  name: string
  json: string
  /** The last fragment that is more than white space. */
  tail: string
  ended: boolean
}

export class PartsInOrder {
  #calls = 0
  /** The call whose fragments go on as they come. */
  #open: Call | null = null
  readonly #waiting: (Words | Call)[] = []

  get calls(): number {
    return this.#calls
  }

  words(type: Words['type'], text: string, into: StreamPart[]): void {
    this.#endWhole(into)
    if (this.#open === null) {
      into.push({ type, text })
      return
    }
    const last = this.#waiting.at(-1)
    if (last?.type === type) last.text += text
    else this.#waiting.push({ type, text })
  }

  begin(id: string, name: string, into: StreamPart[]): Call {
    this.#endWhole(into)
    const number = this.#calls++
    const call: Call = { type: 'call', number, id, name, json: '', tail: '', ended: false }
    if (this.#open === null) this.#start(call, into)
    else this.#waiting.push(call)
    return call
  }

  /** False when the call had ended, and this is more than it could have had. */
  fragment(call: Call, json: string, into: StreamPart[]): boolean {
    if (call.ended) return json.trim() === ''
    call.json += json
    if (json.trim() !== '') call.tail = json
    if (call === this.#open && json !== '')
      into.push({ type: 'tool-call-delta', index: call.number, json })
    return true
  }

  /** The end of the answer, which is the end of every call. */
  end(into: StreamPart[]): void {
    this.#endOpen(into)
    for (const part of this.#waiting.splice(0)) {
      if (part.type !== 'call') {
        into.push(part)
        continue
      }
      this.#start(part, into)
      if (part.json !== '') {
        into.push({ type: 'tool-call-delta', index: part.number, json: part.json })
      }
      this.#endOpen(into)
    }
  }

  #start(call: Call, into: StreamPart[]): void {
    this.#open = call
    into.push({ type: 'tool-call-start', index: call.number, id: call.id, name: call.name })
  }

  /** Nothing can follow a whole object, so that what comes next need not wait for the end of the answer. */
  #endWhole(into: StreamPart[]): void {
    if (this.#waiting.length > 0 || this.#open === null) return
    if (isWhole(this.#open)) this.#endOpen(into)
  }

  #endOpen(into: StreamPart[]): void {
    if (this.#open === null) return
    into.push({ type: 'tool-call-end', index: this.#open.number })
    this.#open.ended = true
    this.#open = null
  }
}

/** Whether the arguments so far are an object to its end. Most that are not are told by their last fragment. */
export function isWhole({ json, tail }: Call): boolean {
  if (!tail.trimEnd().endsWith('}')) return false
  try {
    return isObject(JSON.parse(json))
  } catch {
    return false
  }
}
