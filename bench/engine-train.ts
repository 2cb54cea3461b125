// How fast the embedded trainer is: the matrix products of whole training steps, optimizer included, against plain
// products of the kind a step is mostly made of, measured in turns within the same run: many in one graph, which is
// the most the processor gives, and one a call with its result handed back, which is what a plain call gives.
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { adamStep } from '#server/compute/embedded/adam-step.ts'
import { loraParameters } from '#server/compute/embedded/lora-parameters.ts'
import { trainingGraph } from '#server/compute/embedded/training-graph.ts'
import { TrainingSession } from '#server/compute/embedded/training-session.ts'
import { Graph } from '#server/engine/embedded/graph/graph.ts'
import type { Dimension } from '#server/engine/embedded/graph/graph.ts'
import { floatTensor, openSession } from '#server/engine/embedded/graph/open-session.ts'
import { matmul } from '#server/engine/embedded/graph/operators.ts'
import { readModelFolder } from '#server/engine/embedded/llama/read-model-folder.ts'
import type { ModelFolder } from '#server/engine/embedded/llama/read-model-folder.ts'
import { randomIds, randomModel, tinyConfig } from '#test/engine/llama/random-model.ts'

const rows = 16
const tokens = 64
const labelled = 26
const size = { rank: 16, alpha: 32 }
const rounds = 20

export async function run(): Promise<void> {
  const model = await benchModel()
  const threads = availableParallelism()
  const step = await trainingStep(model, threads)
  const inGraph = await plainProducts(model, threads, step.flops, 'in one graph')
  const perCall = await plainProducts(model, threads, step.flops, 'one a call')
  const all = [step, inGraph, perCall]
  for (const each of all) await each.run()
  // In turns and the best of each, so that other work on the computer weighs on all alike.
  const best = all.map(() => Infinity)
  for (let round = 0; round < rounds; round++) {
    for (const [i, each] of all.entries()) best[i] = Math.min(best[i]!, await timeOf(each.run))
  }
  const [rate, inGraphRate, perCallRate] = all.map((each, i) => each.flops / best[i]! / 1e6) as [
    number,
    number,
    number,
  ]
  const tokensPerSecond = ((rows * tokens) / best[0]!) * 1000
  const { hiddenSize, intermediateSize } = model.config
  console.log(
    [
      `a training step of ${rows} rows × ${tokens} tokens, rank ${size.rank}, ${threads} threads: ${best[0]!.toFixed(0)} ms, ${tokensPerSecond.toFixed(0)} tokens/s`,
      `its matrix products, with all else counted as time lost: ${rate.toFixed(1)} GFLOP/s`,
      `plain products [${rows * tokens}, ${hiddenSize}] · [${hiddenSize}, ${intermediateSize}]:`,
      `  one a call:   ${perCallRate.toFixed(1)} GFLOP/s, share ${(rate / perCallRate).toFixed(2)}`,
      `  in one graph: ${inGraphRate.toFixed(1)} GFLOP/s, share ${(rate / inGraphRate).toFixed(2)}`,
    ].join('\n'),
  )
  for (const each of all) await each.close()
}

/** The bundled model, or one of its size with random weights where it is not there. */
async function benchModel(): Promise<ModelFolder> {
  const path = fileURLToPath(new URL('../models/hone-mini', import.meta.url))
  if (existsSync(`${path}/model.safetensors`)) return readModelFolder(path)
  return randomModel({
    ...tinyConfig,
    vocabSize: 4096,
    hiddenSize: 256,
    intermediateSize: 704,
    layers: 6,
    heads: 8,
    kvHeads: 4,
    headSize: 32,
    contextWindow: 1024,
  })
}

type Measured = { flops: number; run: () => Promise<void>; close: () => Promise<void> }

async function trainingStep(model: ModelFolder, threads: number): Promise<Measured> {
  const { config } = model
  const parameters = loraParameters(config, size.rank, 1)
  const session = await TrainingSession.open(model, size, parameters, { threads })
  const batch = Array.from({ length: rows }, (_, row) => {
    const inputIds = randomIds(tokens, config.vocabSize, row)
    return { inputIds, labels: inputIds.map((id, t) => (t < tokens - labelled ? -100 : id)) }
  })
  const flops = matmulFlops(trainingGraph(model, size, { backward: true, weightPlace: 'packed' }), {
    B: rows,
    S: tokens,
    N: rows * tokens,
    G: (tokens * config.heads) / config.kvHeads,
    R: rows * labelled,
  })
  let step = 0
  const run = async () => {
    await session.lossAndGradients(batch)
    adamStep(parameters.all, ++step, 1e-4)
  }
  return { flops, run, close: () => session.close() }
}

/** Repeated until they count as many operations as a step, so that both last about as long. */
async function plainProducts(
  model: ModelFolder,
  threads: number,
  flops: number,
  way: 'in one graph' | 'one a call',
): Promise<Measured> {
  const { hiddenSize, intermediateSize } = model.config
  const repeats = Math.round(flops / (2 * rows * tokens * hiddenSize * intermediateSize))
  const g = new Graph()
  const x = g.input('x', 'float', [rows * tokens, hiddenSize])
  for (let i = 0; i < (way === 'in one graph' ? repeats : 1); i++) {
    const weight = new Float32Array(intermediateSize * hiddenSize).fill(0.01 + i)
    const y = matmul(g, x, g.constant(weight, [intermediateSize, hiddenSize]), { transposeB: true })
    // Of the many, only a row each is handed back: copies to JavaScript are no part of a product.
    const row = () => g.node('Slice', [y, g.integers(0), g.integers(1)], [1, intermediateSize])
    g.output(`y${i}`, way === 'in one graph' ? row() : y)
  }
  const session = await openSession(g, { threads, spin: false })
  const data = new Float32Array(rows * tokens * hiddenSize).fill(0.1)
  const feeds = { x: floatTensor(data, [rows * tokens, hiddenSize]) }
  const calls = way === 'in one graph' ? 1 : repeats
  const run = async () => {
    for (let i = 0; i < calls; i++) await session.run(feeds)
  }
  return { flops: calls * matmulFlops(g, {}), run, close: () => session.release() }
}

async function timeOf(run: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await run()
  return performance.now() - start
}

/** Operations of a graph's matrix products; `lengths` gives the named lengths of the run in question. */
function matmulFlops(graph: Graph, lengths: Readonly<Record<string, number>>): number {
  const size = (dimension: Dimension): number => {
    const length = typeof dimension === 'number' ? dimension : lengths[dimension]
    if (length === undefined) throw new Error(`The length '${dimension}' was not given.`)
    return length
  }
  let flops = 0
  for (const { operator, inputs, outputs, attributes } of graph.nodes) {
    if (operator !== 'FusedMatMul' && operator !== 'Gemm') continue
    const summed = inputs[0]!.shape.at(attributes.transA ? -2 : -1)!
    const made = outputs[0]!.shape.reduce<number>((product, each) => product * size(each), 1)
    flops += 2 * made * size(summed)
  }
  return flops
}
