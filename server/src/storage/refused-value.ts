// Tells an error that is about the values of a statement, which the same values meet again, from one about the database.
import pg from 'pg'

// Data exceptions, violated constraints, limits that a value exceeds, and what functions of the database raise.
const valueClasses = ['22', '23', '54', 'P0']

export function isRefusedValue(error: unknown): boolean {
  return valueClasses.includes(classOf(error))
}

/** A deadlock, or another that makes one of two writers begin again. */
export function isConflictOfWriters(error: unknown): boolean {
  return classOf(error) === '40'
}

function classOf(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.code ?? '').slice(0, 2) : ''
}
