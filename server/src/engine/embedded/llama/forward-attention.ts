// Attention of new tokens over earlier ones, in the forms serving needs. Of prompt and decode each is the faster at its
// job: the fused operator copies the whole cache on every run, which many tokens repay and a single one does not.
import { contribDomain } from '../graph/graph.ts'
import type { Graph, Value } from '../graph/graph.ts'
import { add, matmul, multiply, reshape, softmax, transpose } from '../graph/operators.ts'
import type { LlamaConfig } from './llama-config.ts'

/** From q, k, v [batch, tokens, heads · headSize] and the cache [batch, kvHeads, capacity, headSize]. */
export type Attention = (q: Value, k: Value, v: Value, keys: Value, values: Value) => Value

/** The fused operator works on eights, so heads of other sizes take the plain steps. */
export function hasFusedHeads({ headSize }: LlamaConfig): boolean {
  return headSize % 8 === 0
}

/** Many tokens of one row. */
export function promptAttention(g: Graph, config: LlamaConfig): Attention {
  return hasFusedHeads(config) ? fusedAttention(g, config) : plainAttention(g, config)
}

/** Takes `earlier`, the place of the row's last new token, and `total`, that plus one. */
function fusedAttention(g: Graph, config: LlamaConfig): Attention {
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
 * Takes `mask` [heads that share a key · tokens, capacity + tokens]: 0 where a token may look, very negative where not;
 * and `sizes`, capacity and tokens.
 */
function plainAttention(g: Graph, config: LlamaConfig): Attention {
  const { heads, kvHeads, headSize } = config
  const shared = heads / kvHeads
  const mask = g.input('mask', 'float', ['G', 'C+S'])
  const sizes = g.input('sizes', 'int64', [2])
  const scale = 1 / Math.sqrt(headSize)
  /** To [1, kvHeads, perKey · tokens, headSize]. */
  const byHead = (x: Value, perKey: number, rows: string): Value => {
    const apart = reshape(g, x, [1, 'S', kvHeads, perKey, headSize])
    const ordered = transpose(g, apart, [0, 2, 3, 1, 4])
    return reshape(g, ordered, [1, kvHeads, rows, headSize])
  }
  return (q, k, v, keys, values) => {
    const queries = byHead(q, shared, 'G')
    const scores = g.node(
      'Concat',
      [
        matmul(g, queries, keys, { transposeB: true, scale }),
        matmul(g, queries, byHead(k, 1, 'S'), { transposeB: true, scale }),
      ],
      [1, kvHeads, 'G', 'C+S'],
      { attributes: { axis: -1 } },
    )
    const shares = softmax(g, g.node('Add', [scores, mask], scores.shape))
    const [past, own] = g.nodeOf(
      'Split',
      [shares, sizes],
      [
        [1, kvHeads, 'G', 'C'],
        [1, kvHeads, 'G', 'S'],
      ],
      { attributes: { axis: -1 } },
    ) as [Value, Value]
    const context = add(g, matmul(g, past, values), matmul(g, own, byHead(v, 1, 'S')))
    const apart = reshape(g, context, [1, kvHeads, shared, 'S', headSize])
    return reshape(g, transpose(g, apart, [0, 3, 1, 2, 4]), [1, 'S', heads * headSize])
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
