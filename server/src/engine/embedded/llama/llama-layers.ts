// The stack of layers that the serving and the training graph share. How a projection is computed and how
// attention reaches earlier tokens differ between the two, and are given from outside.
import type { Graph, Value } from '../graph/graph.ts'
import { gatedSilu, rmsNorm } from '../graph/llama-operators.ts'
import { add } from '../graph/operators.ts'
import type { ModelFolder } from './read-model-folder.ts'
import { normPath } from './tensor-shapes.ts'
import type { Projection } from './tensor-shapes.ts'

export type LayerParts = {
  /** Applies projections of one layer that share an input. */
  project: (layer: number, names: readonly Projection[], x: Value) => Value[]
  attend: (layer: number, q: Value, k: Value, v: Value) => Value
  /** Keeps only the tokens whose logits are wanted. Nothing after the last attention mixes tokens. */
  select: (x: Value) => Value
  /** Rows to the logits of each, by the weight of the head. */
  head: (x: Value, weight: Value) => Value
}

/** Token ids to logits of the selected tokens. */
export function llamaLayers(g: Graph, model: ModelFolder, ids: Value, parts: LayerParts): Value {
  const { config } = model
  const embeddings = weight(g, model, 'model.embed_tokens.weight')
  const norm = (x: Value, name: string) => rmsNorm(g, x, weight(g, model, name), config.rmsEpsilon)

  let x = g.node('Gather', [embeddings, ids], [...ids.shape, config.hiddenSize])
  for (let layer = 0; layer < config.layers; layer++) {
    const [q, k, v] = parts.project(
      layer,
      ['q_proj', 'k_proj', 'v_proj'],
      norm(x, normPath(layer, 'input')),
    ) as [Value, Value, Value]
    let context = parts.attend(layer, q, k, v)
    if (layer === config.layers - 1) {
      context = parts.select(context)
      x = parts.select(x)
    }
    x = add(g, x, parts.project(layer, ['o_proj'], context)[0]!)
    const [gate, up] = parts.project(
      layer,
      ['gate_proj', 'up_proj'],
      norm(x, normPath(layer, 'post_attention')),
    ) as [Value, Value]
    x = add(g, x, parts.project(layer, ['down_proj'], gatedSilu(g, gate, up))[0]!)
  }
  const head = config.tiedEmbeddings ? embeddings : weight(g, model, 'lm_head.weight')
  return parts.head(norm(x, 'model.norm.weight'), head)
}

export function weight(g: Graph, model: ModelFolder, name: string): Value {
  const { data, shape } = model.tensors.get(name)!
  return g.weight(name, data, shape)
}
