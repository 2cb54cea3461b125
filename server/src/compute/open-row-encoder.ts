// Opens what turns conversations into training rows for a model. Reading a large vocabulary takes seconds, so this is for threads.
import { openEmbeddedRows } from './embedded/embedded-rows.ts'
import type { RowEncoder } from './row-encoder.ts'

/** Rows have as many tokens as the model's own window and `contextWindow` allow. */
export function openRowEncoder(modelFolder: string, contextWindow: number): Promise<RowEncoder> {
  return openEmbeddedRows(modelFolder, contextWindow)
}
