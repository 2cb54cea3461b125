// Whether a call becomes a sample, under which tags and for how long: a function of what the caller asked for and of
// what the workspace has configured (spec 2, recording headers and capture configuration).
import { recordedRetentionDays, tagsPerSampleMax } from '#contract/limits.ts'
import type { RecordingSource, RecordingWish } from '../../inference/recorder.ts'

export type CaptureRule = {
  enabled: boolean
  tags: readonly string[]
  /** Share of the calls that is kept. */
  sampleRate: number
  retentionDays: number | null
}

/** What one workspace has configured. */
export type CaptureRules = {
  /** Tags of the pipelines there are. */
  tags: ReadonlySet<string>
  bySource: ReadonlyMap<string, CaptureRule>
}

/** Recording configured for this source holds for every serverless model that has no configuration of its own. */
export const serverlessSource = 'serverless'

export type CaptureDecision = {
  /** Null when the call is not to be recorded. */
  keep: {
    tags: string[]
    /** Tags beyond those that fit on a sample: configured ones before those that were asked for. */
    leftOut: string[]
    retentionDays: number
  } | null
  unknownTags: string[]
}

/** `chance` lies from 0 up to 1 and decides for sources of which only a share is kept. */
export function decideCapture(
  rules: CaptureRules,
  call: {
    wish: RecordingWish
    source: Pick<RecordingSource, 'name' | 'serverless'>
    chance: number
  },
): CaptureDecision {
  const { wish, source, chance } = call
  if (wish.off) return { keep: null, unknownTags: [] }
  const shared = source.serverless ? rules.bySource.get(serverlessSource) : undefined
  const rule = rules.bySource.get(source.name) ?? shared
  const asked = wish.tags.filter((tag) => rules.tags.has(tag))
  const unknownTags = wish.tags.filter((tag) => !rules.tags.has(tag))
  const configured = rule?.enabled ? rule.tags : []
  const tags = [...new Set([...asked, ...configured])]
  const wanted = asked.length > 0 || (rule?.enabled === true && chance < rule.sampleRate)
  return {
    unknownTags,
    keep: wanted
      ? {
          tags: tags.slice(0, tagsPerSampleMax),
          leftOut: tags.slice(tagsPerSampleMax),
          retentionDays: rule?.retentionDays ?? recordedRetentionDays,
        }
      : null,
  }
}
