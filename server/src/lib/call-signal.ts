// Says that a caller has left. Every call has one and hardly any is ever raised, and an AbortController with its events costs as
// much as the rest of a call's bookkeeping: so this is one, and a real AbortSignal is made only where somebody else's code wants it.

/** What a call's own code asks of it; any AbortSignal will do. */
export interface LeaveSignal {
  readonly aborted: boolean
  readonly reason: unknown
  throwIfAborted(): void
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

export class CallSignal implements LeaveSignal {
  #listeners: (() => void)[] = []
  #reason: unknown = undefined
  #aborted = false

  get aborted(): boolean {
    return this.#aborted
  }

  get reason(): unknown {
    return this.#reason
  }

  abort(why: Error = new DOMException('The caller has left.', 'AbortError')): void {
    if (this.#aborted) return
    this.#aborted = true
    this.#reason = why
    const listeners = this.#listeners
    this.#listeners = []
    for (const listener of listeners) listener()
  }

  throwIfAborted(): void {
    if (this.#aborted) throw this.#reason as Error
  }

  /** As with a real one, who comes after it was raised is told nothing. */
  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.#aborted && !this.#listeners.includes(listener)) this.#listeners.push(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const at = this.#listeners.indexOf(listener)
    if (at >= 0) this.#listeners.splice(at, 1)
  }
}

/** For code that takes nothing but a real one. */
export function abortSignalOf(signal: LeaveSignal): AbortSignal {
  if (signal instanceof AbortSignal) return signal
  if (signal.aborted) return AbortSignal.abort(signal.reason)
  const controller = new AbortController()
  signal.addEventListener('abort', () => controller.abort(signal.reason))
  return controller.signal
}
