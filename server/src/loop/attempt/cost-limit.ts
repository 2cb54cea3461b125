// The most that an attempt may cost. Spec 2, limits: 4 hours of training, 3 of the machine that compares, and 25 USD of scoring.
import { type Picodollars, picodollarsPerUsd } from '../../lib/money.ts'

const trainingHours = 4n
const comparisonHours = 3n
const scoringUsd = 25n

export function costLimit(perHour: { training: Picodollars; serving: Picodollars }): Picodollars {
  const machines = trainingHours * perHour.training + comparisonHours * perHour.serving
  return machines + scoringUsd * picodollarsPerUsd
}
