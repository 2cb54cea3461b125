// Password hashes (argon2id), and a check that takes as long for an account that does not exist. Each takes tens of
// milliseconds of a core, 19 MiB and one of the few threads that files and names are read with too.
import { hash, verify } from '@node-rs/argon2'
import { Turns } from '../lib/turns.ts'

/** Of a password that nobody chose. */
export const generatedPasswordCharacters = 20

// OWASP's first recommendation for argon2id; the library's default algorithm is argon2id.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

const turns = new Turns({ atOnce: 2, waitingMax: 1000, waitMs: 30_000 })

export function hashPassword(password: string): Promise<string> {
  return turns.run(() => hash(password, cost))
}

let nobodysHash: Promise<string> | null = null

/** With no hash to check against, the work is done all the same, so that time tells nothing. */
export async function passwordFits(
  passwordHash: string | null,
  password: string,
): Promise<boolean> {
  nobodysHash ??= hashPassword('no account has this password')
  const known = passwordHash ?? (await nobodysHash)
  const fits = await turns.run(() => verify(known, password))
  return fits && passwordHash !== null
}
