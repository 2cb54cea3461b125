// What a corpus of one kind holds. Values are put together from pieces, so that no scanner for leaked secrets takes
// them for real; where a value stands in its text, the text has `{}`.
import type { Kind } from '#server/samples/redact/kinds.ts'

export type Corpus = {
  kind: Kind
  /** A text with a place, and the value in that place. */
  positives: [text: string, value: string][]
  /** Texts in which nothing of any kind is to be found. */
  negatives: string[]
}
