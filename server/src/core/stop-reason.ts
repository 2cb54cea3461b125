// Why a model stopped. Each dialect has its own words for these.
export type StopReason =
  | { kind: 'end' }
  | { kind: 'stop-string'; text: string }
  | { kind: 'length' }
  | { kind: 'tool-calls' }
  | { kind: 'refusal' }
