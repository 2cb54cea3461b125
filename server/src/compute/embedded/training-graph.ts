// The training graph: a batch of rows in, its loss and the gradient of every LoRA matrix out. The base is frozen.
import { gradients } from '../../engine/embedded/graph/gradients.ts'
import { Graph } from '../../engine/embedded/graph/graph.ts'
import type { Value, WeightPlace } from '../../engine/embedded/graph/graph.ts'
import {
  attention,
  crossEntropy,
  linear,
  lowRankLinear,
  lowRankLinearApart,
  rotate,
} from '../../engine/embedded/graph/llama-operators.ts'
import { gatherRows, reshape, transpose } from '../../engine/embedded/graph/operators.ts'
import { llamaLayers, weight } from '../../engine/embedded/llama/llama-layers.ts'
import type { ModelFolder } from '../../engine/embedded/llama/read-model-folder.ts'
import { rotaryTables } from '../../engine/embedded/llama/rotary-tables.ts'
import { projectionPath, projectionShape } from '../../engine/embedded/llama/tensor-shapes.ts'
import type { Projection } from '../../engine/embedded/llama/tensor-shapes.ts'

export type LoraSize = { rank: number; alpha: number }

export function parameterName(layer: number, name: Projection, part: 'a' | 'b'): string {
  return `${part}_${layer}_${name}`
}

export function gradientName(parameter: string): string {
  return `d_${parameter}`
}

/** With `backward` false the graph ends at the loss, for checks. */
export function trainingGraph(
  model: ModelFolder,
  { rank, alpha }: LoraSize,
  options: { backward: boolean; weightPlace: WeightPlace },
): Graph {
  const { config } = model
  const { heads, kvHeads, headSize } = config
  const shared = heads / kvHeads
  const g = new Graph({ weightPlace: options.weightPlace })
  const lowRank = options.weightPlace === 'packed' ? lowRankLinear : lowRankLinearApart
  const ids = g.input('ids', 'int64', ['B', 'S'])
  // Rows are padded on the right, so a causal mask alone keeps padding from every token that counts.
  const mask = g.input('mask', 'float', ['G', 'S'])
  const rows = g.input('rows', 'int64', ['R'])
  const targets = g.input('targets', 'int64', ['R'])
  const weights = g.input('weights', 'float', ['R'])
  g.bindLength('B', ids, 0)
  g.bindLength('S', ids, 1)
  g.bindLength('G', mask, 0)
  const start = g.integers(0)
  const tables = rotaryTables(g, config)
  const parameters: Value[] = []

  const project = (layer: number, names: readonly Projection[], x: Value): Value[] =>
    names.map((name) => {
      const [out, into] = projectionShape(config, name)
      const a = g.input(parameterName(layer, name, 'a'), 'float', [rank, into])
      const b = g.input(parameterName(layer, name, 'b'), 'float', [out, rank])
      parameters.push(a, b)
      const base = weight(g, model, `${projectionPath(layer, name)}.weight`)
      return lowRank(g, x, base, a, b, alpha / rank)
    })

  /** [tokens, heads · size] to [B, kvHeads, (heads per kvHead) · S, size]: keys are then never repeated. */
  const byHead = (x: Value, perKey: number, turn: boolean): Value => {
    const width = kvHeads * perKey * headSize
    const whole = reshape(g, x, ['B', 'S', width])
    const turned = turn ? rotate(g, whole, start, tables) : whole
    const apart = reshape(g, turned, ['B', 'S', kvHeads, perKey, headSize])
    const ordered = transpose(g, apart, [0, 2, 3, 1, 4])
    return reshape(g, ordered, ['B', kvHeads, perKey === 1 ? 'S' : 'G', headSize])
  }

  const attend = (_: number, q: Value, k: Value, v: Value): Value => {
    const scale = 1 / Math.sqrt(headSize)
    const queries = byHead(q, shared, true)
    const keys = byHead(k, 1, true)
    const context = attention(g, queries, keys, byHead(v, 1, false), mask, scale)
    const apart = reshape(g, context, ['B', kvHeads, shared, 'S', headSize])
    return reshape(g, transpose(g, apart, [0, 3, 1, 2, 4]), ['N', heads * headSize])
  }

  const select = (x: Value): Value => gatherRows(g, x, rows)

  const head = (x: Value, weight: Value): Value => linear(g, x, weight)

  const flat = g.node('Reshape', [ids, g.shapeOperand(['N'])], ['N'], { type: 'int64' })
  const logits = llamaLayers(g, model, flat, { project, attend, select, head })
  const loss = crossEntropy(g, logits, targets, weights)
  g.output('loss', loss)
  if (options.backward) {
    gradients(g, loss, parameters).forEach((gradient, i) => {
      g.output(gradientName(parameters[i]!.name), gradient)
    })
  }
  return g
}
