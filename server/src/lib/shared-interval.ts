// One timer for many short waits: whoever is still there when it strikes is called. It runs only while somebody is.
export class SharedInterval {
  readonly #ms: number
  readonly #members = new Set<() => void>()
  #timer: NodeJS.Timeout | null = null

  constructor(ms: number) {
    this.#ms = ms
  }

  add(member: () => void): void {
    this.#members.add(member)
    this.#timer ??= setInterval(() => this.#strike(), this.#ms).unref()
  }

  delete(member: () => void): void {
    this.#members.delete(member)
  }

  #strike(): void {
    if (this.#members.size === 0 && this.#timer) {
      clearInterval(this.#timer)
      this.#timer = null
    }
    for (const member of this.#members) member()
  }
}
