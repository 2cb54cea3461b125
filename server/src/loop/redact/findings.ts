// Collects what the scanners propose: spans that stand on their own, and spans that count only near a word that says
// what they are.
import { kinds, type Kind } from './kinds.ts'

export type Span = { kind: Kind; start: number; end: number }

/** What a word of context speaks of. */
export const about = { nationalId: 1, aws: 2, azure: 4, twilio: 8 } as const

export class Findings {
  /** The clause the scan is in: ended by a line break, or by a full stop or semicolon before a space. */
  clause = 0
  readonly #spans: Span[] = []
  #inOrder = true
  readonly #doubtful: (Span & { clause: number; needs: number })[] = []
  readonly #spokenOf = new Map<number, number>()

  add(kind: Kind, start: number, end: number): void {
    const last = this.#spans.at(-1)
    // Values that overlap their like by the thousand would only be joined later.
    if (last?.kind === kind && start >= last.start && start < last.end) {
      last.end = Math.max(last.end, end)
    } else {
      this.#inOrder &&= last === undefined || start >= last.start
      this.#spans.push({ kind, start, end })
    }
  }

  /** A span that counts only when its clause, or the one before, speaks of this. */
  addNear(needs: number, kind: Kind, start: number, end: number): void {
    this.#doubtful.push({ kind, start, end, clause: this.clause, needs })
  }

  /** Clauses, unlike distances, stay what they are when values in them are replaced, so a second redaction finds
   * nothing that the first did not. */
  speakOf(topics: number): void {
    this.#spokenOf.set(this.clause, (this.#spokenOf.get(this.clause) ?? 0) | topics)
  }

  /** In order, overlapping spans joined under the weightiest kind, so that no rest of any of them stays. */
  spans(): Span[] {
    for (const { kind, start, end, clause, needs } of this.#doubtful) {
      const topics = (this.#spokenOf.get(clause) ?? 0) | (this.#spokenOf.get(clause - 1) ?? 0)
      if ((topics & needs) !== 0) this.add(kind, start, end)
    }
    if (!this.#inOrder) this.#spans.sort((a, b) => a.start - b.start)
    const joined: Span[] = []
    for (const span of this.#spans) {
      const last = joined.at(-1)
      if (last === undefined || span.start >= last.end) {
        joined.push({ ...span })
        continue
      }
      last.end = Math.max(last.end, span.end)
      if (kinds.indexOf(span.kind) < kinds.indexOf(last.kind)) last.kind = span.kind
    }
    return joined
  }
}
