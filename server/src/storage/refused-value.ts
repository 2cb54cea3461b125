// Tells an error that is about the values of a statement, which the same values meet again, from one about the database.
import pg from 'pg'
import { StorageUnavailable } from './storage-unavailable.ts'

// Data exceptions, violated constraints, limits that a value exceeds, and what functions of the database raise.
const valueClasses = ['22', '23', '54', 'P0']

export function isRefusedValue(error: unknown): boolean {
  return valueClasses.includes(classOf(error))
}

/** The database could not be asked, or refused what it may take once somebody has put it right: a missing right, a lost table. */
export function mayPassLater(error: unknown): boolean {
  if (error instanceof StorageUnavailable) return true
  return error instanceof pg.DatabaseError && !isRefusedValue(error)
}

function classOf(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.code ?? '').slice(0, 2) : ''
}
