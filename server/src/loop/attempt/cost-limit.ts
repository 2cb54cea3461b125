// The most that an attempt may cost. Spec 2, limits: 4 hours of training, 3 of the machine that compares, and 25 USD of scoring.
import { type Picodollars, picodollarsPerUsd } from '../../lib/money.ts'
import { scoringUsdMax } from '../test/test-money.ts'

export const trainingSecondsMax = 4 * 3600
const comparisonHours = 3n
export const comparisonMsMax = Number(comparisonHours) * 3_600_000

export function costLimit(perHour: { training: Picodollars; serving: Picodollars }): Picodollars {
  return (
    mostOfTraining(perHour.training) +
    comparisonHours * perHour.serving +
    scoringUsdMax * picodollarsPerUsd
  )
}

export function mostOfTraining(perHour: Picodollars): Picodollars {
  return (BigInt(trainingSecondsMax) * perHour) / 3600n
}
