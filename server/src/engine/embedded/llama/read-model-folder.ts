// Reads a Hugging Face folder of the Llama family and checks that its weights are those its config describes.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { llamaConfig } from './llama-config.ts'
import type { LlamaConfig } from './llama-config.ts'
import { ModelFileError } from './model-file-error.ts'
import { readSafetensors, weightBytesMax } from './read-safetensors.ts'
import type { Tensor, WeightFormat } from './read-safetensors.ts'
import { tensorShapes } from './tensor-shapes.ts'

export type { LlamaConfig, Tensor }

export type ModelFolder = {
  path: string
  config: LlamaConfig
  /** By Hugging Face name, widened to f32. A tied model has no `lm_head.weight`. */
  tensors: Map<string, Tensor>
  /** How the weights stand in the file. */
  format: WeightFormat
  /** SHA-256 of the weight files, in hexadecimal. */
  contentHash: string
}

export async function readModelFolder(path: string): Promise<ModelFolder> {
  const configPath = join(path, 'config.json')
  const config = llamaConfig(
    configPath,
    await readJson(configPath, 'required'),
    await readJson(join(path, 'generation_config.json'), 'optional'),
  )
  checkTotalSize(configPath, config)
  const shards = await shardNames(path)
  const tensors = new Map<string, Tensor>()
  const formats = new Set<WeightFormat>()
  const hash = createHash('sha256')
  for (const shard of shards) {
    const file = await readSafetensors(join(path, shard))
    hash.update(file.bytes)
    for (const format of file.formats) formats.add(format)
    for (const [name, tensor] of file.tensors) tensors.set(name, tensor)
  }
  checkTensors(join(path, shards.length === 1 ? (shards[0] ?? '') : indexName), config, tensors)
  // One half format throughout is kept when weights are written back; a mix is only safe as f32.
  const format = formats.size === 1 ? [...formats][0]! : 'F32'
  return { path, config, tensors, format, contentHash: hash.digest('hex') }
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

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function checkTotalSize(path: string, config: LlamaConfig): void {
  const perLayer = tensorShapes({ ...config, layers: 1 })
  let bytes = 0
  for (const [name, shape] of perLayer) {
    const size = shape.reduce((product, length) => product * length, 4)
    bytes += name.startsWith('model.layers.') ? size * config.layers : size
  }
  if (bytes > weightBytesMax) {
    throw new ModelFileError(
      `${path}: a model of these sizes takes ${bytes} bytes as f32; the embedded engine takes up to ${weightBytesMax}.`,
    )
  }
}

function checkTensors(path: string, config: LlamaConfig, tensors: Map<string, Tensor>): void {
  for (const [name, shape] of tensorShapes(config)) {
    const tensor = tensors.get(name)
    if (!tensor) throw new ModelFileError(`${path}: the tensor '${name}' is missing.`)
    if (tensor.shape.join() !== shape.join()) {
      throw new ModelFileError(
        `${path}: tensor '${name}' has the shape [${tensor.shape.join(', ')}] where config.json asks for [${shape.join(', ')}].`,
      )
    }
  }
}
