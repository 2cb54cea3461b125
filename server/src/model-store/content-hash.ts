// The content hash of a folder: of the names and contents of the files that make a model or an adapter, and of no others.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

export type Kind = 'model' | 'adapter'

const partsOf: Record<Kind, RegExp> = {
  model:
    /^(config\.json|generation_config\.json|.+\.safetensors|.+\.safetensors\.index\.json|tokenizer.*\.(json|model)|special_tokens.*\.json|added_tokens\.json|vocab\.json|merges\.txt|chat_template\..+)$/,
  adapter: /^(adapter_config\.json|adapter_model\.safetensors)$/,
}

/** Sorted by name. A link counts as the file it leads to. */
export async function fileNames(folder: string, kind: Kind): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => partsOf[kind].test(name)).sort()
  if (names.length === 0) throw new Error(`${folder}: there are no files of the ${kind} here.`)
  return names
}

/** Hashes of files, for as long as their size and their times stay the same. */
export type FileHashes = Map<string, { state: string; hash: Promise<string> }>

/** In hexadecimal digits. Files are read in small pieces, so the event loop is never held up. */
export async function contentHash(
  folder: string,
  kind: Kind,
  known: FileHashes = new Map(),
): Promise<string> {
  const files: [name: string, hash: string][] = []
  for (const name of await fileNames(folder, kind)) {
    files.push([name, await fileHash(join(folder, name), known)])
  }
  return createHash('sha256').update(JSON.stringify(files)).digest('hex')
}

/** Differs once any of the files is changed or replaced, and is known without reading them. */
export async function folderState(folder: string, kind: Kind): Promise<string> {
  const names = await fileNames(folder, kind)
  const states = await Promise.all(names.map((name) => fileState(join(folder, name))))
  return JSON.stringify([names, states])
}

async function fileState(path: string): Promise<string> {
  const { size, mtimeMs, ctimeMs, ino } = await stat(path)
  return [size, mtimeMs, ctimeMs, ino].join()
}

async function fileHash(path: string, known: FileHashes): Promise<string> {
  const state = await fileState(path)
  const found = known.get(path)
  if (found?.state === state) return found.hash
  const hash = hashOf(path)
  known.set(path, { state, hash })
  hash.catch(() => known.delete(path))
  return hash
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer)
  return hash.digest('hex')
}
