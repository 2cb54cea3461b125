// The answer of a call between who makes it and who hands it on.
import type { StreamPart } from '../core/stream-part.ts'

/** As a sink reads it. */
export interface Answer {
  readonly requestId: string
  /** As its caller named it. */
  readonly model: string
  readonly startedAt: Date
  /** Limits, adjustments and cache markers, for the head of the answer: names and values in turn. */
  headers(): string[]
  /**
   * The parts that came together next; null after the last. A failure before the first is a Refusal; after it, an EngineError.
   */
  next(): Promise<readonly StreamPart[] | null>
}

/** Reads the answer, and says whether its last byte was handed over: only then is the call billed. */
export type AnswerSink = (answer: Answer) => Promise<boolean>
