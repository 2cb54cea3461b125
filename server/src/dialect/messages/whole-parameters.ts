// Holds back tool arguments until a parameter is complete, so that a client that parses as it reads never sees half a
// value (spec 1, other behaviour rules). The pieces put together are the text as the model wrote it.
export class WholeParameters {
  /** Since the last complete parameter. It is only added to, because a look into it would copy it every time. */
  #pending = ''
  #depth = 0
  #inString = false
  #escaped = false

  /** What may be sent now: everything up to the end of the last complete top-level parameter. */
  feed(fragment: string): string {
    let complete = 0
    for (let at = 0; at < fragment.length; at++) {
      const character = fragment[at]
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false
        else if (character === '\\') this.#escaped = true
        else if (character === '"') this.#inString = false
        continue
      }
      if (character === '"') this.#inString = true
      else if (character === '{' || character === '[') this.#depth += 1
      else if (character === '}' || character === ']') this.#depth -= 1
      const ends =
        (character === ',' && this.#depth === 1) || (character === '}' && this.#depth === 0)
      if (ends) complete = at + 1
    }
    const ready = complete === 0 ? '' : this.#pending + fragment.slice(0, complete)
    this.#pending = complete === 0 ? this.#pending + fragment : fragment.slice(complete)
    return ready
  }

  /** Whatever is left when the call ends, complete or not. */
  rest(): string {
    const left = this.#pending
    this.#pending = ''
    return left
  }
}
