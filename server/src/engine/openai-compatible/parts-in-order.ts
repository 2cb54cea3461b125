// The parts of an answer one after another, as everybody behind an engine reads them, although servers may send the
// fragments of several tool calls by turns, or words between the fragments of one. What comes while a call is unfinished
// waits until it has ended; how much may wait is bounded by what an answer may weigh.
import type { StreamPart } from '../../core/stream-part.ts'
import { GrowingObject } from './growing-object.ts'
import type { Words } from './read-words.ts'

/** `number` is its place among the calls of the answer. */
export type Call = {
  type: 'call'
  number: number
  id: string
  name: string
  arguments: GrowingObject
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

  /** `json`: the text as a JSON string, where that is at hand. */
  words(type: Words['type'], text: string, into: StreamPart[], json?: string): void {
    this.#endWhole(into)
    if (this.#open === null) {
      into.push(json === undefined ? { type, text } : { type, text, json })
      return
    }
    const last = this.#waiting.at(-1)
    if (last?.type === type) last.text += text
    else this.#waiting.push({ type, text })
  }

  begin(id: string, name: string, into: StreamPart[]): Call {
    this.#endWhole(into)
    const number = this.#calls++
    const begun = { arguments: new GrowingObject(), ended: false }
    const call: Call = { type: 'call', number, id, name, ...begun }
    if (this.#open === null) this.#start(call, into)
    else this.#waiting.push(call)
    return call
  }

  /** False when the call had ended, and this is more than it could have had. */
  fragment(call: Call, json: string, into: StreamPart[]): boolean {
    if (call.ended) return json.trim() === ''
    call.arguments.add(json)
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
      const json = part.arguments.text
      if (json !== '') into.push({ type: 'tool-call-delta', index: part.number, json })
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
    if (this.#open.arguments.isWhole) this.#endOpen(into)
  }

  #endOpen(into: StreamPart[]): void {
    if (this.#open === null) return
    into.push({ type: 'tool-call-end', index: this.#open.number })
    this.#open.ended = true
    this.#open = null
  }
}
