// Reads a Hugging Face folder of the Llama family and checks that its weights are those its config describes.
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { isObject } from '../../../lib/json-object.ts'
import { memoryBytes } from '../../../lib/memory-size.ts'
import { llamaConfig } from './llama-config.ts'
import type { LlamaConfig } from './llama-config.ts'
import { ModelFileError } from './model-file-error.ts'
import { openSafetensors } from './read-safetensors.ts'
import type { SafetensorsFile, Tensor, WeightFormat } from './read-safetensors.ts'
import { projectionGroups, projectionPath, tensorShapes } from './tensor-shapes.ts'

export type { LlamaConfig, Tensor }

export type ModelFolder = {
  path: string
  config: LlamaConfig
  /** By Hugging Face name, widened to f32. A tied model has no `lm_head.weight`. */
  tensors: Map<string, Tensor>
  /** How the weights stand in the file. */
  format: WeightFormat
}

/** What can be known of a model without its weights. */
export async function readModelConfig(path: string): Promise<LlamaConfig> {
  const configPath = join(path, 'config.json')
  return llamaConfig(
    configPath,
    await readJson(configPath, 'required'),
    await readJson(join(path, 'generation_config.json'), 'optional'),
  )
}

export async function readModelFolder(path: string): Promise<ModelFolder> {
  const configPath = join(path, 'config.json')
  const config = await readModelConfig(path)
  checkTotalSize(configPath, config)
  const shapes = tensorShapes(config)
  const names = await shardNames(path)
  const files: SafetensorsFile[] = []
  try {
    for (const name of names) {
      files.push(await openSafetensors(join(path, name), (tensor) => shapes.has(tensor)))
    }
    checkTensors(join(path, names.length === 1 ? (names[0] ?? '') : indexName), shapes, files)
    const tensors = emptyTensors(configPath, config, shapes)
    const formats = new Set<WeightFormat>()
    for (const file of files) {
      for (const [name, stored] of file.stored) {
        formats.add(stored.format)
        await file.read(stored, tensors.get(name)!.data)
      }
    }
    // One half format throughout is kept when weights are written back; a mix is only safe as f32.
    const format = formats.size === 1 ? [...formats][0]! : 'F32'
    return { path, config, tensors, format }
  } finally {
    for (const file of files) await file.close()
  }
}

const indexName = 'model.safetensors.index.json'

async function readJson(path: string, need: 'required' | 'optional'): Promise<unknown> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (need === 'optional') return undefined
    throw new ModelFileError(`${path}: the file is missing or cannot be read.`, { cause: error })
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new ModelFileError(`${path}: this is not valid JSON.`)
  }
}

/** The weight files of the folder: the one whole file, or the shards its index names. */
async function shardNames(path: string): Promise<string[]> {
  const index = await readJson(join(path, indexName), 'optional')
  if (index === undefined) return ['model.safetensors']
  const map = isObject(index) && 'weight_map' in index ? index.weight_map : null
  const names: unknown[] = isObject(map) ? Object.values(map) : []
  const sound = names.filter(
    (name): name is string =>
      // A shard lies in the folder itself; an index must not lead anywhere else.
      typeof name === 'string' && name.endsWith('.safetensors') && basename(name) === name,
  )
  if (sound.length === 0 || sound.length !== names.length) {
    throw new ModelFileError(`${join(path, indexName)}: the weight_map names no valid shards.`)
  }
  return [...new Set(sound)].sort()
}

/** Before anything is made as large as the config says. */
function checkTotalSize(path: string, config: LlamaConfig): void {
  const perLayer = tensorShapes({ ...config, layers: 1 })
  let bytes = 0
  for (const [name, shape] of perLayer) {
    const size = shape.reduce((product, length) => product * length, 4)
    bytes += name.startsWith('model.layers.') ? size * config.layers : size
  }
  if (bytes > memoryBytes()) throw tooLarge(path, bytes)
}

function tooLarge(path: string, bytes: number, options?: ErrorOptions): ModelFileError {
  const gigabytes = (bytes / 1e9).toFixed(1)
  return new ModelFileError(
    `${path}: a model of these sizes takes ${gigabytes} GB as f32, more than there is memory for.`,
    options,
  )
}

function checkTensors(
  path: string,
  shapes: ReadonlyMap<string, number[]>,
  files: readonly SafetensorsFile[],
): void {
  for (const [name, shape] of shapes) {
    const found = files.flatMap(({ stored }) => stored.get(name) ?? [])
    if (found.length === 0) throw new ModelFileError(`${path}: the tensor '${name}' is missing.`)
    const wrong = found.find((stored) => stored.shape.join() !== shape.join())
    if (wrong) {
      throw new ModelFileError(
        `${path}: tensor '${name}' has the shape [${wrong.shape.join(', ')}] where config.json asks for [${shape.join(', ')}].`,
      )
    }
  }
}

/** Empty tensors of these shapes, where projections that share an input lie one below the other. */
function emptyTensors(
  path: string,
  config: LlamaConfig,
  shapes: ReadonlyMap<string, number[]>,
): Map<string, Tensor> {
  const tensors = new Map<string, Tensor>()
  const place = (names: readonly string[]) => {
    const lengths = names.map((name) => shapes.get(name)!.reduce((all, size) => all * size, 1))
    const whole = new Float32Array(lengths.reduce((sum, length) => sum + length, 0))
    let start = 0
    for (const [i, name] of names.entries()) {
      const data = whole.subarray(start, (start += lengths[i]!))
      tensors.set(name, { shape: shapes.get(name)!, data })
    }
  }
  try {
    for (let layer = 0; layer < config.layers; layer++) {
      for (const group of projectionGroups) {
        place(group.map((name) => `${projectionPath(layer, name)}.weight`))
      }
    }
    for (const name of shapes.keys()) if (!tensors.has(name)) place([name])
  } catch (cause) {
    const bytes = [...shapes.values()].reduce(
      (sum, shape) => sum + shape.reduce((a, b) => a * b, 4),
      0,
    )
    throw tooLarge(path, bytes, { cause })
  }
  return tensors
}
