// The base of a training or a merge: read, and checked to be the one that was named.
import { readAdapter } from '../../engine/embedded/llama/adapter.ts'
import { addAdapter } from '../../engine/embedded/llama/merge-adapter.ts'
import { ModelFileError } from '../../engine/embedded/llama/model-file-error.ts'
import { readModelFolder } from '../../engine/embedded/llama/read-model-folder.ts'
import type { ModelFolder } from '../../engine/embedded/llama/read-model-folder.ts'
import { contentHash } from '../../model-store/content-hash.ts'
import type { BaseModel } from '../compute.ts'

export type BaseReading =
  { model: ModelFolder } | { code: 'MODEL_UNREADABLE' | 'BASE_CHANGED'; detail: string }

/** With the adapters added to its weights, in order. */
export async function readBaseModel(
  base: BaseModel,
  adapters: readonly string[] = [],
): Promise<BaseReading> {
  try {
    const model = await readModelFolder(base.path)
    if ((await contentHash(base.path, 'model')) !== base.revision) {
      const detail = `${base.path}: the files are no longer those of the model that was named.`
      return { code: 'BASE_CHANGED', detail }
    }
    for (const path of adapters) addAdapter(model, await readAdapter(path, model))
    return { model }
  } catch (error) {
    if (!(error instanceof ModelFileError)) throw error
    return { code: 'MODEL_UNREADABLE', detail: error.message }
  }
}
