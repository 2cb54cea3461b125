// A Llama with random weights, in memory or as a folder, for tests that care about arithmetic and not about answers.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Adapter } from '#server/engine/embedded/llama/adapter.ts'
import type { LlamaConfig, ModelFolder } from '#server/engine/embedded/llama/read-model-folder.ts'
import type { WeightFormat } from '#server/engine/embedded/llama/read-safetensors.ts'
import {
  projections,
  projectionShape,
  tensorShapes,
} from '#server/engine/embedded/llama/tensor-shapes.ts'
import { writeSafetensors } from '#server/engine/embedded/llama/write-safetensors.ts'

export const tinyConfig: LlamaConfig = {
  vocabSize: 61,
  hiddenSize: 32,
  intermediateSize: 48,
  layers: 2,
  heads: 4,
  kvHeads: 2,
  headSize: 8,
  contextWindow: 256,
  ropeTheta: 10_000,
  ropeScaling: null,
  rmsEpsilon: 1e-5,
  tiedEmbeddings: true,
  eosTokenIds: [2],
}

export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0
  // mulberry32
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

export function randomModel(config: LlamaConfig = tinyConfig, seed = 1): ModelFolder {
  const random = randomNumbers(seed)
  const tensors: ModelFolder['tensors'] = new Map()
  for (const [name, shape] of tensorShapes(config)) {
    const length = shape.reduce((product, size) => product * size, 1)
    const width = name.includes('embed_tokens') ? 0.5 : 1.7 / Math.sqrt(shape.at(-1)!)
    const data = Float32Array.from({ length }, () => (random() * 2 - 1) * width)
    if (shape.length === 1) for (let i = 0; i < length; i++) data[i] = 1 + (random() - 0.5) * 0.4
    tensors.set(name, { shape, data })
  }
  return { path: 'random', config, tensors, format: 'F32' }
}

export function randomAdapter(config: LlamaConfig, rank: number, seed: number): Adapter {
  const random = randomNumbers(seed)
  const numbers = (length: number) => Float32Array.from({ length }, () => (random() - 0.5) * 0.6)
  const layers = Array.from({ length: config.layers }, () => {
    return new Map(
      projections.map((name) => {
        const [out, into] = projectionShape(config, name)
        return [name, { a: numbers(rank * into), b: numbers(out * rank) }]
      }),
    )
  })
  return { rank, alpha: 2 * rank, layers }
}

export function randomIds(length: number, vocabSize: number, seed = 7): number[] {
  const random = randomNumbers(seed)
  return Array.from({ length }, () => Math.floor(random() * vocabSize))
}

export async function writeRandomModel(
  path: string,
  model: ModelFolder,
  format: WeightFormat = 'F32',
): Promise<void> {
  const { config } = model
  await mkdir(path, { recursive: true })
  await writeSafetensors(join(path, 'model.safetensors'), model.tensors, format)
  const fields = {
    architectures: ['LlamaForCausalLM'],
    model_type: 'llama',
    vocab_size: config.vocabSize,
    hidden_size: config.hiddenSize,
    intermediate_size: config.intermediateSize,
    num_hidden_layers: config.layers,
    num_attention_heads: config.heads,
    num_key_value_heads: config.kvHeads,
    head_dim: config.headSize,
    max_position_embeddings: config.contextWindow,
    rope_theta: config.ropeTheta,
    rms_norm_eps: config.rmsEpsilon,
    tie_word_embeddings: config.tiedEmbeddings,
    hidden_act: 'silu',
    eos_token_id: config.eosTokenIds,
    torch_dtype: { F32: 'float32', F16: 'float16', BF16: 'bfloat16' }[format],
  }
  await writeFile(join(path, 'config.json'), JSON.stringify(fields))
}
