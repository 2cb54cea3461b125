// Files and folders that are either whole or not there: written beside their place, seen onto the disk, renamed.
import { randomUUID } from 'node:crypto'
import { link, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const asideEnding = '.writing'
/** Nobody writes one of these files for so long. */
const leftMs = 60_000

/** `write` fills the folder it is given, and flushes what it writes. An older folder of that name is replaced. */
export async function writeFolderAside(
  path: string,
  write: (path: string) => Promise<void>,
): Promise<void> {
  const aside = `${path}${asideEnding}`
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

/** Several may write the same file at once; the last of them is the one that is seen. */
export async function writeFileAside(path: string, text: string): Promise<void> {
  const aside = `${path}.${randomUUID()}${asideEnding}`
  try {
    await writeFile(aside, text, { flush: true })
    await rename(aside, path)
  } catch (error) {
    await rm(aside, { force: true })
    throw error
  }
  await syncFolder(dirname(path))
}

/** False if the file is there already, which then stays as it is. Of several that write it at once, one succeeds. */
export async function createFileAside(path: string, text: string): Promise<boolean> {
  const aside = `${path}.${randomUUID()}${asideEnding}`
  try {
    await writeFile(aside, text, { flush: true })
    await link(aside, path).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST' || (await stat(path).catch(() => null))) throw error
      // A file system without hard links.
      await rename(aside, path)
    })
  } catch (error) {
    if (await stat(path).catch(() => null)) return false
    throw error
  } finally {
    await rm(aside, { force: true })
  }
  await syncFolder(dirname(path))
  return true
}

/** What a process that was killed while it wrote has left in a folder. */
export async function removeLeftAside(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.endsWith(asideEnding)) continue
    const path = join(folder, name)
    const written = await stat(path).catch(() => null)
    if (written && Date.now() - written.mtimeMs > leftMs) await rm(path, { force: true })
  }
}

/** A rename is on the disk only once its folder is. Windows cannot open folders, and needs no such step. */
export async function syncFolder(path: string): Promise<void> {
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
