// The catalog in memory, re-read when its file changes. A bad edit is logged and the last good one stays.
import { readFile, writeFile } from 'node:fs/promises'
import { unwatchFile, watchFile } from 'node:fs'
import { dirname } from 'node:path'
import type { ModelRow } from '#contract/model.ts'
import { makeFolder } from '../lib/make-folder.ts'
import type { Picodollars } from '../lib/money.ts'
import { StartupProblem } from '../lib/startup-problem.ts'
import {
  type CatalogFile,
  type CatalogModel,
  type Machine,
  readCatalogText,
} from './catalog-file.ts'
import { defaultCatalog } from './default-catalog.ts'
import { modelRow } from './model-row.ts'

type Log = { info(sentence: string): void; error(sentence: string): void }

const watchMs = 500

export class Catalog {
  readonly #file: string
  readonly #log: Log
  #models = new Map<string, CatalogModel>()
  #rows: ModelRow[] = []
  #limits: CatalogFile['limits'] | null = null
  #imageHosts: readonly string[] = []
  #storagePrice: Picodollars = 0n
  #machines: readonly Machine[] = []
  #stale = false
  #isNew = false

  private constructor(file: string, log: Log) {
    this.#file = file
    this.#log = log
  }

  static async open(file: string, log: Log): Promise<Catalog> {
    const catalog = new Catalog(file, log)
    catalog.#isNew = await writeIfMissing(file)
    const reading = readCatalogText(await read(file))
    if (!reading.ok) {
      throw new StartupProblem(`The catalog ${file} cannot be used: ${reading.problem}.`)
    }
    catalog.#use(reading.file)
    // Polling sees every way an editor may replace a file, on every file system.
    watchFile(file, { interval: watchMs, persistent: false }, () => void catalog.reload())
    return catalog
  }

  async reload(): Promise<void> {
    let problem: string
    try {
      const reading = readCatalogText(await readFile(this.#file, 'utf8'))
      if (reading.ok) {
        this.#use(reading.file)
        this.#log.info(`The catalog was read again: ${this.#rows.length} models.`)
        return
      }
      problem = reading.problem
    } catch (error) {
      problem = (error as Error).message
    }
    this.#stale = true
    this.#log.error(
      `The changed catalog ${this.#file} cannot be used, so the last valid one stays in use: ${problem}.`,
    )
  }

  /** Whether there was none, so that the one that comes with Hone was written. */
  get isNew(): boolean {
    return this.#isNew
  }

  /** Whether the file has been changed into one that cannot be used, so that what is here is older than it. */
  get stale(): boolean {
    return this.#stale
  }

  get rows(): readonly ModelRow[] {
    return this.#rows
  }

  get models(): Iterable<CatalogModel> {
    return this.#models.values()
  }

  get limits(): CatalogFile['limits'] {
    if (!this.#limits) throw new Error('the catalog was used before it was read')
    return this.#limits
  }

  get imageHosts(): readonly string[] {
    return this.#imageHosts
  }

  /** For a gigabyte and a month. */
  get storagePrice(): Picodollars {
    return this.#storagePrice
  }

  get machines(): readonly Machine[] {
    return this.#machines
  }

  machine(name: string): Machine | null {
    return this.#machines.find((machine) => machine.name === name) ?? null
  }

  /** Models that rate answers, in the order of the file. */
  get judges(): readonly CatalogModel[] {
    return [...this.#models.values()].filter(({ judge }) => judge)
  }

  find(slug: string): CatalogModel | null {
    return this.#models.get(slug) ?? null
  }

  close(): void {
    unwatchFile(this.#file)
  }

  #use(file: CatalogFile): void {
    this.#models = new Map(file.models.map((model) => [model.id, model]))
    this.#rows = file.models.map(modelRow)
    this.#limits = file.limits
    this.#imageHosts = file.image_hosts
    this.#storagePrice = file.storage?.usd_per_gb_month ?? 0n
    this.#machines = file.machines
    this.#stale = false
  }
}

async function writeIfMissing(file: string): Promise<boolean> {
  try {
    await makeFolder(dirname(file))
    await writeFile(file, `${JSON.stringify(defaultCatalog, null, 2)}\n`, {
      flag: 'wx',
      mode: 0o644,
    })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw new StartupProblem(
      `Cannot write the catalog ${file} (${(error as Error).message}); set HONE_CATALOG to a file that can be written.`,
    )
  }
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new StartupProblem(
      `Cannot read the catalog ${file} (${(error as Error).message}); set HONE_CATALOG to a file that can be read.`,
    )
  }
}
