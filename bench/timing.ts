// Does time tell what a caller may not know? Interleaved probes of the checks behind HTTP, where nothing else blurs them, compared by Welch's t: a key that shares all
// but its last characters with a real one against one that shares nothing, and sign-ins of known against unknown
// addresses. Below 4.5 the two cannot be told apart.
import { loginTriesPerMinute } from '#contract/limits.ts'
import { hashKeySecret, newKeySecret, sealKeySecret } from '#server/account/key-secret.ts'
import { randomBase62 } from '#server/lib/base62.ts'
import { passwordFits } from '#server/account/password.ts'
import { testHone } from '../server/test/support/test-hone.ts'

const keyProbes = 20_000
const loginProbes = 200
const poolSize = 200

export async function run(): Promise<void> {
  const hone = await testHone()
  const real = await hone.call('POST', '/api/api-keys', {
    key: hone.owner.key,
    body: { name: 'timing', scope_preset: 'all' },
  })
  const secret = String((real.json as Record<string, unknown>).secret)
  // All with checksums that fit, so that every probe reaches the lookup; many of each kind, because one value's place
  // in the index is its own.
  const far = Array.from({ length: poolSize }, () => newKeySecret(false))
  const near = Array.from({ length: poolSize }, () =>
    sealKeySecret(secret.slice(0, 40) + randomBase62(5)),
  )
  const alike = Array.from({ length: poolSize }, () => sameFirstByte(secret))
  const probe = (keys: string[]) => () =>
    hone.app.operations.identity.callerOfSecret(keys[Math.floor(Math.random() * poolSize)] ?? '')
  await report(
    'key sharing 40 characters with a real one, against none',
    keyProbes,
    probe(near),
    probe(far),
  )
  await report(
    'key whose hash begins like a real one, against none',
    keyProbes,
    probe(alike),
    probe(far),
  )
  console.log(
    `(sign-in is limited to ${loginTriesPerMinute} bad tries a minute, so the check behind it is measured)`,
  )
  const person = await hone.app.storage.db
    .selectFrom('person')
    .select('password_hash')
    .executeTakeFirstOrThrow()
  await report(
    'password of a known address, against an unknown one',
    loginProbes,
    () => passwordFits(person.password_hash, 'wrong password'),
    () => passwordFits(null, 'wrong password'),
  )
  await hone.stop()
}

/** A made-up secret that an index would compare with the real one for longer. */
function sameFirstByte(secret: string): string {
  const first = hashKeySecret(secret)[0]
  let other = newKeySecret(false)
  while (hashKeySecret(other)[0] !== first) other = newKeySecret(false)
  return other
}

async function report(
  name: string,
  probes: number,
  a: () => Promise<unknown>,
  b: () => Promise<unknown>,
): Promise<void> {
  const times: [number[], number[]] = [[], []]
  for (let i = 0; i < probes; i++) {
    // In random order within each pair, so that neither is always the warm one.
    const order = Math.random() < 0.5 ? [0, 1] : [1, 0]
    for (const which of order) {
      const started = performance.now()
      await (which === 0 ? a() : b())
      times[which as 0 | 1].push(performance.now() - started)
    }
  }
  console.log(`${name}: t = ${welch(...times).toFixed(2)} over ${probes} pairs`)
}

/** On the middle 90%, because a pause of the machine would drown everything else. */
function welch(first: number[], second: number[]): number {
  const [a, b] = [trimmed(first), trimmed(second)]
  return (mean(a) - mean(b)) / Math.sqrt(variance(a) / a.length + variance(b) / b.length)
}

function trimmed(values: number[]): number[] {
  const sorted = [...values].sort((x, y) => x - y)
  return sorted.slice(Math.floor(sorted.length * 0.05), Math.ceil(sorted.length * 0.95))
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function variance(values: number[]): number {
  const middle = mean(values)
  return values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1)
}
