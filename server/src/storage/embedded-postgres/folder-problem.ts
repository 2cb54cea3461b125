// Turns a failed file operation in a folder into the one sentence an operator can act on.

import { statfs } from 'node:fs/promises'
import { StartupProblem } from '../../lib/startup-problem.ts'

export function folderProblem(folder: string, error: unknown): StartupProblem {
  if (isFullDisk(error)) return fullDiskProblem(folder)
  if (error instanceof StartupProblem) return error
  const { code, message } = error as NodeJS.ErrnoException
  switch (code) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new StartupProblem(
        `Hone cannot write to its data folder ${folder} (${code}): give this user write access to it, or set HONE_DATA_DIR to another folder.`,
        { cause: error },
      )
    case 'EEXIST':
    case 'ENOTDIR':
      return new StartupProblem(
        `The data folder ${folder} cannot be made because a file of that name is in the way: move the file, or set HONE_DATA_DIR to another folder.`,
        { cause: error },
      )
    case 'ENOSPC':
    case 'EDQUOT':
      return fullDiskProblem(folder)
    default:
      return new StartupProblem(
        `Hone could not prepare its database in ${folder} (${message}): correct that, or set DATABASE_URL to a PostgreSQL server of your own.`,
        { cause: error },
      )
  }
}

export function fullDiskProblem(folder: string): StartupProblem {
  return new StartupProblem(
    `The disk that holds ${folder} is full: free some space and start Hone again, or set HONE_DATA_DIR to a folder on another disk.`,
  )
}

/** Whether a server that runs said so, or what tells of its answer. */
export function isFullDisk(error: unknown): boolean {
  return error instanceof Error && (tellsOfFullDisk(error.message) || isFullDisk(error.cause))
}

const spaceBytesMin = 1024 * 1024

/** Whether the disk that holds this has the space and the file entries for a server to start. */
export async function hasSpace(path: string): Promise<boolean> {
  const { bavail, bsize, files, ffree } = await statfs(path)
  // Some file systems make entries as needed and count none.
  return bavail * bsize >= spaceBytesMin && (files === 0 || ffree > 0)
}

/** Whether what a PostgreSQL program printed says that it ran out of disk. */
export function tellsOfFullDisk(output: string): boolean {
  return /No space left on device|Disk quota exceeded|wrote only \d+ of \d+ bytes/i.test(output)
}
