// The revision of a model: the hash of its files.
import assert from 'node:assert/strict'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Catalog } from '#server/catalog/catalog.ts'
import { modelPinner } from '#server/loop/pipeline/pin-model.ts'

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hone-pin-'))
  await writeFile(join(folder, 'config.json'), '{}')
  await writeFile(join(folder, 'model.safetensors'), 'weights')
  await writeFile(join(folder, 'tokenizer.json'), '{}')
})
after(() => rm(folder, { recursive: true }))

const pinner = () => {
  const find = (id: string) =>
    id === 'here' ? { routes: [{ engine: 'embedded', model_folder: folder }] } : null
  return modelPinner({ find } as unknown as Catalog)
}

test('the same files have the same revision, whatever else is beside them', async () => {
  const pin = pinner()
  const revision = await pin('here')
  assert.match(revision, /^[0-9a-f]{64}$/)
  await writeFile(join(folder, 'README.md'), 'words')
  assert.deepEqual([await pin('here'), await pinner()('here')], [revision, revision])
})

test('other contents and other names are another revision', async () => {
  const pin = pinner()
  const seen = [await pin('here')]
  await writeFile(join(folder, 'model.safetensors'), 'other weights')
  seen.push(await pin('here'))
  await writeFile(join(folder, 'tokenizer_config.json'), '{}')
  seen.push(await pin('here'))
  await rename(join(folder, 'model.safetensors'), join(folder, 'model-1.safetensors'))
  seen.push(await pin('here'))
  assert.equal(new Set(seen).size, seen.length)
})

test('a model that is not here, or has no weights, has none', async () => {
  await assert.rejects(pinner()('elsewhere'), /no files here/)
  await rm(join(folder, 'model-1.safetensors'))
  await assert.rejects(pinner()('here'), /no weights/)
})
