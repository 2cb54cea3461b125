// How the weights of a base reach the graphs that use them.
import type { Graph, Value, WeightPlace } from '../graph/graph.ts'
import type { ModelFolder, Tensor } from './read-model-folder.ts'
import { projectionPath } from './tensor-shapes.ts'
import type { Projection } from './tensor-shapes.ts'

/**
 * Small models run up to a third faster with packed weights, which cost a copy a session. Above this many bytes the
 * copies cost more than they are worth, and far above it they would not fit into an ONNX model, which ends at 2 GiB.
 */
const packedBytesMax = 64 * 2 ** 20

export function weightPlace({ tensors }: ModelFolder): WeightPlace {
  let bytes = 0
  for (const { data } of tensors.values()) bytes += data.byteLength
  return bytes <= packedBytesMax ? 'packed' : 'shared'
}

/** The weights of projections that share an input, one below the other. */
export function stackedWeight(
  g: Graph,
  model: ModelFolder,
  layer: number,
  names: readonly Projection[],
): Value {
  const tensors = names.map((name) => model.tensors.get(`${projectionPath(layer, name)}.weight`)!)
  const rows = tensors.reduce((sum, tensor) => sum + tensor.shape[0]!, 0)
  const data = adjoined(tensors) ?? copied(tensors)
  return g.weight(`${projectionPath(layer, names[0]!)}.stacked`, data, [
    rows,
    tensors[0]!.shape[1]!,
  ])
}

/** A view, where the tensors lie in memory one after the other as a model folder's do. */
function adjoined(tensors: readonly Tensor[]): Float32Array | null {
  const { buffer, byteOffset } = tensors[0]!.data
  let length = 0
  for (const { data } of tensors) {
    if (data.buffer !== buffer || data.byteOffset !== byteOffset + 4 * length) return null
    length += data.length
  }
  return new Float32Array(buffer, byteOffset, length)
}

function copied(tensors: readonly Tensor[]): Float32Array {
  const stacked = new Float32Array(tensors.reduce((sum, { data }) => sum + data.length, 0))
  let offset = 0
  for (const { data } of tensors) {
    stacked.set(data, offset)
    offset += data.length
  }
  return stacked
}
