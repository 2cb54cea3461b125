// A tool call whose arguments are no object. This dialect could only show it as a call without arguments, which agents would run:
// unless the answer was cut, it fails.
import { Refusal } from '../../core/refusal.ts'

export function unusableCall(name: string): Refusal {
  return new Refusal(
    'upstream_failed',
    `The model called ${name} with arguments that are not a JSON object.`,
  )
}
