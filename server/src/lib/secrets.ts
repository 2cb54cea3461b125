// Keys for signing, derived from one root secret so that operators have a single one to keep. The root comes
// from HONE_SECRET (needed when several machines share a database) or from a file made on first start.
import { hkdfSync, randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
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
  try {
    // `wx` fails when the file exists, so two first starts agree on one secret.
    await writeFile(file, randomBytes(32).toString('hex'), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw new StartupProblem(`Cannot write ${file}: ${(error as Error).message}.`, {
        cause: error,
      })
    }
  }
  const root = (await readRoot(file)).trim()
  if (root.length < 32) {
    throw new StartupProblem(
      `${file} is damaged; delete it to make a new secret (everybody signs in again).`,
    )
  }
  return root
}

async function readRoot(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new StartupProblem(
      `Cannot read ${file} (${(error as Error).message}); make it readable for this user, or set HONE_SECRET.`,
      { cause: error },
    )
  }
}
