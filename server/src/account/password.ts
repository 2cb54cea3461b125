// Password hashes (argon2id), and a check that takes as long for an account that does not exist.
import { hash, verify } from '@node-rs/argon2'

// OWASP's first recommendation for argon2id; the library's default algorithm is argon2id.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

export function hashPassword(password: string): Promise<string> {
  return hash(password, cost)
}

let nobodysHash: Promise<string> | null = null

/** With no hash to check against, the work is done all the same, so that time tells nothing. */
export async function passwordFits(
  passwordHash: string | null,
  password: string,
): Promise<boolean> {
  nobodysHash ??= hashPassword('no account has this password')
  const fits = await verify(passwordHash ?? (await nobodysHash), password)
  return fits && passwordHash !== null
}
