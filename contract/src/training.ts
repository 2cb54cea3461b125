// The settings of a training that a caller may choose, and their ranges. Spec 2, Limits.

export const trainingSettingNames = [
  'epochs',
  'learning_rate',
  'lora_rank',
  'lora_alpha',
  'replay_percent',
] as const
export type TrainingSettingName = (typeof trainingSettingNames)[number]

/** Named as on the wire. `replay_percent` is the share of rows that an earlier attempt was trained on. */
export type TrainingSettings = Record<TrainingSettingName, number>

export type SettingRange = { min: number; max: number; whole: boolean; oneOf?: readonly number[] }

export const trainingSettingRanges: Record<TrainingSettingName, SettingRange> = {
  epochs: { min: 1, max: 15, whole: true },
  learning_rate: { min: 0.000001, max: 0.01, whole: false },
  lora_rank: { min: 4, max: 64, whole: true, oneOf: [4, 8, 16, 32, 64] },
  lora_alpha: { min: 1, max: 512, whole: true },
  replay_percent: { min: 0, max: 50, whole: true },
}

/** What is wrong with the value of a setting, as a sentence; null if nothing is. */
export function settingFault(name: TrainingSettingName, value: number): string | null {
  const range = trainingSettingRanges[name]
  if (range.oneOf) {
    if (range.oneOf.includes(value)) return null
    const [last, ...others] = [...range.oneOf].reverse()
    return `${name} must be ${others.reverse().join(', ')} or ${last}, not ${value}.`
  }
  const fits = value >= range.min && value <= range.max
  if (fits && (!range.whole || Number.isInteger(value))) return null
  const kind = range.whole ? 'a whole number' : 'a number'
  return `${name} must be ${kind} from ${range.min} to ${range.max}, not ${value}.`
}
