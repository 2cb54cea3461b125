// Merges adapters into a base: in memory to train on top of them, or as a whole folder that any engine can load.
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Adapter } from './adapter.ts'
import type { ModelFolder, Tensor } from './read-model-folder.ts'
import { projectionPath, projectionShape } from './tensor-shapes.ts'
import { writeFolderAside } from './write-folder-aside.ts'
import { writeSafetensors } from './write-safetensors.ts'

type Change = Pick<Adapter, 'rank' | 'alpha' | 'layers'>

/** The model with the adapter's change added to its weights. The model given is left as it is. */
export function withAdapter(model: ModelFolder, adapter: Change): ModelFolder {
  const tensors = new Map<string, Tensor>(model.tensors)
  adapter.layers.forEach((layer, index) => {
    for (const [name, { a, b }] of layer) {
      const key = `${projectionPath(index, name)}.weight`
      const shape = projectionShape(model.config, name)
      const data = Float32Array.from(model.tensors.get(key)!.data)
      addProduct(data, b, a, shape, adapter.rank, adapter.alpha / adapter.rank)
      tensors.set(key, { shape, data })
    }
  })
  return { ...model, tensors }
}

/** data [out, in] += scale · b [out, rank] · a [rank, in], summed in double precision and rounded once. */
function addProduct(
  data: Float32Array,
  b: Float32Array,
  a: Float32Array,
  [out, into]: [number, number],
  rank: number,
  scale: number,
): void {
  const row = new Float64Array(into)
  for (let i = 0; i < out; i++) {
    row.fill(0)
    for (let r = 0; r < rank; r++) {
      const factor = b[i * rank + r]! * scale
      for (let j = 0; j < into; j++) row[j]! += factor * a[r * into + j]!
    }
    for (let j = 0; j < into; j++) data[i * into + j]! += row[j]!
  }
}

/** Files of the base that the merged folder does not take over: the weights are written anew. */
const notCopied = /\.(safetensors|bin|pt|pth|gguf|onnx)$|\.safetensors\.index\.json$/

/** Writes the merged model, in the base's weight format, as a folder that appears whole or not at all. */
export async function mergeAdapter(
  model: ModelFolder,
  adapter: Change,
  outFolder: string,
): Promise<void> {
  const merged = withAdapter(model, adapter)
  await writeFolderAside(outFolder, async (path) => {
    await mkdir(path, { recursive: true })
    for (const entry of await readdir(model.path, { withFileTypes: true })) {
      if (!entry.isFile() || notCopied.test(entry.name)) continue
      await copyFile(join(model.path, entry.name), join(path, entry.name))
    }
    await writeSafetensors(join(path, 'model.safetensors'), merged.tensors, model.format)
    await nameFormat(join(path, 'config.json'), model)
  })
}

/** A base of mixed formats is merged to f32, and its config must say so. */
async function nameFormat(path: string, model: ModelFolder): Promise<void> {
  const dtype = { F32: 'float32', F16: 'float16', BF16: 'bfloat16' }[model.format]
  const fields = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>
  const named = { ...fields, torch_dtype: dtype, dtype }
  await writeFile(path, JSON.stringify(named, null, 2) + '\n', { flush: true })
}
