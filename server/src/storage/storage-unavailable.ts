// Tells a database that cannot be asked from one that answered with an error. The first is never the caller's
// fault, and no surface may show it as a missing key, an empty wallet or an unknown id.
import pg from 'pg'

export class StorageUnavailable extends Error {
  constructor(cause: unknown, message = 'the database cannot be reached') {
    super(message, { cause })
    this.name = 'StorageUnavailable'
  }
}

/** It answers, and more wait for it than may. */
export class StorageBusy extends StorageUnavailable {
  constructor(cause: unknown) {
    super(cause, 'too many wait for the database')
    this.name = 'StorageBusy'
  }
}

/** It answers and takes no changes: a standby, or one that its operator has made read-only for a while. */
export class StorageReadOnly extends StorageUnavailable {
  constructor(cause: unknown) {
    super(cause, 'the database takes no changes')
    this.name = 'StorageReadOnly'
  }
}

/** It answers, and its disk has no space left for changes. */
export class StorageFull extends StorageUnavailable {
  constructor(cause: unknown) {
    super(cause, 'the disk of the database is full')
    this.name = 'StorageFull'
  }
}

/** It took the change back, because it stood in the way of another or waited for it too long: the next try may succeed. */
export class StorageContended extends StorageUnavailable {
  constructor(cause: unknown) {
    super(cause, 'another change stood in the way')
    this.name = 'StorageContended'
  }
}

const readOnlyTransaction = '25006'
const diskFull = '53100'
const lockNotAvailable = '55P03'
const transactionRollback = '40'
// The operator's limits on how long a transaction may take, or wait for its next statement.
const tooLong = ['25P03', '25P04']
// Connection trouble, out of resources, server shutting down, I/O errors of the server.
const unavailableClasses = ['08', '53', '57', '58']

export function asStorageError(error: unknown): unknown {
  if (error instanceof StorageUnavailable) return error
  if (error instanceof pg.DatabaseError) {
    // Of a refused row it says every value, and errors are logged.
    error.detail = undefined
    if (error.code === readOnlyTransaction) return new StorageReadOnly(error)
    if (error.code === diskFull) return new StorageFull(error)
    const ofClass = error.code?.slice(0, 2) ?? ''
    if (ofClass === transactionRollback || error.code === lockNotAvailable) {
      return new StorageContended(error)
    }
    if (tooLong.includes(error.code ?? '')) return new StorageUnavailable(error)
    return unavailableClasses.includes(ofClass) ? new StorageUnavailable(error) : error
  }
  return new StorageUnavailable(error)
}

/** What the database said, where it said something. */
export function codeOf(error: unknown): string | undefined {
  const cause = error instanceof StorageUnavailable ? error.cause : error
  return cause instanceof pg.DatabaseError ? cause.code : undefined
}

/** It took longer than it may. */
export function isCancelled(error: unknown): boolean {
  return codeOf(error) === '57014'
}

export function isUniqueViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '23505'
}

export function isMissingTable(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '42P01'
}
