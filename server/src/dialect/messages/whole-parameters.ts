// Holds back tool arguments until a parameter is complete, so that a client that parses as it reads never sees half a
// value (spec 1, other behaviour rules). The pieces put together are the text as the model wrote it, as far as it is an object:
// one that was cut, or goes on as no JSON, ends behind its last complete parameter.
export class WholeParameters {
  /** Since the last complete parameter. It is only added to, because a look into it would copy it every time. */
  #pending = ''
  #depth = 0
  #inString = false
  #escaped = false
  #begun = false
  #over = false

  /** What may be sent now: everything up to the end of the last complete top-level parameter. */
  feed(fragment: string): string {
    if (this.#over) return ''
    let ready = ''
    let from = 0
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
      const isLast = character === '}' && this.#depth === 0
      if (!isLast && (character !== ',' || this.#depth !== 1)) continue
      const parameter = this.#pending + fragment.slice(from, at)
      if (!this.#continues(parameter, isLast)) {
        this.#over = true
        return ready + this.#closing()
      }
      this.#begun = true
      ready += parameter
      if (isLast) {
        this.#over = true
        return ready + this.#closing()
      }
      this.#pending = ''
      from = at
    }
    this.#pending += fragment.slice(from)
    return ready
  }

  /** What is left to say when the call ends: the end of an object that has none. */
  rest(): string {
    const left = this.#over ? '' : this.#closing()
    this.#over = true
    return left
  }

  #closing(): string {
    return this.#begun ? '}' : ''
  }

  /** Whether what was sent so far is still the beginning of an object with this behind it. */
  #continues(parameter: string, isLast: boolean): boolean {
    const [opening, inner] = [parameter.trimStart()[0], parameter.trimStart().slice(1)]
    if (opening !== (this.#begun ? ',' : '{')) return false
    // Only an object without parameters has nothing between its signs.
    if (inner.trim() === '') return isLast && !this.#begun
    try {
      JSON.parse(`{${inner}}`)
      return true
    } catch {
      return false
    }
  }
}
