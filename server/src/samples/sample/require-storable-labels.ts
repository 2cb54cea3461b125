// Labels are stored as they are given and cannot hold a marker, so one with something sensitive in it is refused.
import { Refusal } from '../../core/refusal.ts'
import { redactText } from '../redact/redact-text.ts'

/** The sentence shows the label with its marker, so that no log of answers holds what was not to be stored. */
export function requireStorableLabels(labels: readonly string[], field = 'labels'): void {
  for (const label of labels) {
    const { text } = redactText(label)
    if (text === label) continue
    throw new Refusal(
      'BAD_REQUEST',
      `body field ${field}: the label ${JSON.stringify(text)} holds a sensitive value, which is not stored; choose another.`,
    )
  }
}
