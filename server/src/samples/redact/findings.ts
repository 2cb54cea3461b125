// Collects what the scanners propose: spans that stand on their own, and spans that count only near a word that says
// what they are.
import { kinds, type Kind } from './kinds.ts'

export type Span = { kind: Kind; start: number; end: number }

/** What a word of context speaks of. */
export const about = { nationalId: 1, aws: 2, azure: 4, twilio: 8, jdbc: 16, digest: 32 } as const

/** No more are found ahead of where the scan is. */
const lastMax = 8

export class Findings {
  /** The clause the scan is in: ended by a line break, or by a full stop or semicolon before a space. */
  clause = 0
  /** Where the furthest of the spans ends. */
  #reach = 0
  readonly #spans: Span[] = []
  #last: Span | null = null
  #inOrder = true
  readonly #doubtful: (Span & { clause: number; needs: number })[] = []
  /** What the clauses speak of, of those that speak of anything. */
  readonly #spokenOf: { clause: number; topics: number }[] = []

  add(kind: Kind, start: number, end: number): void {
    if (end > this.#reach) this.#reach = end
    const last = this.#last
    // Values that overlap their like by the thousand would only be joined later.
    if (last !== null && last.kind === kind && start >= last.start && start < last.end) {
      last.end = Math.max(last.end, end)
      return
    }
    if (last !== null && start < last.start) this.#inOrder = false
    this.#last = { kind, start, end }
    this.#spans.push(this.#last)
  }

  /** Whether a character is in one of the last spans, and so is not seen again once they are replaced. */
  covers(at: number): boolean {
    if (at >= this.#reach) return false
    for (let last = 1; last <= lastMax; last++) {
      const span = this.#spans.at(-last)
      if (span === undefined) return false
      if (at >= span.start && at < span.end) return true
    }
    return false
  }

  /** A span that counts only when its clause, or the one before, speaks of this. */
  addNear(needs: number, kind: Kind, start: number, end: number): void {
    this.#doubtful.push({ kind, start, end, clause: this.clause, needs })
  }

  /** Clauses, unlike distances, stay what they are when values in them are replaced, so a second redaction finds
   * nothing that the first did not. */
  speakOf(topics: number): void {
    const last = this.#spokenOf.at(-1)
    if (last?.clause === this.clause) last.topics |= topics
    else this.#spokenOf.push({ clause: this.clause, topics })
  }

  /** In order, overlapping spans joined under the weightiest kind, so that no rest of any of them stays. */
  spans(): Span[] {
    // Both lists are in the order of the clauses.
    let from = 0
    for (const { kind, start, end, clause, needs } of this.#doubtful) {
      while (from < this.#spokenOf.length && this.#spokenOf[from]!.clause < clause - 1) from++
      let topics = 0
      for (let at = from; at < this.#spokenOf.length; at++) {
        if (this.#spokenOf[at]!.clause > clause) break
        topics |= this.#spokenOf[at]!.topics
      }
      if ((topics & needs) !== 0) this.add(kind, start, end)
    }
    if (!this.#inOrder) this.#spans.sort((a, b) => a.start - b.start)
    const joined: Span[] = []
    let last: Span | null = null
    for (const span of this.#spans) {
      if (last === null || span.start >= last.end) {
        joined.push(span)
        last = span
        continue
      }
      last.end = Math.max(last.end, span.end)
      if (kinds.indexOf(span.kind) < kinds.indexOf(last.kind)) last.kind = span.kind
    }
    return joined
  }
}
