// Where weights lie that were made here: by the hash of their content, below the data folder.
import { join } from 'node:path'

export type WeightsFolders = {
  /** A PEFT adapter. */
  adapter: (hash: string) => string
  /** A whole model folder. */
  merged: (hash: string) => string
}

export function weightsFolders(dataDir: string): WeightsFolders {
  const objects = join(dataDir, 'objects')
  return {
    adapter: (hash) => join(objects, 'adapters', hash),
    merged: (hash) => join(objects, 'models', hash),
  }
}
