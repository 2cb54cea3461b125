// Merges adapters into a base: in memory to train on top of them, or as a whole folder that any engine can load.
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Adapter } from './adapter.ts'
import type { ModelFolder } from './read-model-folder.ts'
import { projectionPath, projectionShape } from './tensor-shapes.ts'
import { writeFolderAside } from '../../../lib/write-aside.ts'
import { writeSafetensors } from './write-safetensors.ts'
import type { WrittenTensor } from './write-safetensors.ts'

type Change = Pick<Adapter, 'rank' | 'alpha' | 'layers'>

/** Adds the adapter's change to the weights of the model, where they lie. */
export function addAdapter(model: ModelFolder, adapter: Change): void {
  for (const { key, add } of changesOf(model, adapter)) add(model.tensors.get(key)!.data)
}

/** The weights an adapter changes, each with what adds its change to a copy or to the weight itself. */
function changesOf(
  model: ModelFolder,
  { rank, alpha, layers }: Change,
): { key: string; add: (data: Float32Array) => void }[] {
  return layers.flatMap((layer, index) =>
    [...layer].map(([name, { a, b }]) => ({
      key: `${projectionPath(index, name)}.weight`,
      add: (data: Float32Array) =>
        addProduct(data, b, a, projectionShape(model.config, name), rank, alpha / rank),
    })),
  )
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

/** Writes the model with the adapter merged into it; the model in memory stays as it is. */
export async function mergeAdapter(
  model: ModelFolder,
  adapter: Change,
  outFolder: string,
): Promise<void> {
  const merged = new Map<string, WrittenTensor>(model.tensors)
  for (const { key, add } of changesOf(model, adapter)) {
    const { shape, data } = model.tensors.get(key)!
    const change = () => {
      const changed = data.slice()
      add(changed)
      return changed
    }
    merged.set(key, { shape, data: change })
  }
  await writeModel(model, outFolder, merged)
}

/** Writes the model as it is in memory, in the weight format it was read in, as a folder that appears whole or not at all. */
export async function writeModel(
  model: ModelFolder,
  outFolder: string,
  tensors: ReadonlyMap<string, WrittenTensor> = model.tensors,
): Promise<void> {
  await writeFolderAside(outFolder, async (path) => {
    await mkdir(path, { recursive: true })
    for (const entry of await readdir(model.path, { withFileTypes: true })) {
      if (!entry.isFile() || notCopied.test(entry.name)) continue
      await copyFile(join(model.path, entry.name), join(path, entry.name))
    }
    await writeSafetensors(join(path, 'model.safetensors'), tensors, model.format)
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
