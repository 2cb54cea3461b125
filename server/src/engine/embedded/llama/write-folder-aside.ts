// Files and folders that are either whole or not there: written beside their place, seen onto the disk, renamed.
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** `write` fills the folder it is given, and flushes what it writes. An older folder of that name is replaced. */
export async function writeFolderAside(
  path: string,
  write: (path: string) => Promise<void>,
): Promise<void> {
  const aside = `${path}.writing`
  const old = `${path}.old`
  await rm(aside, { recursive: true, force: true })
  try {
    await write(aside)
    await syncFolder(aside)
    await rm(old, { recursive: true, force: true })
    // A folder cannot be renamed over another that holds files.
    await rename(path, old).catch(ignoreMissing)
    await rename(aside, path)
  } catch (error) {
    await rm(aside, { recursive: true, force: true })
    throw error
  }
  await syncFolder(dirname(path))
  await rm(old, { recursive: true, force: true })
}

export async function writeFileAside(path: string, text: string): Promise<void> {
  const aside = `${path}.writing`
  const file = await open(aside, 'w')
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(aside, path)
  await syncFolder(dirname(path))
}

/** A rename is on the disk only once its folder is. Windows cannot open folders, and needs no such step. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}
