// The differentiable operators every network is made of. Each adds its nodes to the graph and its way back to the tape.
import { contribDomain } from './graph.ts'
import type { Dimension, Graph, Value } from './graph.ts'

export type MatmulOptions = { transposeA?: boolean; transposeB?: boolean; scale?: number }

/** scale · op(a) · op(b) over the last two axes. `b` has the leading axes of `a`, or none. */
export function matmul(g: Graph, a: Value, b: Value, options: MatmulOptions = {}): Value {
  const { transposeA = false, transposeB = false, scale = 1 } = options
  const shared = b.shape.length < a.shape.length
  if (shared && (transposeA || b.shape.length !== 2)) {
    throw new Error(
      'A matrix shared by a batch must be plain, and on the right of an untransposed left.',
    )
  }
  const rows = a.shape.at(transposeA ? -1 : -2)!
  const columns = b.shape.at(transposeB ? -2 : -1)!
  const y = g.node('FusedMatMul', [a, b], [...a.shape.slice(0, -2), rows, columns], {
    domain: contribDomain,
    attributes: {
      transA: Number(transposeA),
      transB: Number(transposeB),
      alpha: { float: scale },
    },
  })
  const flat = (value: Value) => (shared ? reshape(g, value, ['flat', value.shape.at(-1)!]) : value)
  g.tape.push({
    inputs: [a, b],
    outputs: [y],
    backward: ([dy]) => [
      () =>
        transposeA
          ? matmul(g, b, dy!, { transposeA: transposeB, transposeB: true, scale })
          : matmul(g, dy!, b, { transposeB: !transposeB, scale }),
      () =>
        transposeB
          ? matmul(g, flat(dy!), flat(a), { transposeA: true, transposeB: transposeA, scale })
          : matmul(g, flat(a), flat(dy!), { transposeA: !transposeA, scale }),
    ],
  })
  return y
}

export function add(g: Graph, a: Value, b: Value): Value {
  const y = g.node('Add', [a, b], broadcast(a.shape, b.shape))
  g.tape.push({
    inputs: [a, b],
    outputs: [y],
    backward: ([dy]) => [() => sumTo(g, dy!, a.shape), () => sumTo(g, dy!, b.shape)],
  })
  return y
}

export function multiply(g: Graph, a: Value, b: Value): Value {
  const y = g.node('Mul', [a, b], broadcast(a.shape, b.shape))
  g.tape.push({
    inputs: [a, b],
    outputs: [y],
    backward: ([dy]) => [
      () => sumTo(g, g.node('Mul', [dy!, b], y.shape), a.shape),
      () => sumTo(g, g.node('Mul', [dy!, a], y.shape), b.shape),
    ],
  })
  return y
}

export function reshape(g: Graph, x: Value, shape: readonly Dimension[]): Value {
  const y = g.node('Reshape', [x, g.shapeOperand(shape)], shape)
  g.tape.push({ inputs: [x], outputs: [y], backward: ([dy]) => [() => reshape(g, dy!, x.shape)] })
  return y
}

export function transpose(g: Graph, x: Value, order: readonly number[]): Value {
  const y = g.node(
    'Transpose',
    [x],
    order.map((axis) => x.shape[axis]!),
    { attributes: { perm: order } },
  )
  const inverse = order.map((_, axis) => order.indexOf(axis))
  g.tape.push({ inputs: [x], outputs: [y], backward: ([dy]) => [() => transpose(g, dy!, inverse)] })
  return y
}

/** Cuts the last axis into pieces of the given sizes. */
export function split(g: Graph, x: Value, sizes: readonly number[]): Value[] {
  const lead = x.shape.slice(0, -1)
  const pieces = g.nodeOf(
    'Split',
    [x, g.integers(...sizes)],
    sizes.map((size) => [...lead, size]),
    { attributes: { axis: -1 } },
  )
  g.tape.push({
    inputs: [x],
    outputs: pieces,
    backward: (gradients) => [
      () => g.node('Concat', gradients, x.shape, { attributes: { axis: -1 } }),
    ],
  })
  return pieces
}

/** Softmax over the last axis. */
export function softmax(g: Graph, x: Value): Value {
  const y = g.node('Softmax', [x], x.shape, { attributes: { axis: -1 } })
  g.tape.push({
    inputs: [x],
    outputs: [y],
    backward: ([dy]) => [
      () => {
        const weighted = g.node('Mul', [dy!, y], x.shape)
        const total = sumLastAxis(g, weighted)
        return g.node('Sub', [weighted, g.node('Mul', [y, total], x.shape)], x.shape)
      },
    ],
  })
  return y
}

/** Rows of a matrix by index; an index may repeat. */
export function gatherRows(g: Graph, x: Value, indices: Value): Value {
  const y = g.node('Gather', [x, indices], [...indices.shape, ...x.shape.slice(1)])
  g.tape.push({
    inputs: [x],
    outputs: [y],
    backward: ([dy]) => [
      () => {
        const zeros = g.node('Expand', [g.scalar(0), g.shapeOperandOf(x)], x.shape)
        const places = g.node('Unsqueeze', [indices, g.integers(-1)], [...indices.shape, 1], {
          type: 'int64',
        })
        return g.node('ScatterND', [zeros, places, dy!], x.shape, {
          attributes: { reduction: 'add' },
        })
      },
    ],
  })
  return y
}

export function sumLastAxis(g: Graph, x: Value): Value {
  return g.node('ReduceSum', [x, g.integers(-1)], [...x.shape.slice(0, -1), 1], {
    attributes: { keepdims: 1 },
  })
}

/** Sums a gradient over the axes along which its operand was repeated. */
function sumTo(g: Graph, gradient: Value, shape: readonly Dimension[]): Value {
  const extra = gradient.shape.length - shape.length
  const axes = gradient.shape.flatMap((size, axis) =>
    axis < extra || (shape[axis - extra] === 1 && size !== 1) ? [axis] : [],
  )
  if (axes.length === 0) return gradient
  const kept = gradient.shape.map((size, axis) => (axes.includes(axis) ? 1 : size))
  const sum = g.node('ReduceSum', [gradient, g.integers(...axes)], kept, {
    attributes: { keepdims: 1 },
  })
  return reshape(g, sum, shape)
}

function broadcast(a: readonly Dimension[], b: readonly Dimension[]): Dimension[] {
  const [long, short] = a.length >= b.length ? [a, b] : [b, a]
  const extra = long.length - short.length
  return long.map((size, axis) => {
    const other = axis < extra ? 1 : short[axis - extra]!
    if (size === other || other === 1) return size
    if (size === 1) return other
    throw new Error(`The shapes [${a.join(',')}] and [${b.join(',')}] do not go together.`)
  })
}
