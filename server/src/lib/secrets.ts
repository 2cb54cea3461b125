// Keys for signing, derived from one root secret so that operators have a single one to keep. The root comes
// from HONE_SECRET (needed when several machines share a database) or from a file made on first start.
import { hkdfSync, randomBytes } from 'node:crypto'
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartupProblem } from './startup-problem.ts'

export type SecretPurpose = 'access-token' | 'thinking' | 'cache-salt' | 'own-storage'

export type Secrets = { keyFor(purpose: SecretPurpose): Uint8Array }

export async function openSecrets(dataDir: string, configured: string | null): Promise<Secrets> {
  const root = configured ?? (await readOrMakeRoot(join(dataDir, 'secret')))
  return {
    keyFor: (purpose) => new Uint8Array(hkdfSync('sha256', root, '', `hone ${purpose}`, 32)),
  }
}

async function readOrMakeRoot(file: string): Promise<string> {
  const root = (await readRoot(file)) ?? (await makeRoot(file))
  if (root.length < 32) {
    throw new StartupProblem(
      `${file} is damaged; restore it from a backup, or delete it to make a new one (everybody has to sign in again, and buckets have to be connected again).`,
    )
  }
  return root
}

/** It appears whole or not at all, wherever a start is killed, and two first starts agree on one. */
async function makeRoot(file: string): Promise<string> {
  const whole = `${file}.${randomBytes(8).toString('hex')}`
  try {
    await writeFile(whole, randomBytes(32).toString('hex'), { flag: 'wx', mode: 0o600 })
    await link(whole, file).catch((error: NodeJS.ErrnoException) => {
      // Some file systems know no links.
      if (error.code !== 'EEXIST') return rename(whole, file)
    })
  } catch (error) {
    throw new StartupProblem(`Cannot write ${file}: ${(error as Error).message}.`, { cause: error })
  } finally {
    await rm(whole, { force: true })
  }
  return (await readRoot(file)) ?? ''
}

/** Null where there is none yet. */
async function readRoot(file: string): Promise<string | null> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new StartupProblem(
      `Cannot read ${file} (${(error as Error).message}); make it readable for this user, or set HONE_SECRET.`,
      { cause: error },
    )
  }
}
