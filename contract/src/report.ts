// The report of an attempt's test: each tested conversation with both answers and what the judge said.
import { z } from 'zod'
import { samplesPerPage, searchCharactersMax, searchCharactersMin } from './limits.ts'
import { route, text, wholeNumber } from './route.ts'
import { hasSearchLength } from './sample.ts'
import { unscoredReasons } from './verdict.ts'

export const reportFilters = ['better', 'worse', 'flipped_to_fail', 'unscored'] as const
export type ReportFilter = (typeof reportFilters)[number]

export const reportQuery = z.strictObject({
  page: wholeNumber(1, 1_000_000).default(1),
  q: text
    .refine(
      (q) => hasSearchLength(q.normalize('NFC')),
      `must have ${searchCharactersMin} to ${searchCharactersMax} characters, counting a letter with its accent as one`,
    )
    .optional()
    .describe('Searches questions, right answers and both answers')
    .meta({ minLength: searchCharactersMin, maxLength: searchCharactersMax }),
  filter: z
    .enum(reportFilters)
    .optional()
    .describe('flipped_to_fail: the live answer passes and the new one does not'),
})

const words = z.string().nullable()
const score = z.number().nullable()

export const reading = z.object({
  kind: z.enum(['score_new', 'score_live', 'pair', 'pair_swapped']),
  /** 0 to 1, of a rating. */
  score,
  /** Of a comparison. */
  better: z.enum(['new', 'live', 'tie']).nullable(),
  /** In the judge's words. */
  reason: words,
  /** Why there is no verdict. */
  failure: words,
})

export const reportRow = z.object({
  sample_id: z.uuid(),
  /** Null once the sample is gone. */
  question: words,
  right_answer: words,
  /** Null where the model did not answer, once the sample is gone, and while your own storage cannot be read. */
  answer: words,
  live_answer: words,
  score,
  live_score: score,
  /** Null until the test was decided, and where nothing was scored. */
  winner: z.enum(['new', 'live', 'tie']).nullable(),
  readings: z.array(reading),
  /** Why it has no score. */
  unscored: z.enum([...unscoredReasons, 'missing']).nullable(),
})
export type ReportRow = z.infer<typeof reportRow>

export const reportRoutes = [
  route({
    name: 'getAttemptReport',
    tag: 'Attempts',
    method: 'GET',
    path: '/api/loop/training-runs/{attempt_id}/report',
    summary: `The conversations that an attempt was tested on, ${samplesPerPage} a page, with both answers and the judge's readings`,
    access: { kind: 'caller', scope: 'loop:read' },
    tool: 'get_attempt_report',
    sdk: 'loop.trainingRuns.report',
    query: reportQuery,
    status: 200,
    response: z.object({
      page: z.number().int(),
      total: z.number().int(),
      /** In the workspace's own storage, where texts cannot be searched. */
      not_searched: z.number().int(),
      rows: z.array(reportRow),
    }),
    errors: ['RATE_LIMITED'],
  }),
] as const
