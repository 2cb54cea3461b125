// LoRA adapters as PEFT folders, in the plain subset that every engine reads alike. Anything beyond it is refused,
// because an engine that overlooks such a setting computes wrong answers without an error.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isObject } from '../../../lib/json-object.ts'
import { ModelFileError } from './model-file-error.ts'
import type { ModelFolder } from './read-model-folder.ts'
import { readSafetensors } from './read-safetensors.ts'
import type { Tensor } from './read-safetensors.ts'
import { projectionPath, projections, projectionShape } from './tensor-shapes.ts'
import type { Projection } from './tensor-shapes.ts'
import { writeSafetensors } from './write-safetensors.ts'

/** a is [rank, in], b is [out, rank]; the weight is changed by alpha / rank · b · a. */
export type LowRank = { a: Float32Array; b: Float32Array }

export type Adapter = {
  rank: number
  alpha: number
  /** Per layer, the projections that are changed. */
  layers: Map<Projection, LowRank>[]
}

const configName = 'adapter_config.json'
const weightsName = 'adapter_model.safetensors'
const rankMax = 512

export async function readAdapter(path: string, model: ModelFolder): Promise<Adapter> {
  const configPath = join(path, configName)
  const fields = await readConfig(configPath)
  checkPlain(configPath, fields)
  const wrong = (what: string) => new ModelFileError(`${configPath}: ${what}`)
  const { r: rank, lora_alpha: alpha } = fields
  if (typeof rank !== 'number' || !Number.isInteger(rank) || rank < 1 || rank > rankMax) {
    throw wrong(`r must be a whole number from 1 to ${rankMax}, not ${JSON.stringify(rank)}.`)
  }
  if (typeof alpha !== 'number' || !Number.isFinite(alpha) || alpha <= 0) {
    throw wrong(`lora_alpha must be a number above 0, not ${JSON.stringify(alpha)}.`)
  }
  const weightsPath = join(path, weightsName)
  const tensors = await readSafetensors(weightsPath)
  return { rank, alpha, layers: takeLayers(weightsPath, tensors, model, rank) }
}

async function readConfig(path: string): Promise<Record<string, unknown>> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    throw new ModelFileError(`${path}: the file is missing or cannot be read.`, { cause: error })
  }
  try {
    const fields: unknown = JSON.parse(text)
    if (isObject(fields)) return fields
  } catch {
    // Falls through to the one sentence for both cases.
  }
  throw new ModelFileError(`${path}: this is not a JSON object.`)
}

function checkPlain(path: string, fields: Record<string, unknown>): void {
  const refuse = (what: string) =>
    new ModelFileError(`${path}: ${what}; only plain LoRA adapters are served.`)
  if (fields.peft_type !== 'LORA') throw refuse(`the peft_type is '${String(fields.peft_type)}'`)
  if ((fields.bias ?? 'none') !== 'none') throw refuse(`bias is '${String(fields.bias)}'`)
  const unsupported = [
    'use_dora',
    'use_rslora',
    'use_qalora',
    'modules_to_save',
    'rank_pattern',
    'alpha_pattern',
    'layer_replication',
    'trainable_token_indices',
    'target_parameters',
    'lora_bias',
    'alora_invocation_tokens',
    'use_bdlora',
    'fan_in_fan_out',
  ]
  for (const name of unsupported) if (isSet(fields[name])) throw refuse(`${name} is set`)
}

function isSet(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}

const keyForm =
  /^base_model\.model\.(model\.layers\.(\d+)\.(?:self_attn|mlp)\.(\w+))\.lora_([AB])\.weight$/

function takeLayers(
  path: string,
  tensors: Map<string, Tensor>,
  model: ModelFolder,
  rank: number,
): Adapter['layers'] {
  const { config } = model
  const wrong = (what: string) => new ModelFileError(`${path}: ${what}`)
  const layers: Adapter['layers'] = Array.from(
    { length: config.layers },
    () => new Map<Projection, LowRank>(),
  )
  const keys = new Set(tensors.keys())
  for (const key of tensors.keys()) {
    const match = keyForm.exec(key)
    const name = projections.find((projection) => projection === match?.[3])
    const layer = Number(match?.[2])
    if (!match || !name || projectionPath(layer, name) !== match[1]) {
      throw wrong(`the tensor '${key}' changes a part of the model that adapters may not change.`)
    }
    if (layer >= config.layers) {
      throw wrong(
        `the tensor '${key}' is for a layer that the model, with ${config.layers}, lacks.`,
      )
    }
    if (match[4] === 'B') {
      if (!keys.has(loraKey(layer, name, 'A'))) throw wrong(`'${key}' has no lora_A beside it.`)
      continue
    }
    const [out, into] = projectionShape(config, name)
    const take = (part: 'A' | 'B', shape: number[]): Float32Array => {
      const tensor = tensors.get(loraKey(layer, name, part))
      if (!tensor) throw wrong(`'${key}' has no lora_${part} beside it.`)
      if (tensor.shape.join() === shape.join()) return tensor.data
      throw wrong(
        `'${loraKey(layer, name, part)}' has the shape [${tensor.shape.join(', ')}] where rank and model ask for [${shape.join(', ')}].`,
      )
    }
    layers[layer]!.set(name, { a: take('A', [rank, into]), b: take('B', [out, rank]) })
  }
  if (keys.size === 0) throw wrong('the adapter holds no tensors.')
  return layers
}

function loraKey(layer: number, name: Projection, part: 'A' | 'B'): string {
  return `base_model.model.${projectionPath(layer, name)}.lora_${part}.weight`
}

/** Writes both files into an existing or new folder; the caller renames it into place. */
export async function writeAdapter(
  path: string,
  model: ModelFolder,
  adapter: Adapter,
  baseModelName: string,
): Promise<void> {
  await mkdir(path, { recursive: true })
  const tensors = new Map<string, Tensor>()
  adapter.layers.forEach((layer, index) => {
    for (const [name, { a, b }] of layer) {
      const [out, into] = projectionShape(model.config, name)
      tensors.set(loraKey(index, name, 'A'), { shape: [adapter.rank, into], data: a })
      tensors.set(loraKey(index, name, 'B'), { shape: [out, adapter.rank], data: b })
    }
  })
  await writeSafetensors(join(path, weightsName), tensors)
  const changed = projections.filter((name) => adapter.layers.some((layer) => layer.has(name)))
  const fields = {
    peft_type: 'LORA',
    task_type: 'CAUSAL_LM',
    base_model_name_or_path: baseModelName,
    r: adapter.rank,
    lora_alpha: adapter.alpha,
    lora_dropout: 0,
    target_modules: changed,
    bias: 'none',
    fan_in_fan_out: false,
    inference_mode: true,
    init_lora_weights: true,
    modules_to_save: null,
    rank_pattern: {},
    alpha_pattern: {},
    use_dora: false,
    use_rslora: false,
  }
  await writeFile(join(path, configName), JSON.stringify(fields, null, 2) + '\n', { flush: true })
}
