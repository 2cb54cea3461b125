// What a test knows of the attempt that it belongs to, and how it was fixed before the first call.

export type TestedAttempt = { id: string; workspace_id: string; pipeline_id: string }

/** Fixed before the first call, so that what is asked does not depend on what was answered. */
export type TestPlan = {
  /** The models as they are called. */
  candidate: string
  live: string
  /** The version that answers as the live model; null for the base model. */
  compared_with: number | null
  judge: string
  /** What a good answer is. */
  rubric: string | null
  /** Of the samples that were held back: those that models are asked, and those that are gone. */
  asked: number
  missing: number
  /** Held back, and left out because the money does not cover them. */
  left_out: number
  /** Which limit the money has: that of an attempt, or what the scoring key may still spend in the month. */
  limited_by: 'attempt' | 'month'
  /** The most that it can cost, in pico-dollars. */
  most: string
  /** Of an earlier test: what cost so much and was charged with that, and is not asked for again. */
  kept?: { cost: string; readings: number }
}
