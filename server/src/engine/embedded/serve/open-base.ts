// Which base model is open: by the hash of the files that it was opened from. They may be replaced while it runs, which changes what
// is in the folder and not what is in memory.
import type { ModelClient } from './model-client.ts'

/** What the files of a model folder are. */
export type BaseRevisions = {
  /** Their content hash. */
  modelHash(folder: string): Promise<string>
  /** Known without reading them; as long as it stays the same, so does the hash. */
  modelState(folder: string): Promise<string>
}

export class OpenBase {
  readonly #folder: string
  readonly #revisions: BaseRevisions | undefined
  readonly #states = new WeakMap<ModelClient, Promise<string | null>>()
  readonly #known = new WeakMap<ModelClient, Promise<string | null>>()

  constructor({ modelFolder, revisions }: { modelFolder: string; revisions?: BaseRevisions }) {
    this.#folder = modelFolder
    this.#revisions = revisions
  }

  /** Of what is in the folder; null where that cannot be read. */
  async revisionNow(): Promise<string | null> {
    return (await this.#revisions?.modelHash(this.#folder).catch(() => null)) ?? null
  }

  opened(model: ModelClient): void {
    this.#states.set(model, this.#stateNow())
  }

  /** Of what is in memory; null where the files have changed since, so that it cannot be known. */
  revisionOf(model: ModelClient): Promise<string | null> {
    let known = this.#known.get(model)
    if (!known) {
      known = this.#find(model)
      this.#known.set(model, known)
    }
    return known
  }

  async #find(model: ModelClient): Promise<string | null> {
    const revision = await this.revisionNow()
    const opened = await this.#states.get(model)
    return opened !== null && opened === (await this.#stateNow()) ? revision : null
  }

  async #stateNow(): Promise<string | null> {
    return (await this.#revisions?.modelState(this.#folder).catch(() => null)) ?? null
  }
}
