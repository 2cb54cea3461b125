// Opens a graph as an ONNX Runtime session. `run` blocks the thread it is called on, so callers live in a worker.
import * as ort from 'onnxruntime-node'
import type { Graph } from './graph.ts'
import { onnxModel } from './onnx-model.ts'

export type Session = { run(feeds: Feeds): Promise<Results>; release(): Promise<void> }
export type Feeds = Record<string, ort.Tensor>
export type Results = ort.InferenceSession.ReturnType

export type SessionOptions = {
  threads: number
  /**
   * Whether idle threads spin for the next piece of work. It spares short runs the waking of threads, and robs
   * whatever else the computer does, so long runs are better off without.
   */
  spin: boolean
}

export async function openSession(graph: Graph, options: SessionOptions): Promise<Session> {
  const session = await ort.InferenceSession.create(onnxModel(graph), {
    executionProviders: ['cpu'],
    intraOpNumThreads: options.threads,
    interOpNumThreads: 1,
    // Shapes change from run to run; remembered memory plans for each would only pile up.
    enableMemPattern: false,
    graphOptimizationLevel: 'all',
    logSeverityLevel: 3,
    extra: {
      session: {
        intra_op: { allow_spinning: options.spin ? '1' : '0' },
        // The kernels give masked places a share of about 1e-39, and arithmetic on such numbers is very slow.
        set_denormal_as_zero: '1',
      },
    },
  })
  // A tensor reads its array where it lies; nothing is copied on the way in.
  const weights = Object.fromEntries(
    graph.sharedWeights.map(({ value, data }) => [
      value.name,
      floatTensor(data, value.shape as number[]),
    ]),
  )
  return {
    run: (feeds) => session.run({ ...weights, ...feeds }),
    release: () => session.release(),
  }
}

export function floatTensor(data: Float32Array, dims: readonly number[]): ort.Tensor {
  return new ort.Tensor('float32', data, dims)
}

export function int64Tensor(data: BigInt64Array, dims: readonly number[]): ort.Tensor {
  return new ort.Tensor('int64', data, dims)
}

export function int32Tensor(data: Int32Array, dims: readonly number[]): ort.Tensor {
  return new ort.Tensor('int32', data, dims)
}
