// The tables of attempts as Kysely sees them.
import type { JSONColumnType, Kysely } from 'kysely'
import type { AttemptPhase, CurvePoint } from '#contract/attempt.ts'
import type { Db } from '../../storage/open-storage.ts'
import type { Database } from '../../storage/schema.ts'
import type { AttemptTable } from './attempt.ts'

export type AttemptTables = {
  attempt: AttemptTable
  attempt_move: {
    attempt_id: string
    no: number
    from_phase: AttemptPhase
    to_phase: AttemptPhase
    why: string
    at: Date
  }
  attempt_curve: { attempt_id: string; points: JSONColumnType<CurvePoint[]> }
}

export function tables(db: Db): Kysely<Database & AttemptTables> {
  return db.withTables<AttemptTables>()
}
