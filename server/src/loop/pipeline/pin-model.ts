// The revision of a model: one hash over the files that make it, so that a pipeline knows whether they have changed.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Catalog } from '../../catalog/catalog.ts'
import { modelFolderOf } from './trainable-models.ts'

const modelFile = /^(config\.json|.+\.safetensors|tokenizer.*\.(json|model))$/

/** Hashes of files, as long as their size and their time of change stay the same. */
type FileHashes = Map<string, { state: string; hash: Promise<string> }>

/** Rejects when the files of the model cannot be read. */
export function modelPinner(catalog: Catalog): (modelId: string) => Promise<string> {
  const known: FileHashes = new Map()
  return async (modelId) => {
    const folder = modelFolderOf(catalog, modelId)
    if (folder === null) throw new Error(`${modelId} has no files here.`)
    const names = (await readdir(folder)).filter((name) => modelFile.test(name)).sort()
    if (!names.some((name) => name.endsWith('.safetensors'))) {
      throw new Error(`${folder}: there are no weights here.`)
    }
    const files: [name: string, hash: string][] = []
    for (const name of names) files.push([name, await hashOf(join(folder, name), known)])
    return createHash('sha256').update(JSON.stringify(files)).digest('hex')
  }
}

async function hashOf(path: string, known: FileHashes): Promise<string> {
  const { size, mtimeMs } = await stat(path)
  const state = `${size} ${mtimeMs}`
  const found = known.get(path)
  if (found?.state === state) return found.hash
  const hash = readHash(path)
  known.set(path, { state, hash })
  hash.catch(() => known.delete(path))
  return hash
}

/** In small pieces, so that other calls are served meanwhile. */
async function readHash(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer)
  return hash.digest('hex')
}
