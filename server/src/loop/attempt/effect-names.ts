// What an attempt does beside moving on, and how an attempt that ends because one of these did not succeed is told: STEP_STALLED with
// the name on the right, which clients know.

export const stallCodes = {
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
  'end-serving': 'END_SERVING',
} as const

export type EffectName = keyof typeof stallCodes

export const effectNames = Object.keys(stallCodes) as EffectName[]
