// The root secret of a data folder: made once, however many starts come together, and whole wherever one of them was killed.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openSecrets } from '#server/lib/secrets.ts'

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hone-secrets-'))
})
after(() => rm(folder, { recursive: true }))

test('first starts at the same time agree on one secret, which only its owner can read', async () => {
  const starts = await Promise.all(Array.from({ length: 20 }, () => openSecrets(folder, null)))
  const keys = starts.map((secrets) => Buffer.from(secrets.keyFor('thinking')).toString('hex'))
  assert.equal(new Set(keys).size, 1)
  assert.deepEqual(await readdir(folder), ['secret'])
  assert.equal((await stat(join(folder, 'secret'))).mode & 0o777, 0o600)

  const later = await openSecrets(folder, null)
  assert.equal(Buffer.from(later.keyFor('thinking')).toString('hex'), keys[0])
})

test('a secret that was cut off is not taken', async () => {
  await writeFile(join(folder, 'secret'), 'half')
  await assert.rejects(openSecrets(folder, null), /damaged; restore it from a backup, or delete it/)
})
