// Held-back samples as a test would have measured them, by how they came out.
import type { TestedSample } from '#server/loop/test/verdict/readings.ts'

const read: TestedSample = {
  sampleId: 'sample',
  questionKey: null,
  tags: [],
  liveWords: false,
  question: 'asked',
  candidateAnswered: true,
  liveAnswered: true,
  score: 1,
  liveScore: 1,
  pair: 'tie',
  swappedPair: 'tie',
  failure: null,
}

export const outcomes = {
  wins: { score: 1, liveScore: 0, pair: 'candidate', swappedPair: 'candidate' },
  losses: { score: 0, liveScore: 1, pair: 'live', swappedPair: 'live' },
  bothRight: { score: 1, liveScore: 1 },
  bothWrong: { score: 0, liveScore: 0 },
  unscored: { score: null, failure: 'judge_failed' },
  missing: { question: 'missing' },
} as const satisfies Record<string, Partial<TestedSample>>

export type OutcomeCounts = { readonly [name in keyof typeof outcomes]?: number }

export function testedSample(measured: Partial<TestedSample> = {}): TestedSample {
  return { ...read, ...measured }
}

export function testedSamples(
  counts: OutcomeCounts,
  shared: Partial<TestedSample> = {},
): TestedSample[] {
  return Object.entries(counts).flatMap(([name, count]) =>
    Array.from({ length: count }, () =>
      testedSample({ ...outcomes[name as keyof typeof outcomes], ...shared }),
    ),
  )
}
