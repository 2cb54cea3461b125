// An answer that ends here, at the first of some texts, where its server does not stop at them. What follows is read and not
// shown: only the server can count what it wrote, and it does so at its end.
import type { StreamPart } from '../../core/stream-part.ts'
import { StopScanner } from '../stop-scanner.ts'

export async function* cutAtStops(
  answer: AsyncIterable<StreamPart[]>,
  stops: string[],
): AsyncGenerator<StreamPart[]> {
  const cut = new Cut(stops)
  for await (const parts of answer) {
    const shown = parts.flatMap((part) => cut.take(part))
    if (shown.length > 0) yield shown
  }
}

class Cut {
  readonly #scanner: StopScanner
  #met: string | null = null
  #hasCalls = false

  constructor(stops: string[]) {
    this.#scanner = new StopScanner(stops)
  }

  /** What is left of a part, with what was held back before it. */
  take(part: StreamPart): StreamPart[] {
    if (this.#met !== null) return part.type === 'finish' ? [this.#ended(part, this.#met)] : []
    if (part.type === 'text-delta') {
      const { text, stop } = this.#scanner.push(part.text)
      this.#met = stop
      if (text === part.text) return [part]
      return textOf(text)
    }
    if (part.type === 'tool-call-start') this.#hasCalls = true
    return [...textOf(this.#scanner.end()), part]
  }

  /** Calls that were shown are whole and wait for their results, whatever the server said behind them and why it ended. */
  #ended(part: StreamPart & { type: 'finish' }, met: string): StreamPart {
    const kind = this.#hasCalls ? 'tool-calls' : 'stop-string'
    return { ...part, reason: kind === 'tool-calls' ? { kind } : { kind, text: met } }
  }
}

function textOf(text: string): StreamPart[] {
  return text === '' ? [] : [{ type: 'text-delta', text }]
}
