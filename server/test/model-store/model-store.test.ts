import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import fs, {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { contentHash } from '#server/model-store/content-hash.ts'
import type { FileHashes } from '#server/model-store/content-hash.ts'
import { ModelStore } from '#server/model-store/model-store.ts'

const root = await mkdtemp(join(tmpdir(), 'hone-models-'))
after(() => rm(root, { recursive: true, force: true }))
let count = 0

async function folderOf(files: Record<string, string>): Promise<string> {
  const folder = join(root, String(count++))
  await mkdir(folder)
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return folder
}

function newStore(): ModelStore {
  return new ModelStore(join(root, `objects-${count++}`))
}

const files = {
  'config.json': '{}',
  'model-1.safetensors': 'a',
  'model-2.safetensors': 'b',
  'tokenizer.json': 't',
  'chat_template.jinja': 'c',
}

test('the hash follows names and contents of the files that make the model, and of no others', async () => {
  const hash = await contentHash(await folderOf(files), 'model')
  const hashOf = async (changes: Record<string, string>) =>
    contentHash(await folderOf({ ...files, ...changes }), 'model')
  assert.equal(await hashOf({ 'README.md': 'new', 'training.log': 'x' }), hash)
  for (const [name, text] of Object.entries(files)) {
    assert.notEqual(await hashOf({ [name]: `${text}.` }), hash, name)
  }
  assert.notEqual(await hashOf({ 'special_tokens_map.json': '{}' }), hash)
  assert.notEqual(await hashOf({ 'model.safetensors.index.json': '{}' }), hash)
  assert.notEqual(await hashOf({ 'model-1.safetensors': 'b', 'model-2.safetensors': 'a' }), hash)
  await assert.rejects(contentHash(await folderOf({ 'README.md': '' }), 'model'), /no files/)
})

test('a changed file is hashed again, one that is as it was is not', async () => {
  const folder = await folderOf(files)
  const known: FileHashes = new Map()
  const hash = await contentHash(folder, 'model', known)
  const before = new Map(known)
  assert.equal(await contentHash(folder, 'model', known), hash)
  assert.deepEqual(known, before)
  await writeFile(join(folder, 'config.json'), '[]')
  assert.notEqual(await contentHash(folder, 'model', known), hash)
})

test('what is kept stays as it was, whatever becomes of the folder, and is kept once', async () => {
  const store = newStore()
  const folder = await folderOf({ ...files, 'README.md': 'not kept' })
  await chmod(join(folder, 'config.json'), 0o444)
  const hashes = await Promise.all([store.keepModel(folder), store.keepModel(folder)])
  assert.equal(hashes[0], hashes[1])
  const path = store.modelPath(hashes[0])
  await writeFile(join(folder, 'tokenizer.json'), 'changed where it lies')
  assert.equal(await readFile(join(path, 'tokenizer.json'), 'utf8'), 't')
  assert.deepEqual((await readdir(path)).sort(), Object.keys(files).sort())
  assert.deepEqual(await readdir(join(path, '..')), [hashes[0]])
  assert.equal(await contentHash(path, 'model'), hashes[0])
  // Keeping what the store has already is nothing new.
  assert.equal(await store.keepModel(path), hashes[0])
  assert.throws(() => store.modelPath('../secret'), /not a content hash/)
})

test('an adapter is its two files', async () => {
  const store = newStore()
  const adapter = { 'adapter_config.json': '{}', 'adapter_model.safetensors': 'a' }
  const hash = await store.keepAdapter(await folderOf({ ...adapter, 'notes.txt': 'n' }), {
    link: true,
  })
  assert.deepEqual((await readdir(store.adapterPath(hash))).sort(), Object.keys(adapter))
})

test('models that nothing names are removed, with what killed processes left, but not the newest', async () => {
  const store = newStore()
  const kept = [
    await store.keepModel(await folderOf({ ...files, 'config.json': '1' })),
    await store.keepModel(await folderOf({ ...files, 'config.json': '2' })),
    await store.keepModel(await folderOf({ ...files, 'config.json': '3' })),
  ]
  const [named, unnamed, newest] = kept as [string, string, string]
  const folder = join(store.modelPath(named), '..')
  const left = ['x.writing', 'y.writing', `${named}.removing`]
  for (const name of left) await mkdir(join(folder, name))
  for (const name of [named, unnamed, 'x.writing']) await utimes(join(folder, name), 0, 0)
  await store.removeUnnamedModels([named])
  assert.deepEqual((await readdir(folder)).sort(), [named, newest, 'y.writing'].sort())
  await store.removeUnnamedAdapters([])
  assert.ok(!existsSync(join(folder, '..', 'adapters')))
})

test('a model that is kept anew while it is being removed stays', async (t) => {
  const store = newStore()
  const original = await folderOf(files)
  const path = store.modelPath(await store.keepModel(original))
  await utimes(path, 0, 0)
  const { rename } = fs
  t.after(syncBuiltinESMExports)
  const { mock } = t.mock.method(fs, 'rename', async (from: string, to: string) => {
    mock.restore()
    syncBuiltinESMExports()
    await store.keepModel(original)
    await rename(from, to)
  })
  syncBuiltinESMExports()
  await store.removeUnnamedModels([])
  assert.equal(mock.callCount(), 1)
  assert.equal(await contentHash(path, 'model'), await store.modelHash(original))
  assert.deepEqual(await readdir(join(path, '..')), [path.slice(-64)])
})
