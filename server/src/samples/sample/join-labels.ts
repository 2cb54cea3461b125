// The labels of a sample once more are given to it: each once, and no more than a sample may have.
import { tagsPerSampleMax } from '#contract/limits.ts'
import { Refusal } from '../../core/refusal.ts'

export function joinLabels(tags: readonly string[], labels: readonly string[]): string[] {
  const joined = [...new Set([...tags, ...labels])]
  if (joined.length <= tagsPerSampleMax) return joined
  throw new Refusal(
    'BAD_REQUEST',
    `labels: a sample has at most ${tagsPerSampleMax} labels, its pipeline's tag among them, and this one would have ${joined.length}; send fewer.`,
  )
}
