// What an attempt does, and how an attempt that ends because one of these did not succeed is told: STEP_STALLED with the name on the
// right, which clients know.

const effectCodes = {
  'write-rows': 'WRITE_ROWS',
  'reserve-training': 'RESERVE_TRAINING',
  'start-training': 'START_TRAINING',
  'keep-adapter': 'KEEP_ADAPTER',
  'stop-training': 'STOP_TRAINING',
  'keep-curve': 'KEEP_CURVE',
  'charge-training': 'CHARGE_TRAINING',
  'forget-training': 'FORGET_TRAINING',
  'remove-rows': 'REMOVE_ROWS',
  'plan-test': 'PLAN_TEST',
  'reserve-test': 'RESERVE_TEST',
  'serve-test': 'SERVE_TEST',
  answer: 'ANSWER',
  read: 'READ',
  decide: 'DECIDE',
  'make-ready': 'MAKE_READY',
  'charge-test': 'CHARGE_TEST',
  'mark-learned': 'MARK_LEARNED',
  'take-marks-back': 'TAKE_MARKS_BACK',
  'end-serving': 'END_SERVING',
} as const

/** An effect, or what happens around each of them. */
export const stallCodes = {
  ...effectCodes,
  'gather-facts': 'GATHER_FACTS',
  'write-attempt': 'WRITE_ATTEMPT',
} as const

export type EffectName = keyof typeof effectCodes
export type FailingName = keyof typeof stallCodes

export const effectNames = Object.keys(effectCodes) as EffectName[]

export function isEffectName(name: FailingName): name is EffectName {
  return name in effectCodes
}
