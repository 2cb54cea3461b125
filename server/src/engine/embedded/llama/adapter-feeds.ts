// An adapter in the form the serving graph takes it: projections that share an input stacked, with the scale
// folded into b, and tensors made once per adapter.
import { floatTensor } from '../graph/open-session.ts'
import type { Feeds } from '../graph/open-session.ts'
import type { Adapter } from './adapter.ts'
import { forwardNames } from './forward-graph.ts'
import type { LlamaConfig } from './llama-config.ts'
import { projectionGroups, projectionShape } from './tensor-shapes.ts'
import type { Projection } from './tensor-shapes.ts'

const known = new WeakMap<Adapter, Feeds>()

export function adapterFeeds(config: LlamaConfig, adapter: Adapter): Feeds {
  let feeds = known.get(adapter)
  if (!feeds) {
    feeds = {}
    for (let layer = 0; layer < config.layers; layer++) {
      for (const names of projectionGroups) {
        Object.assign(feeds, stackGroup(config, adapter, layer, names))
      }
    }
    known.set(adapter, feeds)
  }
  return feeds
}

function stackGroup(
  config: LlamaConfig,
  adapter: Adapter,
  layer: number,
  names: readonly Projection[],
): Feeds {
  const changed = adapter.layers[layer]!
  const present = names.filter((name) => changed.has(name))
  const into = projectionShape(config, names[0]!)[1]
  const outs = names.reduce((sum, name) => sum + projectionShape(config, name)[0], 0)
  // A group the adapter leaves alone gets one row of zeros, so that the graph needs no second form.
  const rows = Math.max(1, present.length * adapter.rank)
  const a = new Float32Array(rows * into)
  const b = new Float32Array(outs * rows)
  const scale = adapter.alpha / adapter.rank
  let row = 0
  let outStart = 0
  for (const name of names) {
    const [out] = projectionShape(config, name)
    const pair = changed.get(name)
    if (pair) {
      a.set(pair.a, row * into)
      for (let i = 0; i < out; i++) {
        for (let j = 0; j < adapter.rank; j++) {
          b[(outStart + i) * rows + row + j] = pair.b[i * adapter.rank + j]! * scale
        }
      }
      row += adapter.rank
    }
    outStart += out
  }
  return {
    [forwardNames.adapterA(layer, names)]: floatTensor(a, [rows, into]),
    [forwardNames.adapterB(layer, names)]: floatTensor(b, [outs, rows]),
  }
}
