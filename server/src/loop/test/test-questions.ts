// What a test asks: the held-back conversations with their right answers, read where they are kept.
import { sql } from 'kysely'
import type { Giver, Verdict } from '#contract/sample.ts'
import type { App } from '../../app.ts'
import type { Block } from '../../core/block.ts'
import { inParallel } from '../../lib/in-parallel.ts'
import { LoopTurns } from '../../lib/loop-turns.ts'
import { portions } from '../../lib/portions.ts'
import { isGone, tryReadText } from '../../samples/own-storage/read-text.ts'
import { rightAnswer } from '../../samples/feedback/right-answer.ts'
import type { Conversation } from '../../samples/sample/conversation.ts'
import { readSampleTexts } from '../../samples/sample/sample-store.ts'
import { readStoredText } from '../../samples/sample/stored-text.ts'
import type { TestedAttempt } from './tested-attempt.ts'

export type TestQuestion = {
  conversation: Conversation
  rightAnswer: Block[]
  /** Where its sample is in the workspace's own bucket. */
  sampleObject: string | null
  /** As its sample was recorded. */
  origin: string
  model: string | null
  version_no: number | null
  verdict: Verdict
}

/** `gone`: deleted, expired or without a right answer. `unreadable`: the caller's own storage does not give it now. */
export type QuestionReading = TestQuestion | 'gone' | 'unreadable'

type Row = {
  sample_id: string
  workspace_id: string
  object_key: string | null
  origin: string
  model: string | null
  version_no: number | null
  verdict: Verdict
  given_by: Giver
  correction: string | null
  bytes: number
}

const objectsAtOnce = 16
/** Parsing a longer one takes a while, so each has a turn of the event loop to itself. */
const heavyCharacters = 64 * 1024
const turns = new LoopTurns()

/** Of questions that are read together, unless one is larger. */
export const questionBytesMost = 8 * 1024 * 1024

/** By the ids of samples; without those that come after so many bytes, which the next call reads. */
export async function readTestQuestions(
  app: App,
  { id, workspace_id: workspaceId }: Pick<TestedAttempt, 'id' | 'workspace_id'>,
  sampleIds: readonly string[],
  bytesMost = Number.POSITIVE_INFINITY,
): Promise<Map<string, QuestionReading>> {
  const { db } = app.storage
  const { rows: found } = await sql<Row>`
    select t.sample_id, s.workspace_id, s.object_key, s.origin, s.model, s.version_no, g.verdict, g.given_by,
      g.correction, s.bytes + coalesce(octet_length(g.correction), 0) as bytes
    from tested_sample t
    join sample s on s.workspace_id = ${workspaceId} and s.id = t.sample_id
      and s.expires_at > ${app.clock.now()}
    join signal g on g.id = t.signal_id
    where t.attempt_id = ${id} and t.sample_id = any(${sampleIds}::uuid[])
    order by t.no
  `.execute(db)
  const [rows = []] = portions(found, { items: found.length, bytes: bytesMost })
  const here = rows.filter(({ object_key }) => object_key === null)
  const texts = await readSampleTexts(
    db,
    here.map(({ sample_id }) => sample_id),
  )
  const unreadable = new Set<string>()
  // A storage that lets each try run into its time limit is not asked for all of them.
  let failedInARow = 0
  await inParallel(
    rows.filter(({ object_key }) => object_key !== null),
    objectsAtOnce,
    async (row) => {
      if (failedInARow >= objectsAtOnce) return unreadable.add(row.sample_id)
      const reading = await tryReadText(app, { ...row, id: row.sample_id })
      const isAway = 'failure' in reading && !isGone(reading.failure)
      failedInARow = isAway ? failedInARow + 1 : 0
      if ('text' in reading) texts.set(row.sample_id, reading.text)
      else if (isAway) unreadable.add(row.sample_id)
      return undefined
    },
  )
  const readings = new Map<string, QuestionReading>(sampleIds.map((one) => [one, 'gone']))
  for (const { sample_id } of found.slice(rows.length)) readings.delete(sample_id)
  for (const row of rows) {
    const text = texts.get(row.sample_id)
    if (text !== undefined && text.length > heavyCharacters) await turns.next()
    readings.set(
      row.sample_id,
      unreadable.has(row.sample_id) ? 'unreadable' : questionOf(row, text),
    )
  }
  return readings
}

function questionOf(row: Row, text: string | undefined): TestQuestion | 'gone' {
  if (text === undefined) return 'gone'
  const conversation = readStoredText(text)
  const { verdict, given_by: verdictBy, correction, origin, model, version_no, object_key } = row
  const answer = rightAnswer(conversation, { verdict, verdictBy, correction })
  if (!answer) return 'gone'
  return {
    conversation,
    rightAnswer: answer.blocks,
    sampleObject: object_key,
    origin,
    model,
    version_no,
    verdict,
  }
}
