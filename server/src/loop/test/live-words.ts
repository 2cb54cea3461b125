// Whether a right answer is in the words of the model that the new one is compared with. On those it scores full marks by itself. Pure.
import type { Verdict } from '#contract/sample.ts'

/** Who answers as the live model: a version with its base model, or before there is any the base model alone. */
export type LiveModel = { version: number | null; model: string }

export function isLiveWords(
  sample: {
    origin: string
    model: string | null
    version_no: number | null
    verdict: Verdict
  },
  live: LiveModel,
): boolean {
  // A correction is somebody else's words, and an import does not say who answered.
  if (sample.verdict !== 'accepted' || sample.origin !== 'captured') return false
  if (live.version !== null) return sample.version_no === live.version
  return sample.version_no === null && sample.model === live.model
}
