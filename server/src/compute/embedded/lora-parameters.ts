// The matrices that training changes, with their gradients and what the optimizer remembers of each.
import type { Adapter } from '../../engine/embedded/llama/adapter.ts'
import type { LlamaConfig } from '../../engine/embedded/llama/read-model-folder.ts'
import { projections, projectionShape } from '../../engine/embedded/llama/tensor-shapes.ts'
import { seededRandom } from '../../lib/seeded-random.ts'
import { parameterName } from './training-graph.ts'

export type Parameter = {
  name: string
  shape: number[]
  data: Float32Array
  gradient: Float32Array
  /** First and second moment of the gradient. */
  mean: Float32Array
  variance: Float32Array
}

export type LoraParameters = {
  all: Parameter[]
  /** The same arrays, as an adapter holds them. */
  layers: Adapter['layers']
}

/** A random as PEFT makes it (uniform within 1/√in), B zero: training starts from the base's own answers. */
export function loraParameters(config: LlamaConfig, rank: number, seed: number): LoraParameters {
  const random = seededRandom(seed, 1)
  const all: Parameter[] = []
  const layers: Adapter['layers'] = []
  for (let layer = 0; layer < config.layers; layer++) {
    const pairs: Adapter['layers'][number] = new Map()
    for (const name of projections) {
      const [out, into] = projectionShape(config, name)
      const bound = 1 / Math.sqrt(into)
      const a = Float32Array.from({ length: rank * into }, () => (random() * 2 - 1) * bound)
      const b = new Float32Array(out * rank)
      all.push(parameter(parameterName(layer, name, 'a'), [rank, into], a))
      all.push(parameter(parameterName(layer, name, 'b'), [out, rank], b))
      pairs.set(name, { a, b })
    }
    layers.push(pairs)
  }
  return { all, layers }
}

function parameter(name: string, shape: number[], data: Float32Array): Parameter {
  const zeros = () => new Float32Array(data.length)
  return { name, shape, data, gradient: zeros(), mean: zeros(), variance: zeros() }
}

/** Euclidean length of all B matrices: zero until training has changed something. */
export function adapterNorm(layers: Adapter['layers']): number {
  let sum = 0
  for (const layer of layers) {
    for (const { b } of layer.values()) for (const number of b) sum += number * number
  }
  return Math.sqrt(sum)
}
