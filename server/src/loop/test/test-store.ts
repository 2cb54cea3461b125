// The tables of tests: which samples an attempt is tested on, what the models answered, and what the judge said. Answers and readings
// are written as they come and never changed, so that whoever goes on after a crash asks only for what is missing.
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import type { Verdict } from '#contract/verdict.ts'
import type { Picodollars } from '../../lib/money.ts'
import type { Db } from '../../storage/open-storage.ts'
import type { Database } from '../../storage/schema.ts'
import type {
  AnswerRow,
  ReadingKind,
  ReadingRow,
  Side,
  TestedRow,
  TestTables,
} from './test-tables.ts'
import type { TestedAttempt, TestPlan } from './tested-attempt.ts'

type Tx = Transaction<Database>
type Reader = Db | Tx

function tables(db: Db): Kysely<Database & TestTables> {
  return db.withTables<TestTables>()
}

export const readingKinds: readonly ReadingKind[] = [
  'score_candidate',
  'score_live',
  'pair',
  'pair_swapped',
]

/** Of these samples the longest held back, at most so many, with the feedback that counts on each now, and the labels that tell them apart. */
export async function replaceTested(
  tx: Tx,
  attempt: TestedAttempt,
  { heldBack, most, ownTag }: { heldBack: readonly string[]; most: number; ownTag: string },
): Promise<void> {
  await tables(tx).deleteFrom('tested_sample').where('attempt_id', '=', attempt.id).execute()
  await sql`
    insert into tested_sample
      (attempt_id, no, sample_id, signal_id, question, question_key, live_words, tags)
    select ${attempt.id}, row_number() over (order by m.held_at, s.id), s.id, s.signal_id,
      'asked', m.question, false, array_remove(s.tags, ${ownTag})
    from pipeline_sample m
    join sample s on s.workspace_id = m.workspace_id and s.id = m.sample_id
    where m.pipeline_id = ${attempt.pipeline_id} and m.workspace_id = ${attempt.workspace_id}
      and m.held_at is not null and m.sample_id = any(${heldBack}::uuid[])
      and s.signal_id is not null
    order by m.held_at, s.id limit ${most}
  `.execute(tx)
}

/** In their order. */
export async function listTested(db: Reader, attemptId: string): Promise<TestedRow[]> {
  const rows = await tables(db)
    .selectFrom('tested_sample')
    .selectAll()
    .where('attempt_id', '=', attemptId)
    .orderBy('no')
    .execute()
  return rows
}

/** Fixes the test to the first so many, of which these cannot be asked. */
export async function fixTested(
  tx: Tx,
  attemptId: string,
  fixed: { last: number; missing: string[]; liveWords: string[] },
): Promise<void> {
  await sql`delete from tested_sample where attempt_id = ${attemptId} and no > ${fixed.last}`.execute(
    tx,
  )
  await sql`
    update tested_sample set
      question = case when sample_id = any(${fixed.missing}::uuid[]) then 'missing'
        else 'asked' end,
      live_words = sample_id = any(${fixed.liveWords}::uuid[])
    where attempt_id = ${attemptId}
  `.execute(tx)
}

/** What went away while the test ran. */
export async function markMissing(
  db: Reader,
  attemptId: string,
  sampleIds: readonly string[],
): Promise<void> {
  if (sampleIds.length === 0) return
  await sql`
    update tested_sample set question = 'missing'
    where attempt_id = ${attemptId} and sample_id = any(${sampleIds}::uuid[])
  `.execute(db)
}

export type MissingAnswer = { sample_id: string; side: Side }

/** Those that no model has given yet, in the order of the samples. */
export async function listMissingAnswers(
  db: Reader,
  attemptId: string,
  most: number,
): Promise<MissingAnswer[]> {
  const { rows } = await sql<MissingAnswer>`
    select t.sample_id, side.name as side from tested_sample t
    cross join (values ('candidate'), ('live')) as side (name)
    left join test_answer a on a.attempt_id = t.attempt_id and a.sample_id = t.sample_id
      and a.side = side.name
    where t.attempt_id = ${attemptId} and t.question = 'asked' and a.sample_id is null
    order by t.no, side.name limit ${most}
  `.execute(db)
  return rows
}

/** Leaves out the samples that both models have not been asked about, which says nothing about either. */
export async function markUnanswered(db: Reader, attemptId: string): Promise<void> {
  await sql`
    update tested_sample t set question = 'missing'
    where t.attempt_id = ${attemptId} and t.question = 'asked' and 2 > (
      select count(*) from test_answer a
      where a.attempt_id = t.attempt_id and a.sample_id = t.sample_id
    )
  `.execute(db)
}

export type MissingReading = {
  sample_id: string
  kind: ReadingKind
  answer: string | null
  answer_key: string | null
  live_answer: string | null
  live_answer_key: string | null
}

/**
 * Those that the judge has not given yet: of what was answered alone the scores, and where both models answered also who was better.
 * A live model that did not answer leaves its sample unscored, so that nothing is asked about it.
 */
export async function listMissingReadings(
  db: Reader,
  attemptId: string,
  most: number,
): Promise<MissingReading[]> {
  const { rows } = await sql<MissingReading>`
    select t.sample_id, kind.name as kind, c.answer, c.answer_key, l.answer as live_answer,
      l.answer_key as live_answer_key
    from ${missingReadings(attemptId)}
    order by t.no, kind.no limit ${most}
  `.execute(db)
  return rows
}

/** Those that the judge has not given yet are not asked for any more. */
export async function failMissingReadings(db: Reader, attemptId: string): Promise<void> {
  await sql`
    insert into test_reading (attempt_id, sample_id, kind, failure, cost)
    select t.attempt_id, t.sample_id, kind.name, 'judge_failed', 0
    from ${missingReadings(attemptId)}
    on conflict do nothing
  `.execute(db)
}

/** Those that failed because the judge did not answer are missing again. */
export async function dropFailedReadings(tx: Tx, attemptId: string): Promise<void> {
  await tables(tx)
    .deleteFrom('test_reading')
    .where('attempt_id', '=', attemptId)
    .where('failure', '=', 'judge_failed')
    .execute()
}

function missingReadings(attemptId: string): RawBuilder<unknown> {
  return sql`tested_sample t
    join test_answer c on c.attempt_id = t.attempt_id and c.sample_id = t.sample_id
      and c.side = 'candidate'
    join test_answer l on l.attempt_id = t.attempt_id and l.sample_id = t.sample_id and l.side = 'live'
    cross join unnest(${readingKinds}::text[]) with ordinality as kind (name, no)
    left join test_reading r on r.attempt_id = t.attempt_id and r.sample_id = t.sample_id
      and r.kind = kind.name
    where t.attempt_id = ${attemptId} and t.question = 'asked' and r.sample_id is null
      and l.failure is null and (c.failure is null or kind.name = 'score_live')`
}

export type NewAnswer = MissingAnswer & {
  answer: string | null
  answer_key: string | null
  failure: string | null
  cost: Picodollars
}

/** Nothing where it is there already, or where the sample was deleted meanwhile. */
export async function insertAnswer(
  db: Reader,
  attempt: Pick<TestedAttempt, 'id' | 'workspace_id'>,
  row: NewAnswer,
): Promise<void> {
  await sql`
    insert into test_answer (attempt_id, sample_id, side, answer, answer_key, failure, cost)
    select ${attempt.id}, s.id, ${row.side}, ${row.answer}, ${row.answer_key}, ${row.failure},
      ${row.cost.toString()}
    from sample s where s.workspace_id = ${attempt.workspace_id} and s.id = ${row.sample_id}
    for share
    on conflict do nothing
  `.execute(db)
}

export type NewReading = {
  sample_id: string
  kind: ReadingKind
  score: number | null
  better: Side | 'tie' | null
  reason: string | null
  reason_key: string | null
  failure: string | null
  cost: Picodollars
}

/** As for an answer. */
export async function insertReading(
  db: Reader,
  attempt: Pick<TestedAttempt, 'id' | 'workspace_id'>,
  row: NewReading,
): Promise<void> {
  await sql`
    insert into test_reading
      (attempt_id, sample_id, kind, score, better, reason, reason_key, failure, cost)
    select ${attempt.id}, s.id, ${row.kind}, ${row.score}, ${row.better}, ${row.reason},
      ${row.reason_key}, ${row.failure}, ${row.cost.toString()}
    from sample s where s.workspace_id = ${attempt.workspace_id} and s.id = ${row.sample_id}
    for share
    on conflict do nothing
  `.execute(db)
}

export type AnswerResult = Pick<AnswerRow, 'sample_id' | 'side' | 'failure'>
export type ReadingResult = Pick<ReadingRow, 'sample_id' | 'kind' | 'score' | 'better' | 'failure'>

/** Of all samples that the attempt is tested on, without what was said. */
export async function listAnswerResults(db: Reader, attemptId: string): Promise<AnswerResult[]> {
  const rows = await tables(db)
    .selectFrom('test_answer')
    .select(['sample_id', 'side', 'failure'])
    .where('attempt_id', '=', attemptId)
    .execute()
  return rows
}

/** In the order in which they are asked for, without what was said. */
export async function listReadingResults(db: Reader, attemptId: string): Promise<ReadingResult[]> {
  const rows = await tables(db)
    .selectFrom('test_reading')
    .select(['sample_id', 'kind', 'score', 'better', 'failure'])
    .where('attempt_id', '=', attemptId)
    .execute()
  return inOrder(rows)
}

export async function readAnswers(
  db: Reader,
  attemptId: string,
  sampleIds: readonly string[],
): Promise<AnswerRow[]> {
  const rows = await tables(db)
    .selectFrom('test_answer')
    .selectAll()
    .where('attempt_id', '=', attemptId)
    .where('sample_id', 'in', [...sampleIds])
    .execute()
  return rows
}

/** In the order in which they are asked for. */
export async function readReadings(
  db: Reader,
  attemptId: string,
  sampleIds: readonly string[],
): Promise<ReadingRow[]> {
  const rows = await tables(db)
    .selectFrom('test_reading')
    .selectAll()
    .where('attempt_id', '=', attemptId)
    .where('sample_id', 'in', [...sampleIds])
    .execute()
  return inOrder(rows)
}

function inOrder<Row extends Pick<ReadingRow, 'kind'>>(rows: readonly Row[]): Row[] {
  return rows.toSorted((a, b) => readingKinds.indexOf(a.kind) - readingKinds.indexOf(b.kind))
}

/** What its answers and readings have cost so far, without those that an earlier test paid for. */
export async function sumTestCosts(
  db: Reader,
  { id: attemptId, test }: { id: string; test: Pick<TestPlan, 'kept'> | null },
): Promise<{ cost: Picodollars; readings: number }> {
  const { rows } = await sql<{ cost: string; readings: string }>`
    select coalesce(sum(cost), 0) as cost, count(*) filter (where is_reading) as readings from (
      select cost, false as is_reading from test_answer where attempt_id = ${attemptId}
      union all
      select cost, true from test_reading where attempt_id = ${attemptId}
    ) as paid
  `.execute(db)
  const { cost, readings } = test?.kept ?? { cost: '0', readings: 0 }
  return {
    cost: BigInt(rows[0]!.cost) - BigInt(cost),
    readings: Number(rows[0]!.readings) - readings,
  }
}

export type TestProgress = { answers: number; readings: number; asked: number }

export async function readTestProgress(db: Reader, attemptId: string): Promise<TestProgress> {
  const { rows } = await sql<Record<keyof TestProgress, string>>`
    select
      (select count(*) from test_answer where attempt_id = ${attemptId}) as answers,
      (select count(*) from test_reading where attempt_id = ${attemptId}) as readings,
      (select count(*) from tested_sample where attempt_id = ${attemptId} and question = 'asked')
        as asked
  `.execute(db)
  const row = rows[0]!
  return {
    answers: Number(row.answers),
    readings: Number(row.readings),
    asked: Number(row.asked),
  }
}

export type SampleOutcome = {
  sampleId: string
  outcome: 'win' | 'loss' | 'tie' | 'unscored' | 'missing'
  unscored: string | null
  score: number | null
  liveScore: number | null
}

/** What each came to, so that a report can be searched for it. */
export async function writeOutcomes(
  tx: Tx,
  attemptId: string,
  outcomes: readonly SampleOutcome[],
): Promise<void> {
  await sql`
    update tested_sample t set outcome = o.outcome, unscored = o.unscored, score = o.score,
      live_score = o.live_score
    from unnest(
      ${outcomes.map(({ sampleId }) => sampleId)}::uuid[],
      ${outcomes.map(({ outcome }) => outcome)}::text[],
      ${outcomes.map(({ unscored }) => unscored)}::text[],
      ${outcomes.map(({ score }) => score)}::double precision[],
      ${outcomes.map(({ liveScore }) => liveScore)}::double precision[]
    ) as o (sample_id, outcome, unscored, score, live_score)
    where t.attempt_id = ${attemptId} and t.sample_id = o.sample_id
  `.execute(tx)
}

/** Older ones hardly move what is told. */
const earlierTestsMost = 100

export type EarlierTest = {
  verdict: Verdict
  /** How many different questions this test asks, and how many of them that one asked too. */
  questions: number
  shared: number
}

/** Those of its pipeline before this one, the newest first. */
export async function readEarlierTests(
  db: Reader,
  { id, pipeline_id: pipelineId }: Pick<TestedAttempt, 'id' | 'pipeline_id'>,
): Promise<EarlierTest[]> {
  const { rows } = await sql<EarlierTest>`
    with asked as (
      select distinct coalesce(question_key, uuid_send(sample_id)) as key
      from tested_sample where attempt_id = ${id}
    )
    select e.verdict, (select count(*)::integer from asked) as questions, (
      select count(*)::integer from asked where key in (
        select coalesce(question_key, uuid_send(sample_id))
        from tested_sample where attempt_id = e.id
      )
    ) as shared
    from attempt e
    where e.pipeline_id = ${pipelineId} and e.verdict is not null and e.id <> ${id}
    order by e.attempt_no desc limit ${earlierTestsMost}
  `.execute(db)
  return rows
}
