// Makes a folder and those above it. Node's own way asks for ever where a file system says that a folder is not there and lets
// nobody make it, as automounters and /proc do.
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

export async function makeFolder(path: string, mode?: number): Promise<void> {
  try {
    await mkdir(path, { mode })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' && dirname(path) !== path) {
      await makeFolder(dirname(path), mode)
      await mkdir(path, { mode }).catch((again: unknown) => unlessFolder(path, again))
      return
    }
    await unlessFolder(path, error)
  }
}

/** Somebody else may have made it meanwhile, and a read-only disk refuses to make even what is there. */
async function unlessFolder(path: string, error: unknown): Promise<void> {
  const found = await stat(path).catch(() => null)
  if (!found?.isDirectory()) throw error
}
