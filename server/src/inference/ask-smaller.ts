// An engine's answer to a call that is asked once more, with a smaller limit, where its server found prompt and answer too long
// together: nobody could count the prompt beforehand, and a limit that does not fit is reduced, never refused (spec 1, reasoning rule 8).
import type { StreamPart } from '../core/stream-part.ts'
import { type EngineCall, EngineError } from '../engine/engine.ts'
import { roomLeft } from './room-left.ts'

type Parts = readonly StreamPart[]
type Ask = (call: EngineCall) => AsyncIterator<Parts>

export class AskSmaller implements AsyncIterableIterator<Parts> {
  readonly #ask: Ask
  readonly #call: EngineCall
  #answer: AsyncIterator<Parts>
  #begun = false

  constructor(ask: Ask, call: EngineCall) {
    this.#ask = ask
    this.#call = call
    this.#answer = ask(call)
  }

  next(): Promise<IteratorResult<Parts>> {
    if (this.#begun) return this.#answer.next()
    this.#begun = true
    return this.#answer.next().catch((error: unknown) => this.#again(error))
  }

  async return(): Promise<IteratorResult<Parts>> {
    await this.#answer.return?.()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #again(error: unknown): Promise<IteratorResult<Parts>> {
    const { request, maxTokens, adjusted } = this.#call
    const numbers = error instanceof EngineError ? error.tooLong?.numbers : undefined
    const room = numbers ? roomLeft(numbers, maxTokens) : null
    if (room === null) throw error
    if (request.maxTokens !== undefined && room < request.maxTokens) adjusted?.push('max_tokens')
    this.#answer = this.#ask({ ...this.#call, maxTokens: room })
    return this.#answer.next()
  }
}
