// Which samples are meant: the conditions of lists, searches and datasets as one condition on the table of samples.
import { type RawBuilder, sql } from 'kysely'
import type { Conditions } from '#contract/dataset.ts'

export type Selection = {
  workspaceId: string
  /** Samples whose time is over by then are not there, whether they were erased yet or not. */
  at: Date
  /** All of them hold: those of a list and those of the dataset it is narrowed to. */
  conditions: readonly Conditions[]
}

/** On the sample `s`. */
export function selected({ workspaceId, at, conditions }: Selection): RawBuilder<boolean> {
  const parts = [sql`s.workspace_id = ${workspaceId}`, lasts(at), ...conditions.flatMap(partsOf)]
  return sql<boolean>`(${sql.join(parts, sql` and `)})`
}

/** Whether the sample with this id is among them: found by its id first, whatever the planner thinks of the conditions. */
export function isSelected(selection: Selection, id: RawBuilder<unknown>): RawBuilder<boolean> {
  const parts = [lasts(selection.at), ...selection.conditions.flatMap(partsOf)]
  return sql<boolean>`coalesce((
    select ${sql.join(parts, sql` and `)} from sample s
    where s.workspace_id = ${selection.workspaceId} and s.id = ${id}
  ), false)`
}

function lasts(at: Date): RawBuilder<unknown> {
  return sql`s.expires_at > ${at}`
}

/** True when every sample of the workspace is meant. */
export function selectsAll({ conditions }: Selection): boolean {
  return conditions.every((condition) => partsOf(condition).length === 0)
}

/** The tag by which alone samples are chosen, empty where all are meant; null when something else is asked as well. */
export function onlyTagOf({ conditions }: Selection): string | null {
  const [first, ...others] = conditions.filter((condition) => partsOf(condition).length > 0)
  if (!first) return ''
  const [tag, ...tags] = first.tags ?? []
  if (tag === undefined || tags.length + others.length > 0) return null
  return partsOf(first).length === 1 ? tag : null
}

/** Ids within the time that is asked for: an id says when its sample was made. */
export function idsWithin({ conditions }: Selection): { from: string; before: string } {
  const bounds = { from: firstIdAt(0), before: idsEnd }
  for (const { from, to } of conditions) {
    const [low, high] = [from && firstIdFrom(from), to && firstIdFrom(to)]
    if (low && low > bounds.from) bounds.from = low
    if (high && high < bounds.before) bounds.before = high
  }
  return bounds
}

/** Said to whoever looks for a tag, because only then the index of tags is looked at. */
export const hasTags = sql`s.tags <> '{}'`

/** A judge's score is no review. The index of verdicts has only what a person or an import said. */
const isReviewed = sql`s.verdict_by <> 'judge'`

function partsOf(condition: Conditions): RawBuilder<unknown>[] {
  const { tags, match, feedback, origin, model, from, to } = condition
  const parts: RawBuilder<unknown>[] = []
  if (tags && tags.length > 0) {
    const list = sql`${tags}::text[]`
    parts.push(
      match === 'all'
        ? sql`${hasTags} and s.tags @> ${list}`
        : sql`${hasTags} and s.tags && ${list}`,
    )
  }
  if (feedback === 'none') parts.push(sql`(s.verdict_by is null or s.verdict_by = 'judge')`)
  else if (feedback === 'any') parts.push(isReviewed)
  else if (feedback) parts.push(sql`${isReviewed} and s.verdict = ${feedback}`)
  if (origin) parts.push(sql`s.origin = ${origin}`)
  if (model) parts.push(sql`s.model = ${model}`)
  if (from) parts.push(sql`s.id >= ${firstIdFrom(from)}`)
  if (to) parts.push(sql`s.id < ${firstIdFrom(to)}`)
  return parts
}

const idsEnd = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
const lastMs = 2 ** 48 - 1

function firstIdFrom(timestamp: string): string {
  return firstIdAt(Math.min(lastMs, Math.max(0, Date.parse(timestamp))))
}

/** The least id that a sample of this millisecond can have. */
function firstIdAt(ms: number): string {
  const time = ms.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`
}
