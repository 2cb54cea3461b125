// Models and adapters that Hone keeps, by content hash: what a version names stays as it was, whatever becomes of the folder that
// it came from.
import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, link, mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '../lib/write-aside.ts'
import { contentHash, fileNames, folderState } from './content-hash.ts'
import type { FileHashes, Kind } from './content-hash.ts'
import { effect } from './effects.ts'

/**
 * How long a folder stays that nothing names: its name may be on its way into the database. Also how long a copy may take before
 * it counts as left by a killed process.
 */
const graceMs = 3_600_000
const hashForm = /^[0-9a-f]{64}$/
const writing = '.writing'
const removing = '.removing'

export type KeepOptions = {
  /**
   * Links files instead of copying them, where the file system can. Only for folders that nobody but Hone writes: a file that
   * is changed where it lies would change here too.
   */
  link?: boolean
}

export class ModelStore {
  readonly #root: string
  readonly #hashes: FileHashes = new Map()

  /** `<root>/models` and `<root>/adapters` are made when they are first needed. */
  constructor(root: string) {
    this.#root = root
  }

  modelHash(folder: string): Promise<string> {
    return contentHash(folder, 'model', this.#hashes)
  }

  /** As long as it stays the same, so does the hash. */
  modelState(folder: string): Promise<string> {
    return folderState(folder, 'model')
  }

  /** Copies the model's files and returns their hash. May be repeated, and killed at any moment. */
  keepModel(folder: string, options: KeepOptions = {}): Promise<string> {
    return this.#keep(folder, 'model', options)
  }

  keepAdapter(folder: string, options: KeepOptions = {}): Promise<string> {
    return this.#keep(folder, 'adapter', options)
  }

  modelPath(hash: string): string {
    return this.#path('model', hash)
  }

  /** One that is there stays for an hour, so that its name can be written down again. */
  hasAdapter(hash: string): Promise<boolean> {
    return isKept(this.adapterPath(hash))
  }

  adapterPath(hash: string): string {
    return this.#path('adapter', hash)
  }

  /** Those kept within the last hour stay as well. */
  removeUnnamedModels(named: Iterable<string>): Promise<void> {
    return this.#removeUnnamed('model', new Set(named))
  }

  removeUnnamedAdapters(named: Iterable<string>): Promise<void> {
    return this.#removeUnnamed('adapter', new Set(named))
  }

  #folder(kind: Kind): string {
    return join(this.#root, `${kind}s`)
  }

  #path(kind: Kind, hash: string): string {
    if (!hashForm.test(hash)) throw new Error(`'${hash}' is not a content hash.`)
    return join(this.#folder(kind), hash)
  }

  async #keep(folder: string, kind: Kind, options: KeepOptions): Promise<string> {
    const hash = await contentHash(folder, kind, this.#hashes)
    const path = this.#path(kind, hash)
    if (await isKept(path)) return hash
    const aside = `${path}.${randomUUID()}${writing}`
    try {
      await mkdir(aside, { recursive: true })
      await effect('copy-files', () => copyFiles(folder, kind, aside, options))
      if ((await contentHash(aside, kind)) !== hash) {
        throw new Error(`${folder}: the files changed while they were copied.`)
      }
      await effect('name-folder', () => nameFolder(aside, path))
    } catch (error) {
      await rm(aside, { recursive: true, force: true })
      throw error
    }
    return hash
  }

  async #removeUnnamed(kind: Kind, named: ReadonlySet<string>): Promise<void> {
    const folder = this.#folder(kind)
    const names = await readdir(folder).catch(() => [])
    for (const name of names) {
      const path = join(folder, name)
      const known = hashForm.test(name) || name.endsWith(writing) || name.endsWith(removing)
      if (!known || named.has(name)) continue
      if (name.endsWith(removing)) await remove(path)
      else if (await isOld(path)) await moveAwayAndRemove(path)
    }
  }
}

/** A folder that is there is whole. It counts as kept anew, so that it is not removed before its name is written down. */
async function isKept(path: string): Promise<boolean> {
  const now = new Date()
  return utimes(path, now, now).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false
      throw error
    },
  )
}

/** Null for what is gone. */
async function isOld(path: string): Promise<boolean | null> {
  const found = await stat(path).catch(() => null)
  return found && Date.now() - found.mtimeMs > graceMs
}

async function copyFiles(
  folder: string,
  kind: Kind,
  to: string,
  options: KeepOptions,
): Promise<void> {
  for (const name of await fileNames(folder, kind)) {
    const [source, target] = [join(folder, name), join(to, name)]
    const linked = options.link === true && (await isLinked(source, target))
    // Where the file system can, a copy shares its blocks with the original until one of them changes.
    if (!linked) await copyFile(source, target, constants.COPYFILE_FICLONE)
    await syncFile(target)
  }
  await syncFolder(to)
}

/** Windows flushes only what is open for writing; elsewhere a file may be read-only, as its original was. */
async function syncFile(path: string): Promise<void> {
  const file = await open(path, process.platform === 'win32' ? 'r+' : 'r')
  await file.sync().finally(() => file.close())
}

async function isLinked(source: string, target: string): Promise<boolean> {
  return link(source, target).then(
    () => true,
    () => false,
  )
}

async function nameFolder(aside: string, path: string): Promise<void> {
  try {
    await rename(aside, path)
  } catch (error) {
    // Another process may have kept the same files meanwhile.
    if (!(await isKept(path))) throw error
    await rm(aside, { recursive: true, force: true })
  }
  await syncFolder(join(path, '..'))
}

/** Under its own name a folder is never in parts, not even while it is removed. */
async function moveAwayAndRemove(path: string): Promise<void> {
  const away = `${path}.${randomUUID()}${removing}`
  await effect('unname-folder', () => rename(path, away))
  // It may have been kept anew just before.
  if ((await isOld(away)) === false) await nameFolder(away, path)
  else await remove(away)
}

function remove(path: string): Promise<void> {
  return effect('remove-folder', () => rm(path, { recursive: true, force: true }))
}
