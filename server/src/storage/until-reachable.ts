// Waits for a database that cannot be reached yet: one that is started at the same time, or that is down for a while.
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { StartupProblem } from '../lib/startup-problem.ts'
import {
  asStorageError,
  StorageFull,
  StorageReadOnly,
  StorageUnavailable,
} from './storage-unavailable.ts'

/** Nobody answers there now, and somebody may later. */
export class DatabaseUnreachable extends StartupProblem {}

/** For what came of a way to the database: a refused password or certificate is a mistake in a setting, and stays one. */
export function unreachable(error: unknown): StartupProblem {
  const why = reasonOf(error)
  if ((error as NodeJS.ErrnoException | null)?.code === 'ERR_INVALID_URL') {
    return new StartupProblem(
      'DATABASE_URL is not a valid URL; percent-encode special characters in its user name and password as %23 (#), %2F (/), %3A (:), %40 (@) or %25 (%), and check its port.',
      { cause: error },
    )
  }
  const Problem = mayComeBack(error) ? DatabaseUnreachable : StartupProblem
  return new Problem(unreachableSentence(asStorageError(error), why), { cause: error })
}

function unreachableSentence(error: unknown, why: string): string {
  if (error instanceof StorageReadOnly) {
    return `The database is read-only (${why}); check that DATABASE_URL leads to one that accepts changes.`
  }
  return error instanceof StorageFull
    ? `The disk of the database is full (${why}); free some space on it.`
    : `Cannot reach the database (${why}); check DATABASE_URL and that the server runs.`
}

const lostCodes = ['ECONNRESET', 'EPIPE', 'ETIMEDOUT']
const lostWords =
  /^(timeout exceeded|connection terminated|query read timeout|client has encountered a connection error)/i

export function mayComeBack(error: unknown): boolean {
  if (error instanceof StorageUnavailable) return true
  if (error instanceof pg.DatabaseError) return asStorageError(error) instanceof StorageUnavailable
  if (error instanceof AggregateError) return error.errors.some(mayComeBack)
  if (!(error instanceof Error)) return false
  const { syscall, code = '' } = error as NodeJS.ErrnoException
  return syscall !== undefined || lostCodes.includes(code) || lostWords.test(error.message)
}

/** Of several addresses that were tried the error has no message of its own. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message || error.constructor.name : String(error)
}

const firstPauseMs = 250
const pauseMsMax = 2000
const sayAgainMs = 60_000
/** So long a step may take without a word; one that migrates much data may take longer. */
const stepMs = 10_000

export type Patience = {
  say: (sentence: string) => void
  /** What is so for as long as this waits, as a sentence. */
  meanwhile: string
  signal: AbortSignal | undefined
}

const slow =
  'The database has been busy with one step of the start for ten seconds, as it can be when much data is migrated; Hone keeps waiting.'

/** Does the step again until the database lets it. */
export async function untilReachable<Result>(
  step: () => Promise<Result>,
  { say, meanwhile, signal }: Patience,
): Promise<Result> {
  const givenUp = Promise.withResolvers<never>()
  const giveUp = (): void => givenUp.reject(signal?.reason)
  signal?.addEventListener('abort', giveUp)
  givenUp.promise.catch(() => {})
  if (signal?.aborted) giveUp()
  let said = { sentence: '', atMs: 0 }
  try {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMsMax, 2 * pauseMs)) {
      try {
        const late = setTimeout(() => {
          said = { sentence: slow, atMs: performance.now() }
          say(`${slow} ${meanwhile}`)
        }, stepMs)
        const result = await Promise.race([step(), givenUp.promise]).finally(() =>
          clearTimeout(late),
        )
        if (said.sentence !== '') say('The database answers; the start continues.')
        return result
      } catch (error) {
        if (!(error instanceof DatabaseUnreachable) && !(error instanceof StorageUnavailable)) {
          throw error
        }
        const sentence =
          error instanceof DatabaseUnreachable ? error.message : unreachable(error.cause).message
        const nowMs = performance.now()
        if (sentence !== said.sentence || nowMs - said.atMs >= sayAgainMs) {
          say(`${sentence} ${meanwhile}`)
          said = { sentence, atMs: nowMs }
        }
      }
      await Promise.race([delay(pauseMs), givenUp.promise])
    }
  } finally {
    signal?.removeEventListener('abort', giveUp)
  }
}
