// The operators a Llama adds to the common ones, each with a way back written by hand, which spares the memory
// that the same steps taken one by one would hold on to.
import { contribDomain } from './graph.ts'
import type { Graph, Value } from './graph.ts'
import { matmul, reshape, sumLastAxis, transpose } from './operators.ts'

/** x / rms(x) · weight over the last axis; the weight is frozen. */
export function rmsNorm(g: Graph, x: Value, weight: Value, epsilon: number): Value {
  const perRow = [...x.shape.slice(0, -1), 1]
  const [y, inverse] = g.nodeOf('SimplifiedLayerNormalization', [x, weight], [x.shape, perRow], {
    attributes: { axis: -1, epsilon: { float: epsilon } },
  }) as [Value, Value]
  const size = x.shape.at(-1) as number
  g.tape.push({
    inputs: [x],
    outputs: [y],
    backward: ([dy]) => [
      () => {
        // dx = inverse · (dy · w) − x · inverse² · mean(dy · y)
        const along = sumLastAxis(g, g.node('Mul', [dy!, y], x.shape))
        const squared = g.node(
          'Mul',
          [inverse, g.node('Mul', [inverse, g.scalar(1 / size)], perRow)],
          perRow,
        )
        const removed = g.node('Mul', [x, g.node('Mul', [along, squared], perRow)], x.shape)
        const scaled = g.node('Mul', [g.node('Mul', [dy!, weight], x.shape), inverse], x.shape)
        return g.node('Sub', [scaled, removed], x.shape)
      },
    ],
  })
  return y
}

export type RotaryTables = { cos: Value; sin: Value; minusSin: () => Value }

/** Turns each head of `x` [batch, tokens, heads · headSize] by its position; the way back turns it the other way. */
export function rotate(g: Graph, x: Value, positions: Value, tables: RotaryTables): Value {
  const y = g.node('RotaryEmbedding', [x, positions, tables.cos, tables.sin], x.shape, {
    domain: contribDomain,
  })
  const { cos, sin, minusSin } = tables
  g.tape.push({
    inputs: [x],
    outputs: [y],
    backward: ([dy]) => [
      () => rotate(g, dy!, positions, { cos, sin: minusSin(), minusSin: () => sin }),
    ],
  })
  return y
}

/**
 * softmax(scale · q · kᵀ + mask) · v over the last two axes. The mask, and what it broadcasts from, is frozen.
 * The way back uses that Σ dy·y over a row of the softmax equals Σ over the row of the result and its gradient,
 * which is far shorter.
 */
export function attention(
  g: Graph,
  q: Value,
  k: Value,
  v: Value,
  mask: Value,
  scale: number,
): Value {
  const start = g.tape.length
  const scores = matmul(g, q, k, { transposeB: true, scale })
  const masked = g.node('Add', [scores, mask], scores.shape)
  const shares = g.node('Softmax', [masked], scores.shape, { attributes: { axis: -1 } })
  const y = matmul(g, shares, v)
  g.tape.splice(start)
  g.tape.push({
    inputs: [q, k, v],
    outputs: [y],
    backward: ([dy]) => {
      let made: Value | null = null
      const scoreGradient = () => {
        if (made) return made
        const along = sumLastAxis(g, g.node('Mul', [dy!, y], y.shape))
        const dShares = matmul(g, dy!, v, { transposeB: true })
        const centred = g.node('Sub', [dShares, along], scores.shape)
        return (made = g.node('Mul', [shares, centred], scores.shape))
      }
      return [
        () => matmul(g, scoreGradient(), k, { scale }),
        () => matmul(g, scoreGradient(), q, { transposeA: true, scale }),
        () => matmul(g, shares, dy!, { transposeA: true }),
      ]
    },
  })
  return y
}

/** silu(gate) · up */
export function gatedSilu(g: Graph, gate: Value, up: Value): Value {
  const shape = gate.shape
  const sigmoid = g.node('Sigmoid', [gate], shape)
  const silu = g.node('Mul', [gate, sigmoid], shape)
  const y = g.node('Mul', [silu, up], shape)
  g.tape.push({
    inputs: [gate, up],
    outputs: [y],
    backward: ([dy]) => [
      () => {
        // With silu' = σ + silu · (1 − σ): up · silu' = y + σ · (up − y).
        const rest = g.node('Mul', [sigmoid, g.node('Sub', [up, y], shape)], shape)
        return g.node('Mul', [dy!, g.node('Add', [y, rest], shape)], shape)
      },
      () => g.node('Mul', [dy!, silu], shape),
    ],
  })
  return y
}

/** x · weightᵀ over the last axis of x, with the weight [out, in]. */
export function linear(g: Graph, x: Value, weight: Value): Value {
  return matmul(g, x, weight, { transposeB: true })
}

/**
 * The same for a few rows and a shared weight. A kernel copies what stands on the right of a product
 * into an order of its own on every run, so the weight stands on the left, and the small result is turned over.
 */
export function linearOfFew(g: Graph, x: Value, weight: Value): Value {
  const [out, into] = weight.shape as [number, number]
  const columns = transpose(g, reshape(g, x, ['N', into]), [1, 0])
  // Without the reshape the optimizer would fold the turn into the product, which is half as fast for one row.
  const turned = matmul(g, weight, reshape(g, columns, [into, 'N']))
  return reshape(g, transpose(g, turned, [1, 0]), [...x.shape.slice(0, -1), out])
}

type LowRankLinear = (g: Graph, x: Value, weight: Value, a: Value, b: Value, scale: number) => Value

/**
 * x · (weight + scale · b · a)ᵀ on rows `x` [n, in], with the frozen weight [out, in], a [r, in], b [out, r].
 * The sum of the weights is made once a run, which is cheaper than adding a product of small rank to every row.
 */
export const lowRankLinear: LowRankLinear = (g, x, weight, a, b, scale) => {
  const changed = gemm(g, b, a, weight, { scale })
  const y = matmul(g, x, changed, { transposeB: true })
  g.tape.pop()
  g.tape.push({
    inputs: [x, a, b],
    outputs: [y],
    backward: ([dy]) => [
      () => matmul(g, dy!, changed),
      () => matmul(g, matmul(g, dy!, b, { scale }), x, { transposeA: true }),
      () => matmul(g, dy!, matmul(g, x, a, { transposeB: true }), { transposeA: true, scale }),
    ],
  })
  return y
}

/** The same without the sum of the weights, which would be all weights of the model once more until the way back. */
export const lowRankLinearApart: LowRankLinear = (g, x, weight, a, b, scale) => {
  const start = g.tape.length
  const inner = matmul(g, x, a, { transposeB: true })
  const y = gemm(g, inner, b, linear(g, x, weight), { transposeB: true, scale })
  g.tape.splice(start)
  g.tape.push({
    inputs: [x, a, b],
    outputs: [y],
    backward: ([dy]) => {
      let made: Value | null = null
      const innerGradient = () => (made ??= matmul(g, dy!, b, { scale }))
      return [
        () => gemm(g, innerGradient(), a, matmul(g, dy!, weight), {}),
        () => matmul(g, innerGradient(), x, { transposeA: true }),
        () => matmul(g, dy!, inner, { transposeA: true, scale }),
      ]
    },
  })
  return y
}

/** scale · a · op(b) + c in one kernel, not on the tape. */
export function gemm(
  g: Graph,
  a: Value,
  b: Value,
  c: Value,
  options: { transposeB?: boolean; scale?: number },
): Value {
  return g.node('Gemm', [a, b, c], c.shape, {
    attributes: {
      transB: Number(options.transposeB ?? false),
      alpha: { float: options.scale ?? 1 },
    },
  })
}

/** −Σ weightᵢ · log softmax(logitsᵢ)[targetᵢ], with logits [rows, vocabulary], targets and weights [rows]. */
export function crossEntropy(g: Graph, logits: Value, targets: Value, weights: Value): Value {
  const column = [logits.shape[0]!, 1]
  const logSoftmax = g.node('LogSoftmax', [logits], logits.shape, { attributes: { axis: -1 } })
  const places = g.node('Unsqueeze', [targets, g.integers(-1)], column, { type: 'int64' })
  const weight = g.node('Unsqueeze', [weights, g.integers(-1)], column)
  const picked = g.node('GatherElements', [logSoftmax, places], column, {
    attributes: { axis: -1 },
  })
  const total = g.node('ReduceSum', [g.node('Mul', [picked, weight], column)], [], {
    attributes: { keepdims: 0 },
  })
  const loss = g.node('Neg', [total], [])
  g.tape.push({
    inputs: [logits],
    outputs: [loss],
    backward: ([dy]) => [
      () => {
        const share = g.node('Mul', [weight, dy!], column)
        const likelihood = g.node('Exp', [logSoftmax], logits.shape)
        const spread = g.node('Mul', [likelihood, share], logits.shape)
        return g.node(
          'ScatterElements',
          [spread, places, g.node('Neg', [share], column)],
          logits.shape,
          {
            attributes: { axis: -1, reduction: 'add' },
          },
        )
      },
    ],
  })
  return loss
}
