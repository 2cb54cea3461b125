// The serving graphs: new tokens of each row in, their logits and their keys and values out. Earlier keys and values
// come in as they lie in the cache; only the new ones leave, so that a step moves little memory.
import { Graph } from '../graph/graph.ts'
import type { Value, WeightPlace } from '../graph/graph.ts'
import { gemm, linear, linearOfFew, rotate } from '../graph/llama-operators.ts'
import { matmul, reshape, split } from '../graph/operators.ts'
import { stackedWeight } from './base-weights.ts'
import { decodeAttention, promptAttention } from './forward-attention.ts'
import { llamaLayers } from './llama-layers.ts'
import type { ModelFolder } from './read-model-folder.ts'
import { rotaryTables } from './rotary-tables.ts'
import { projectionShape } from './tensor-shapes.ts'
import type { Projection } from './tensor-shapes.ts'

/** Names of a layer's tensors at the edge of the graph. */
export const forwardNames = {
  pastKeys: (layer: number) => `past_keys_${layer}`,
  pastValues: (layer: number) => `past_values_${layer}`,
  newKeys: (layer: number) => `new_keys_${layer}`,
  newValues: (layer: number) => `new_values_${layer}`,
  adapterA: (layer: number, names: readonly Projection[]) => `a_${layer}_${names.join('_')}`,
  adapterB: (layer: number, names: readonly Projection[]) => `b_${layer}_${names.join('_')}`,
}

/** `prompt` takes many tokens of one row, `decode` one token of each of many rows. */
export type ForwardKind = 'prompt' | 'decode'

export type ForwardOptions = { kind: ForwardKind; adapter: boolean; weightPlace: WeightPlace }

export function forwardGraph(model: ModelFolder, options: ForwardOptions): Graph {
  const { config } = model
  const { kind, weightPlace } = options
  const g = new Graph({ weightPlace })
  const ids = g.input('ids', 'int64', ['B', kind === 'decode' ? 1 : 'S'])
  const positions = g.input('positions', 'int64', ids.shape)
  const last = g.input('last', 'int64', ['R'])
  const tables = rotaryTables(g, config)
  const attention = kind === 'decode' ? decodeAttention : promptAttention
  const product = kind === 'decode' && weightPlace === 'shared' ? linearOfFew : linear
  const attendTo = attention(g, config)

  const attend = (layer: number, q: Value, k: Value, v: Value): Value => {
    const past = ['B', config.kvHeads, 'C', config.headSize]
    const keys = g.input(forwardNames.pastKeys(layer), 'float', past)
    const values = g.input(forwardNames.pastValues(layer), 'float', past)
    const turnedQ = rotate(g, q, positions, tables)
    const turnedK = rotate(g, k, positions, tables)
    g.output(forwardNames.newKeys(layer), turnedK)
    g.output(forwardNames.newValues(layer), v)
    return attendTo(turnedQ, turnedK, v, keys, values)
  }

  /** Projections that share an input run as one product with their weights stacked. */
  const project = (layer: number, names: readonly Projection[], x: Value): Value[] => {
    let y = product(g, x, stackedWeight(g, model, layer, names))
    if (options.adapter) y = addLowRank(g, layer, names, x, y)
    if (names.length === 1) return [y]
    return split(
      g,
      y,
      names.map((name) => projectionShape(config, name)[0]),
    )
  }

  const select = (x: Value): Value => {
    const rows = reshape(g, x, ['N', x.shape.at(-1)!])
    return g.node('Gather', [rows, last], ['R', x.shape.at(-1)!])
  }

  const head = (x: Value, weight: Value): Value => product(g, x, weight)

  g.output('logits', llamaLayers(g, model, ids, { project, attend, select, head }))
  return g
}

/** The adapter's share, with the low-rank matrices of the stacked projections stacked alike. */
function addLowRank(
  g: Graph,
  layer: number,
  names: readonly Projection[],
  x: Value,
  y: Value,
): Value {
  const rank = `rank_${layer}_${names[0]}`
  const a = g.input(forwardNames.adapterA(layer, names), 'float', [rank, x.shape.at(-1)!])
  const b = g.input(forwardNames.adapterB(layer, names), 'float', [y.shape.at(-1)!, rank])
  const flat = (value: Value) => reshape(g, value, ['N', value.shape.at(-1)!])
  const inner = matmul(g, flat(x), a, { transposeB: true })
  const sum = gemm(g, inner, b, flat(y), { transposeB: true })
  return g.node('Reshape', [sum, g.shapeOperandOf(y)], y.shape)
}
