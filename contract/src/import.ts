// Imports: conversations that were had elsewhere, brought in row by row.
import { z } from 'zod'
import {
  importBodyBytesMax,
  importIdCharactersMax,
  importRowsMax,
  rowIdCharactersMax,
  tagsPerSampleMax,
} from './limits.ts'
import { route, text, wholeNumber } from './route.ts'
import { tag } from './sample.ts'

const rowsMaxText = importRowsMax.toLocaleString('en-US')

/** Which of the row shapes of spec 2 a row had. */
export const importShapes = [
  /** Messages that end with an answer. */
  'messages',
  /** Prompt and completion. */
  'completion',
  /** Either of these with a label. */
  'label',
  /** An answer and what it should have been. */
  'correction',
  /** Prompt, chosen and rejected. */
  'preference',
  /** A question with the right answer. */
  'ground_truth',
  /** A question that waits for an answer. */
  'prompt',
] as const
export type ImportShape = (typeof importShapes)[number]

/** Names the label that cannot be a tag: a list of many is not counted through by hand. */
const labels = z
  .array(z.string())
  .transform((list) => [...new Set(list)])
  .superRefine((list, context) => {
    if (list.length > tagsPerSampleMax) {
      context.addIssue(`must have at most ${tagsPerSampleMax} different labels`)
      return
    }
    for (const label of list) {
      const problem = tag.safeParse(label).error?.issues[0]?.message
      if (problem === undefined) continue
      context.addIssue(`the label ${JSON.stringify(label.slice(0, 80))} ${problem}`)
      return
    }
  })

const importId = z
  .string()
  .regex(
    new RegExp(`^[A-Za-z0-9._:-]{1,${importIdCharactersMax}}$`),
    `must be 1 to ${importIdCharactersMax} letters, digits, dots, underscores, colons or dashes`,
  )

const rowIds = z
  .array(text.min(1).max(rowIdCharactersMax))
  .max(importRowsMax, `must have at most ${rowsMaxText} ids`)
  .superRefine((list, context) => {
    const seen = new Set<string>()
    for (const id of list) {
      if (seen.has(id)) return context.addIssue(`holds ${JSON.stringify(id)} twice`)
      seen.add(id)
    }
  })

/** So that the place of every row of a call is a number that can be told from the next. */
const rowOffsetMax = Number.MAX_SAFE_INTEGER - importRowsMax

const defaultFeedback = z.enum(['good', 'accepted'])

const settings = {
  source: text.min(1).max(200).optional(),
  labels: labels.optional(),
  /** Answered rows without feedback of their own count as good. */
  default_feedback: defaultFeedback.optional(),
  /** Sent again with the same rows, it stores only what is missing. */
  import_id: importId.optional(),
  /** One for each row: the identity of the row within the import, whatever its text. */
  row_ids: rowIds.optional(),
  /** How many rows of the file came in earlier calls; without row ids, part of each row's identity. */
  row_offset: z.number().int().min(0).max(rowOffsetMax).optional(),
}

const importRows = z.array(z.unknown()).min(1).max(importRowsMax)

export const importBody = z.strictObject({
  rows: z.union(
    [importRows, z.string().refine((rows) => rows.trim() !== '', 'must not be empty')],
    `must be a list of 1 to ${rowsMaxText} rows, or a string of JSON lines`,
  ),
  ...settings,
})

const commaSeparated = z.string().transform((list) => list.split(','))

const besideRows = 'For a body that is only rows, as JSON lines or as a list'
const separated = `${besideRows}; separated by commas`

export const importQuery = z.strictObject({
  source: settings.source.describe(besideRows),
  labels: commaSeparated.pipe(labels).optional().describe(separated),
  default_feedback: settings.default_feedback.describe(besideRows),
  import_id: settings.import_id.describe(besideRows),
  row_ids: commaSeparated.pipe(rowIds).optional().describe(separated),
  row_offset: wholeNumber(0, rowOffsetMax).optional().describe(besideRows),
})
export type ImportSettings = z.infer<typeof importQuery>

const count = z.number().int()
/** Positions of rows in this call, counted from 1; `row_offset` is not added. */
const positions = z.array(z.number().int())

export const importResult = z.object({
  import_id: z.string(),
  /** Samples created by this call. */
  imported: count,
  already_present: count,
  /** Verdicts written by this call. */
  reviewed: count,
  /** Of the rows that are stored now, those without feedback of a person or an import. */
  needs_review: count,
  refused: count,
  refused_why: z.array(z.object({ reason: z.string(), rows: positions })),
  not_saved: count,
  not_saved_rows: positions,
  /** Of rows that were already there: feedback that could not be added. */
  verdicts_not_saved: count,
  /** Rows that were not refused. */
  by_shape: z.record(z.enum(importShapes), count),
  /** The samples of this call's rows that are stored now, old and new, in the order of the rows. */
  trace_ids: z.array(z.uuid()),
})
export type ImportResult = z.infer<typeof importResult>

export const importRoutes = [
  route({
    name: 'importSamples',
    tag: 'Samples',
    method: 'POST',
    path: '/api/loop/import',
    summary: `Import up to ${rowsMaxText} conversations, as a list or as JSON lines`,
    access: { kind: 'caller', scope: 'loop:write' },
    tool: 'import_samples',
    sdk: 'loop.import',
    bodyBytesMax: importBodyBytesMax,
    rows: importRows,
    query: importQuery,
    body: importBody.required({ source: true }),
    status: 200,
    response: importResult,
    errors: ['IMPORT_INCOMPLETE'],
  }),
  route({
    name: 'importIntoPipeline',
    tag: 'Pipelines',
    method: 'POST',
    path: '/api/loop/pipelines/{pipeline_id}/import',
    summary: `Import up to ${rowsMaxText} conversations under the tag of a pipeline`,
    access: { kind: 'caller', scope: 'loop:write' },
    tool: 'import_into_pipeline',
    sdk: 'loop.pipelines.import',
    bodyBytesMax: importBodyBytesMax,
    rows: importRows,
    query: importQuery,
    body: importBody,
    status: 200,
    response: importResult,
    errors: ['IMPORT_INCOMPLETE'],
  }),
] as const
