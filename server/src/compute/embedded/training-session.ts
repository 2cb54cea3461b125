// Runs the training graph over batches: turns rows into tensors, and sums gradients where a batch runs in parts.
import type { WeightPlace } from '../../engine/embedded/graph/graph.ts'
import { floatTensor, int64Tensor, openSession } from '../../engine/embedded/graph/open-session.ts'
import type { Feeds, Results, Session } from '../../engine/embedded/graph/open-session.ts'
import { weightPlace } from '../../engine/embedded/llama/base-weights.ts'
import type { LlamaConfig, ModelFolder } from '../../engine/embedded/llama/read-model-folder.ts'
import type { LoraParameters } from './lora-parameters.ts'
import { labelCount } from './token-rows.ts'
import type { TokenRow } from './token-rows.ts'
import { gradientName, trainingGraph } from './training-graph.ts'
import type { LoraSize } from './training-graph.ts'

/**
 * Rows of a batch run together up to this many tokens, padding included, and this much memory for attention. More
 * tokens would not be faster: their activations outgrow the caches.
 */
const tokensPerRunMax = 1024
const attentionBytesMax = 400_000_000
/** A label costs its logits four times on the way to its gradient, which counts for large vocabularies. */
const logitsBytesMax = 1_000_000_000
const hidden = -1e30

export type TrainingSetup = {
  threads: number
  /** Chosen by the size of the model where it is left out. */
  weightPlace?: WeightPlace
}

export type BatchLoss = { loss: number; labels: number; tokens: number }

export class TrainingSession {
  readonly #config: LlamaConfig
  readonly #parameters: LoraParameters
  readonly #feeds: Feeds
  readonly #session: Session
  readonly #check: Session

  private constructor(
    config: LlamaConfig,
    parameters: LoraParameters,
    session: Session,
    check: Session,
  ) {
    this.#config = config
    this.#parameters = parameters
    this.#session = session
    this.#check = check
    // These tensors read the arrays where they lie, so the optimizer's changes need no copy.
    this.#feeds = Object.fromEntries(
      parameters.all.map(({ name, data, shape }) => [name, floatTensor(data, shape)]),
    )
  }

  static async open(
    model: ModelFolder,
    size: LoraSize,
    parameters: LoraParameters,
    setup: TrainingSetup,
  ): Promise<TrainingSession> {
    const place = setup.weightPlace ?? weightPlace(model)
    const open = (backward: boolean) =>
      openSession(trainingGraph(model, size, { backward, weightPlace: place }), {
        threads: setup.threads,
        spin: false,
      })
    const session = await open(true)
    const check = await open(false)
    return new TrainingSession(model.config, parameters, session, check)
  }

  /** Mean loss over the labels of the batch, and its gradients written over the last ones. */
  async lossAndGradients(batch: readonly TokenRow[]): Promise<BatchLoss> {
    const gradients = this.#parameters.all.map(({ gradient }) => gradient)
    for (const gradient of gradients) gradient.fill(0)
    return this.#run(this.#session, batch, (results) => {
      for (const { name, gradient } of this.#parameters.all) {
        const part = results[gradientName(name)]!.data as Float32Array
        for (let i = 0; i < gradient.length; i++) gradient[i]! += part[i]!
      }
    })
  }

  loss(batch: readonly TokenRow[]): Promise<BatchLoss> {
    return this.#run(this.#check, batch, () => {})
  }

  async close(): Promise<void> {
    await this.#session.release()
    await this.#check.release()
  }

  async #run(
    session: Session,
    batch: readonly TokenRow[],
    take: (results: Results) => void,
  ): Promise<BatchLoss> {
    const labels = batch.reduce((sum, row) => sum + labelCount(row), 0)
    if (labels === 0) throw new Error('A batch without labels has nothing to learn.')
    let loss = 0
    let tokens = 0
    for (const part of partsOf(batch, this.#config)) {
      const results = await session.run({ ...this.#feeds, ...this.#batchFeeds(part, labels) })
      loss += (results.loss!.data as Float32Array)[0]!
      tokens += part.reduce((sum, row) => sum + row.inputIds.length, 0)
      take(results)
    }
    return { loss, labels, tokens }
  }

  #batchFeeds(rows: readonly TokenRow[], labels: number): Feeds {
    const width = Math.max(...rows.map((row) => row.inputIds.length))
    const ids = new BigInt64Array(rows.length * width)
    const places: bigint[] = []
    const targets: bigint[] = []
    rows.forEach((row, r) => {
      for (let t = 0; t < row.inputIds.length; t++) {
        ids[r * width + t] = BigInt(row.inputIds[t]!)
        const next = row.labels[t + 1] ?? -1
        if (next < 0) continue
        places.push(BigInt(r * width + t))
        targets.push(BigInt(next))
      }
    })
    const shared = this.#config.heads / this.#config.kvHeads
    const mask = new Float32Array(shared * width * width)
    for (let row = 0; row < shared * width; row++) {
      mask.fill(hidden, row * width + (row % width) + 1, (row + 1) * width)
    }
    return {
      ids: int64Tensor(ids, [rows.length, width]),
      mask: floatTensor(mask, [shared * width, width]),
      rows: int64Tensor(BigInt64Array.from(places), [places.length]),
      targets: int64Tensor(BigInt64Array.from(targets), [targets.length]),
      weights: floatTensor(new Float32Array(places.length).fill(1 / labels), [places.length]),
    }
  }
}

function partsOf(batch: readonly TokenRow[], config: LlamaConfig): TokenRow[][] {
  const sorted = batch.toSorted((a, b) => a.inputIds.length - b.inputIds.length)
  const parts: TokenRow[][] = []
  for (const row of sorted) {
    const width = row.inputIds.length
    const part = parts.at(-1)
    const rows = (part?.length ?? 0) + 1
    // Every layer keeps how much each token looked at each other one until the way back.
    const bytes = 4 * rows * config.layers * config.heads * width * width
    const labels = [...(part ?? []), row].reduce((sum, each) => sum + labelCount(each), 0)
    const fits =
      rows * width <= tokensPerRunMax &&
      bytes <= attentionBytesMax &&
      4 * 4 * labels * config.vocabSize <= logitsBytesMax
    if (part && fits) part.push(row)
    else parts.push([row])
  }
  return parts
}
