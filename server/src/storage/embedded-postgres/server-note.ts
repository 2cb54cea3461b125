// A note in the data folder that says where its server listens, so that commands find it while it runs. Only who holds the lock on
// the folder writes and removes it: a note that came with a copy of the folder leads to the server of the original.
import { readFile, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export async function writeNote(dataDir: string, url: string): Promise<void> {
  await writeFile(noteFile(dataDir), url, { mode: 0o600 })
}

/** Null where the server is not ready yet. */
export async function readNote(dataDir: string): Promise<string | null> {
  return readFile(noteFile(dataDir), 'utf8').catch(() => null)
}

export async function removeNote(dataDir: string): Promise<void> {
  await unlink(noteFile(dataDir)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
}

function noteFile(dataDir: string): string {
  return join(dataDir, 'database-url')
}
