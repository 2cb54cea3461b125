// Tells a database that cannot be asked from one that answered with an error. The first is never the caller's
// fault, and no surface may show it as a missing key, an empty wallet or an unknown id.
import pg from 'pg'

export class StorageUnavailable extends Error {
  constructor(cause: unknown) {
    super('the database cannot be reached', { cause })
    this.name = 'StorageUnavailable'
  }
}

// Connection trouble, out of resources, server shutting down, I/O errors of the server.
const unavailableClasses = ['08', '53', '57', '58']

export function asStorageError(error: unknown): unknown {
  if (error instanceof StorageUnavailable) return error
  if (error instanceof pg.DatabaseError) {
    // Of a refused row it says every value, and errors are logged.
    error.detail = undefined
    return unavailableClasses.includes(error.code?.slice(0, 2) ?? '')
      ? new StorageUnavailable(error)
      : error
  }
  return new StorageUnavailable(error)
}

export function isUniqueViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '23505'
}

export function isMissingTable(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '42P01'
}
