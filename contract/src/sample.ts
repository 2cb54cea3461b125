// Samples: conversations the loop keeps, and the feedback given on them.
import { z } from 'zod'
import {
  correctionCharactersMax,
  sampleBodyBytesMax,
  searchCharactersMax,
  searchCharactersMin,
  tagCharactersMax,
  tagsPerSampleMax,
} from './limits.ts'
import { countChoice, idInput, route, text, timestamp, wholeNumber } from './route.ts'

export const tag = z
  .string()
  .regex(
    new RegExp(`^[a-z0-9._-]{1,${tagCharactersMax}}$`),
    `must be 1 to ${tagCharactersMax} lower case letters, digits, dots, underscores or dashes`,
  )
/** One that is said twice is one. */
export const tags = z
  .array(tag)
  .transform((list) => [...new Set(list)])
  .refine(
    (list) => list.length <= tagsPerSampleMax,
    `must have at most ${tagsPerSampleMax} different tags`,
  )

export const verdicts = ['accepted', 'rejected', 'edited'] as const
export type Verdict = (typeof verdicts)[number]

/** The words of the SDK mean the same on every door; the stored word is what answers name. */
export const verdictWords = {
  accepted: 'accepted',
  rejected: 'rejected',
  edited: 'edited',
  good: 'accepted',
  bad: 'rejected',
  corrected: 'edited',
} as const satisfies Record<string, Verdict>
type VerdictWord = keyof typeof verdictWords

export const verdictInput = z.enum(Object.keys(verdictWords) as [VerdictWord, ...VerdictWord[]])

/** Whether anything in a text can be seen: blanks and what takes no room teach nothing. */
export function saysSomething(value: string): boolean {
  return /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(value)
}

const correction = text
  .min(1)
  .max(correctionCharactersMax)
  .refine(saysSomething, 'must not be blank')

const feedbackFields = {
  verdict: verdictInput,
  correction: correction
    .nullish()
    .describe('Required with the verdict edited, to be left out with any other'),
}
type FeedbackFields = { verdict: VerdictWord; correction?: string | null | undefined }

function correctionFits(body: FeedbackFields): boolean {
  return (
    (verdictWords[body.verdict] === 'edited') ===
    (body.correction !== undefined && body.correction !== null)
  )
}
const correctionProblem = {
  message: 'is required with the verdict edited, and must be left out with any other',
  path: ['correction'],
}

export const feedback = z.strictObject(feedbackFields).refine(correctionFits, correctionProblem)

export const signalBody = z
  .strictObject({ ...feedbackFields, labels: tags.optional() })
  .refine(correctionFits, correctionProblem)

export const givers = ['person', 'import', 'judge'] as const
export type Giver = (typeof givers)[number]

export const signal = z.object({
  id: z.uuid(),
  sample_id: z.uuid(),
  verdict: z.enum(verdicts),
  correction: z.string().nullable(),
  given_by: z.enum(givers),
  /** Given as the truth by a person or an import, not worked out by a judge. */
  gold: z.boolean(),
  score: z.number().nullable(),
  user_id: z.uuid().nullable(),
  key_id: z.uuid().nullable(),
  created_at: timestamp,
})
export type Signal = z.infer<typeof signal>

export const origins = ['captured', 'imported'] as const
export type Origin = (typeof origins)[number]

/** As the chat dialect writes messages. */
const message = z.looseObject({ role: z.string() })

export const traceSummary = z.object({
  id: z.uuid(),
  origin: z.enum(origins),
  source: z.string(),
  model: z.string().nullable(),
  /** The version that answered a call of a pipeline's name; null for all others. */
  version_no: z.number().int().nullable(),
  tags: z.array(z.string()),
  request_id: z.string().nullable(),
  import_id: z.string().nullable(),
  answered: z.boolean(),
  /** The feedback that counts: the newest of a person, else of an import, else the judge's score. */
  verdict: z.enum(verdicts).nullable(),
  verdict_by: z.enum(givers).nullable(),
  score: z.number().nullable(),
  where: z.enum(['platform', 'your_storage']),
  bytes: z.number().int(),
  created_at: timestamp,
  expires_at: timestamp,
})
export type TraceSummary = z.infer<typeof traceSummary>

export const trace = traceSummary.extend({
  messages: z.array(message),
  answer: message.nullable(),
  /** What was said after the answer, where a conversation went on. */
  messages_after: z.array(message),
  tools: z.array(z.looseObject({})),
  correction: z.string().nullable(),
  /** The newest first; those that would make the answer too long are left off. */
  signals: z.array(signal),
  /** All there are. */
  signals_total: z.number().int(),
})
export type Trace = z.infer<typeof trace>

/** What a list shows of a conversation: how its last question and its answer begin. */
export const traceListed = traceSummary.extend({
  /** Null where the text is in the workspace's own storage, or too large to be read for a list. */
  preview: z.object({ question: z.string(), answer: z.string() }).nullable(),
})
export type TraceListed = z.infer<typeof traceListed>

/** A sample that only a judge has scored is unreviewed: it is found under `none`. */
export const feedbackFilters = ['none', 'any', ...verdicts] as const

/** `good` and the other words of the SDK are taken here too. */
const feedbackFilter = z
  .union([z.enum(feedbackFilters), verdictInput])
  .transform((word): (typeof feedbackFilters)[number] =>
    word === 'none' || word === 'any' ? word : verdictWords[word],
  )

/** In any zone of time. */
const time = z.iso.datetime({ offset: true })

/** Which samples: of a list and of a dataset alike. */
export const conditionFields = {
  tags: tags.optional(),
  match: z.enum(['any', 'all']).optional(),
  feedback: feedbackFilter.optional(),
  origin: z.enum(origins).optional(),
  model: text.min(1).max(200).optional(),
  from: time.optional(),
  to: time.optional(),
}

/** A letter and the accent behind it are one to the search, however they are sent. */
export function hasSearchLength(composed: string): boolean {
  const characters = [...composed].length
  return characters >= searchCharactersMin && characters <= searchCharactersMax
}

export const traceQuery = z
  .strictObject({
    ...conditionFields,
    tags: z
      .string()
      .transform((list) => list.split(','))
      .pipe(tags)
      .optional()
      .describe(`At most ${tagsPerSampleMax} tags, separated by commas`),
    q: text
      .refine(
        (q) => hasSearchLength(q.normalize('NFC')),
        `must have ${searchCharactersMin} to ${searchCharactersMax} characters, counting a letter with its accent as one`,
      )
      .optional()
      .meta({ minLength: searchCharactersMin, maxLength: searchCharactersMax }),
    dataset_id: idInput.optional(),
    page: wholeNumber(1, 1_000_000).default(1),
    count: countChoice,
  })
  // A search reads each text that it counts.
  .refine(({ q, count }) => q === undefined || count === undefined, {
    message: 'must be left out with q, because a search counts only as far as it reads',
    path: ['count'],
  })

export const postTraceBody = z.strictObject({
  deployment_id: text.min(1).max(200),
  /** The conversation: messages, or a prompt with or without its completion. What is right about it is said in feedback. */
  messages: z.unknown().optional(),
  prompt: z.unknown().optional(),
  completion: z.unknown().optional(),
  /** A system prompt that stands beside the messages. */
  system: z.unknown().optional(),
  tools: z.unknown().optional(),
  /** Tools as they were called before. */
  functions: z.unknown().optional(),
  model: text.min(1).max(200).nullish(),
  request_id: text.min(1).max(128).nullish(),
  feedback: z.union([feedback, verdictInput]).nullish(),
  labels: tags.optional(),
})

export const sampleRoutes = [
  route({
    name: 'postTrace',
    tag: 'Samples',
    method: 'POST',
    path: '/api/loop/traces',
    summary:
      'Post a conversation as a sample: `messages`, or `prompt` and `completion`, with `feedback` where there is any',
    access: { kind: 'caller', scope: 'loop:write' },
    tool: 'post_trace',
    sdk: 'loop.traces.create',
    bodyBytesMax: sampleBodyBytesMax,
    body: postTraceBody,
    status: 201,
    response: z.object({ trace }),
    errors: ['CONFLICT'],
  }),
  route({
    name: 'listTraces',
    tag: 'Samples',
    method: 'GET',
    path: '/api/loop/traces',
    summary: 'List samples, newest first, 25 a page; `q` searches what was said in them',
    access: { kind: 'caller', scope: 'loop:read' },
    tool: 'list_traces',
    sdk: 'loop.traces.list',
    query: traceQuery,
    status: 200,
    response: z.object({
      traces: z.array(traceListed),
      page: z.number().int(),
      total: z.number().int(),
      /** True when counting stopped: there are at least `total`. */
      total_is_minimum: z.boolean(),
      /** Samples in the workspace's own storage, which a search does not see. */
      not_searched: z.number().int(),
      not_searched_is_minimum: z.boolean(),
    }),
    errors: ['RATE_LIMITED', 'UNAVAILABLE'],
  }),
  route({
    name: 'getTrace',
    tag: 'Samples',
    method: 'GET',
    path: '/api/loop/traces/{sample_id}',
    summary: 'Read one sample with its conversation and the newest feedback on it',
    access: { kind: 'caller', scope: 'loop:read' },
    tool: 'get_trace',
    sdk: 'loop.traces.get',
    status: 200,
    response: z.object({ trace }),
    errors: ['CONFLICT'],
  }),
  route({
    name: 'deleteTrace',
    tag: 'Samples',
    method: 'DELETE',
    path: '/api/loop/traces/{sample_id}',
    summary: 'Delete a sample, its text and its feedback',
    access: { kind: 'caller', scope: 'loop:write' },
    tool: 'delete_trace',
    sdk: 'loop.traces.delete',
    status: 204,
    response: null,
    errors: ['CONFLICT', 'SAMPLE_NOT_YET_RECORDED'],
  }),
  route({
    name: 'giveFeedback',
    tag: 'Samples',
    method: 'POST',
    path: '/api/loop/traces/{sample_id}/signals',
    summary: 'Give feedback on an answer: that it was good or bad, or what it should have been',
    access: { kind: 'caller', scope: 'loop:write' },
    tool: 'give_feedback',
    sdk: 'loop.signals.create',
    bodyBytesMax: sampleBodyBytesMax,
    body: signalBody,
    status: 201,
    response: z.object({ signal, trace: traceSummary }),
    errors: ['SAMPLE_NOT_YET_RECORDED'],
  }),
] as const
