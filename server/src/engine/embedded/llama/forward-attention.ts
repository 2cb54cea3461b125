// Attention of new tokens over earlier ones, in the two forms serving needs. Each was the faster of the two at its
// job: the fused operator copies the whole cache on every run, which many tokens repay and a single one does not.
import { contribDomain } from '../graph/graph.ts'
import type { Graph, Value } from '../graph/graph.ts'
import { add, matmul, multiply, reshape, softmax } from '../graph/operators.ts'
import type { LlamaConfig } from './llama-config.ts'

/** From q, k, v [batch, tokens, heads · headSize] and the cache [batch, kvHeads, capacity, headSize]. */
export type Attention = (q: Value, k: Value, v: Value, keys: Value, values: Value) => Value

/** Many tokens of one row. Takes `earlier`, the place of the row's last new token, and `total`, that plus one. */
export function promptAttention(g: Graph, config: LlamaConfig): Attention {
  const earlier = g.input('earlier', 'int32', ['B'])
  const total = g.input('total', 'int32', [])
  return (q, k, v, keys, values) => {
    // The operator returns the whole cache too; that output is left unread, so it never crosses to JavaScript.
    const present = ['B', config.kvHeads, 'P', config.headSize]
    const [context] = g.nodeOf(
      'GroupQueryAttention',
      [q, k, v, keys, values, earlier, total],
      [q.shape, present, present],
      {
        domain: contribDomain,
        attributes: { num_heads: config.heads, kv_num_heads: config.kvHeads },
      },
    )
    return context!
  }
}

/**
 * One token of each row, reading the cache where it lies. Takes `mask` [batch, 1, 1, capacity + 1]: 0 where a
 * row has a token (the last place is its own), very negative where it has none.
 */
export function decodeAttention(g: Graph, config: LlamaConfig): Attention {
  const { heads, kvHeads, headSize } = config
  const mask = g.input('mask', 'float', ['B', 1, 1, 'C+1'])
  const sizes = g.input('sizes', 'int64', [2])
  const scale = 1 / Math.sqrt(headSize)
  return (q, k, v, keys, values) => {
    // The heads that share a key are rows of one product, so that keys are never repeated.
    const rows = reshape(g, q, ['B', kvHeads, heads / kvHeads, headSize])
    const key = reshape(g, k, ['B', kvHeads, 1, headSize])
    const value = reshape(g, v, ['B', kvHeads, 1, headSize])
    const join = [...rows.shape.slice(0, 3), 'C+1']
    const scores = g.node(
      'Concat',
      [
        matmul(g, rows, keys, { transposeB: true, scale }),
        matmul(g, rows, key, { transposeB: true, scale }),
      ],
      join,
      { attributes: { axis: -1 } },
    )
    const shares = softmax(g, add(g, scores, mask))
    const [past, own] = g.nodeOf(
      'Split',
      [shares, sizes],
      [
        [...rows.shape.slice(0, 3), 'C'],
        [...rows.shape.slice(0, 3), 1],
      ],
      { attributes: { axis: -1 } },
    ) as [Value, Value]
    const context = add(g, matmul(g, past, values), multiply(g, own, value))
    return reshape(g, context, ['B', 1, heads * headSize])
  }
}
