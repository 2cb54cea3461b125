// The serving graphs: new tokens of each row in, their logits and their keys and values out. Earlier keys and values
// come in as they lie in the cache; only the new ones leave, so that a step moves little memory.
import { Graph } from '../graph/graph.ts'
import type { Value } from '../graph/graph.ts'
import { gemm, rotate } from '../graph/llama-operators.ts'
import { matmul, reshape, split } from '../graph/operators.ts'
import { decodeAttention, promptAttention } from './forward-attention.ts'
import { llamaLayers } from './llama-layers.ts'
import type { ModelFolder } from './read-model-folder.ts'
import { rotaryTables } from './rotary-tables.ts'
import { projectionPath, projectionShape } from './tensor-shapes.ts'
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

export function forwardGraph(
  model: ModelFolder,
  options: { kind: ForwardKind; adapter: boolean },
): Graph {
  const { config } = model
  const g = new Graph()
  const ids = g.input('ids', 'int64', ['B', options.kind === 'decode' ? 1 : 'S'])
  const positions = g.input('positions', 'int64', ids.shape)
  const last = g.input('last', 'int64', ['R'])
  const tables = rotaryTables(g, config)
  const attention = options.kind === 'decode' ? decodeAttention : promptAttention
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
    let y = matmul(g, x, stackedWeight(g, model, layer, names), { transposeB: true })
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

  g.output('logits', llamaLayers(g, model, ids, { project, attend, select }))
  return g
}

function stackedWeight(
  g: Graph,
  model: ModelFolder,
  layer: number,
  names: readonly Projection[],
): Value {
  const tensors = names.map((name) => model.tensors.get(`${projectionPath(layer, name)}.weight`)!)
  if (tensors.length === 1) return g.constant(tensors[0]!.data, tensors[0]!.shape)
  const rows = tensors.reduce((sum, tensor) => sum + tensor.shape[0]!, 0)
  const columns = tensors[0]!.shape[1]!
  const stacked = new Float32Array(rows * columns)
  let offset = 0
  for (const { data } of tensors) {
    stacked.set(data, offset)
    offset += data.length
  }
  return g.constant(stacked, [rows, columns])
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
