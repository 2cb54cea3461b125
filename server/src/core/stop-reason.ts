// Why a model stopped. Each dialect has its own words for these.
export type StopReason =
  | { kind: 'end' }
  | { kind: 'stop-string'; text: string }
  | { kind: 'length' }
  | { kind: 'tool-calls' }
  | { kind: 'refusal' }

/** The answer ended in the middle, so that its last tool call may be half of one. */
export function isCut({ kind }: StopReason): boolean {
  return kind === 'length' || kind === 'refusal'
}
