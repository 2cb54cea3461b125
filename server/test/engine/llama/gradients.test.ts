import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gradients } from '#server/engine/embedded/graph/gradients.ts'
import { Graph } from '#server/engine/embedded/graph/graph.ts'
import type { Value } from '#server/engine/embedded/graph/graph.ts'
import {
  attention,
  crossEntropy,
  gatedSilu,
  lowRankLinear,
  lowRankLinearApart,
  rmsNorm,
  rotate,
} from '#server/engine/embedded/graph/llama-operators.ts'
import { floatTensor, openSession } from '#server/engine/embedded/graph/open-session.ts'
import {
  add,
  gatherRows,
  matmul,
  multiply,
  reshape,
  softmax,
  split,
  transpose,
} from '#server/engine/embedded/graph/operators.ts'
import { randomNumbers } from './random-model.ts'

type Build = (g: Graph, inputs: Value[]) => Value

/** Compares every gradient of Σ weightᵢ·yᵢ with central differences. */
async function checkOperator(shapes: number[][], build: Build): Promise<void> {
  const random = randomNumbers(shapes.flat().reduce((sum, size) => sum * 31 + size, 1))
  const numbers = (length: number) => Float32Array.from({ length }, () => random() * 2 - 1)
  const sizes = shapes.map((shape) => shape.reduce((product, size) => product * size, 1))
  const g = new Graph()
  const inputs = shapes.map((shape, i) => g.input(`x${i}`, 'float', shape))
  const y = build(g, inputs)
  const length = y.shape.reduce<number>((product, size) => product * (size as number), 1)
  const row = reshape(g, y, [1, length])
  const weights = numbers(length)
  const loss = reshape(g, matmul(g, row, g.constant(weights, [length, 1])), [])
  g.output('loss', loss)
  gradients(g, loss, inputs).forEach((gradient, i) => {
    assert.deepEqual(gradient.shape, shapes[i])
    g.output(`d${i}`, gradient)
  })
  const session = await openSession(g, { threads: 1, spin: false })
  const data = sizes.map(numbers)
  const run = () =>
    session.run(Object.fromEntries(data.map((each, i) => [`x${i}`, floatTensor(each, shapes[i]!)])))
  const lossNow = async () => ((await run()).loss!.data as Float32Array)[0]!
  const results = await run()
  const step = 6e-3
  for (const [i, each] of data.entries()) {
    const analytic = results[`d${i}`]!.data as Float32Array
    const largest = Math.max(...analytic.map(Math.abs), 1e-3)
    for (let at = 0; at < each.length; at++) {
      const kept = each[at]!
      each[at] = kept + step
      const above = await lossNow()
      each[at] = kept - step
      const below = await lossNow()
      each[at] = kept
      const numeric = (above - below) / (2 * step)
      const wrong = Math.abs(numeric - analytic[at]!) / largest
      assert.ok(wrong < 3e-3, `input ${i}, element ${at}: ${analytic[at]} against ${numeric}`)
    }
  }
  await session.release()
}

const operators: Record<string, [number[][], Build]> = {
  'add of equal shapes': [
    [
      [2, 3],
      [2, 3],
    ],
    (g, [a, b]) => add(g, a!, b!),
  ],
  'add with a repeated left operand': [[[3], [2, 3]], (g, [a, b]) => add(g, a!, b!)],
  'add with a repeated inner axis': [
    [
      [2, 1, 3],
      [2, 4, 1],
    ],
    (g, [a, b]) => add(g, a!, b!),
  ],
  'add of a value to itself': [[[2, 3]], (g, [a]) => add(g, a!, a!)],
  multiply: [
    [
      [2, 3],
      [2, 3],
    ],
    (g, [a, b]) => multiply(g, a!, b!),
  ],
  'multiply with a repeated operand': [
    [
      [4, 2, 3],
      [2, 1],
    ],
    (g, [a, b]) => multiply(g, a!, b!),
  ],
  'multiply of a value by itself': [[[2, 3]], (g, [a]) => multiply(g, a!, a!)],
  matmul: [
    [
      [2, 3],
      [3, 4],
    ],
    (g, [a, b]) => matmul(g, a!, b!, { scale: 0.7 }),
  ],
  'matmul, left transposed': [
    [
      [3, 2],
      [3, 4],
    ],
    (g, [a, b]) => matmul(g, a!, b!, { transposeA: true, scale: 0.7 }),
  ],
  'matmul, right transposed': [
    [
      [2, 3],
      [4, 3],
    ],
    (g, [a, b]) => matmul(g, a!, b!, { transposeB: true, scale: 0.7 }),
  ],
  'matmul, both transposed': [
    [
      [3, 2],
      [4, 3],
    ],
    (g, [a, b]) => matmul(g, a!, b!, { transposeA: true, transposeB: true }),
  ],
  'matmul of batches': [
    [
      [2, 2, 3, 2],
      [2, 2, 4, 2],
    ],
    (g, [a, b]) => matmul(g, a!, b!, { transposeB: true }),
  ],
  'matmul of a batch with one matrix': [
    [
      [2, 3, 2],
      [4, 2],
    ],
    (g, [a, b]) => matmul(g, a!, b!, { transposeB: true }),
  ],
  'matmul of a batch with one plain matrix': [
    [
      [2, 3, 2],
      [2, 4],
    ],
    (g, [a, b]) => matmul(g, a!, b!),
  ],
  reshape: [[[2, 6]], (g, [a]) => reshape(g, a!, [3, 4])],
  transpose: [[[2, 3, 4]], (g, [a]) => transpose(g, a!, [2, 0, 1])],
  split: [
    [[2, 5]],
    (g, [a]) => {
      const [left, right] = split(g, a!, [2, 3]) as [Value, Value]
      return matmul(g, left, right, { transposeA: true })
    },
  ],
  'split with a piece unused': [[[2, 5]], (g, [a]) => split(g, a!, [2, 3])[1]!],
  softmax: [[[3, 5]], (g, [a]) => softmax(g, a!)],
  'gatherRows with repeats': [
    [[4, 3]],
    (g, [a]) => gatherRows(g, a!, g.constant(BigInt64Array.of(2n, 0n, 2n, 2n), [4])),
  ],
  rmsNorm: [
    [[3, 4]],
    (g, [a]) => rmsNorm(g, a!, g.constant(Float32Array.of(0.5, 1, 1.5, -1), [4]), 1e-5),
  ],
  rotate: [
    [[2, 3, 8]],
    (g, [a]) => {
      const angles = Float32Array.from({ length: 10 * 2 }, (_, i) => Math.sin(i) * 2)
      const sin = angles.map(Math.sin)
      const tables = {
        cos: g.constant(angles.map(Math.cos), [10, 2]),
        sin: g.constant(sin, [10, 2]),
        minusSin: () =>
          g.constant(
            sin.map((x) => -x),
            [10, 2],
          ),
      }
      const positions = g.constant(BigInt64Array.of(0n, 1n, 2n, 7n, 8n, 9n), [2, 3])
      return rotate(g, a!, positions, tables)
    },
  ],
  attention: [
    [
      [2, 4, 3],
      [2, 5, 3],
      [2, 5, 3],
    ],
    (g, [q, k, v]) => {
      const mask = Float32Array.from({ length: 20 }, (_, i) => (i % 6 === 0 ? -1e30 : i / 20))
      return attention(g, q!, k!, v!, g.constant(mask, [4, 5]), 0.8)
    },
  ],
  gatedSilu: [
    [
      [2, 3],
      [2, 3],
    ],
    (g, [a, b]) => gatedSilu(g, a!, b!),
  ],
  lowRankLinear: lowRankCase(lowRankLinear),
  lowRankLinearApart: lowRankCase(lowRankLinearApart),
  crossEntropy: [
    [[3, 5]],
    (g, [a]) => {
      const targets = g.constant(BigInt64Array.of(4n, 0n, 2n), [3])
      return crossEntropy(g, a!, targets, g.constant(Float32Array.of(0.5, 0.25, 0), [3]))
    },
  ],
}

function lowRankCase(operator: typeof lowRankLinear): [number[][], Build] {
  const shapes = [
    [5, 4],
    [2, 4],
    [3, 2],
  ]
  const numbers = Float32Array.from({ length: 12 }, (_, i) => Math.cos(i))
  return [shapes, (g, [x, a, b]) => operator(g, x!, g.constant(numbers, [3, 4]), a!, b!, 1.5)]
}

for (const [name, [shapes, build]] of Object.entries(operators)) {
  test(`the gradient of ${name} is that of finite differences`, () => checkOperator(shapes, build))
}

test('a parameter that nothing depends on is an error, not a zero', () => {
  const g = new Graph()
  const used = g.input('used', 'float', [2])
  const unused = g.input('unused', 'float', [2])
  const loss = reshape(g, matmul(g, reshape(g, used, [1, 2]), reshape(g, used, [2, 1])), [])
  assert.throws(() => gradients(g, loss, [used, unused]), /'unused' has no gradient/)
})

test('every parameter of a step gets its gradient, whichever comes first', async () => {
  const g = new Graph()
  const [a, b] = [g.input('a', 'float', [1, 1]), g.input('b', 'float', [1, 1])]
  const loss = reshape(g, matmul(g, multiply(g, a, b), add(g, a, b)), [])
  gradients(g, loss, [b, a]).forEach((gradient, i) => g.output(`d${i}`, gradient))
  const session = await openSession(g, { threads: 1, spin: false })
  const feeds = {
    a: floatTensor(Float32Array.of(2), [1, 1]),
    b: floatTensor(Float32Array.of(3), [1, 1]),
  }
  const results = await session.run(feeds)
  // ab(a + b): ∂b = a² + 2ab = 16, ∂a = b² + 2ab = 21.
  assert.equal((results.d0!.data as Float32Array)[0], 16)
  assert.equal((results.d1!.data as Float32Array)[0], 21)
  await session.release()
})
