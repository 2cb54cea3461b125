// A Llama forward pass in plain loops and double precision: slow, obvious, and sharing no code with the engine.
import type { Adapter } from '#server/engine/embedded/llama/adapter.ts'
import type { ModelFolder } from '#server/engine/embedded/llama/read-model-folder.ts'
import { projectionPath } from '#server/engine/embedded/llama/tensor-shapes.ts'
import type { Projection } from '#server/engine/embedded/llama/tensor-shapes.ts'

/** Logits after every token. */
export function referenceLogits(
  model: ModelFolder,
  ids: readonly number[],
  adapter?: Pick<Adapter, 'rank' | 'alpha' | 'layers'>,
): number[][] {
  const { config } = model
  const tensor = (name: string) => model.tensors.get(name)!
  const embeddings = tensor('model.embed_tokens.weight').data
  const project = (layer: number, name: Projection, x: number[]): number[] => {
    const { data, shape } = tensor(`${projectionPath(layer, name)}.weight`)
    const y = product(data, shape[0]!, x)
    const pair = adapter?.layers[layer]?.get(name)
    if (!adapter || !pair) return y
    const inner = product(pair.a, adapter.rank, x)
    const change = product(pair.b, shape[0]!, inner)
    return y.map((value, i) => value + (change[i]! * adapter.alpha) / adapter.rank)
  }
  const norm = (name: string, x: number[]): number[] => {
    const mean = x.reduce((sum, value) => sum + value * value, 0) / x.length
    return x.map((v, i) => (v / Math.sqrt(mean + config.rmsEpsilon)) * tensor(name).data[i]!)
  }

  let rows = ids.map((id) =>
    Array.from(embeddings.subarray(id * config.hiddenSize, (id + 1) * config.hiddenSize)),
  )
  for (let layer = 0; layer < config.layers; layer++) {
    const prefix = `model.layers.${layer}`
    const normed = rows.map((x) => norm(`${prefix}.input_layernorm.weight`, x))
    const turn = (name: Projection) => (x: number[], position: number) =>
      rotateHeads(project(layer, name, x), position, config.headSize, config.ropeTheta)
    const q = normed.map(turn('q_proj'))
    const k = normed.map(turn('k_proj'))
    const v = normed.map((x) => project(layer, 'v_proj', x))
    rows = rows.map((x, t) => {
      const context: number[] = []
      for (let head = 0; head < config.heads; head++) {
        const kv = Math.floor(head / (config.heads / config.kvHeads))
        const part = (row: number[], h: number) =>
          row.slice(h * config.headSize, (h + 1) * config.headSize)
        const own = part(q[t]!, head)
        const scores = k
          .slice(0, t + 1)
          .map((row) => dot(own, part(row, kv)) / Math.sqrt(config.headSize))
        const shares = softmax(scores)
        for (let i = 0; i < config.headSize; i++) {
          context.push(shares.reduce((sum, s, u) => sum + s * part(v[u]!, kv)[i]!, 0))
        }
      }
      const y = sum(x, project(layer, 'o_proj', context))
      const inner = norm(`${prefix}.post_attention_layernorm.weight`, y)
      const gate = project(layer, 'gate_proj', inner)
      const up = project(layer, 'up_proj', inner)
      const hidden = gate.map((value, i) => (value / (1 + Math.exp(-value))) * up[i]!)
      return sum(y, project(layer, 'down_proj', hidden))
    })
  }
  const head = config.tiedEmbeddings ? embeddings : tensor('lm_head.weight').data
  return rows.map((x) => product(head, config.vocabSize, norm('model.norm.weight', x)))
}

/** Mean cross-entropy over the labelled tokens of all rows. */
export function referenceLoss(
  model: ModelFolder,
  rows: { inputIds: readonly number[]; labels: readonly number[] }[],
  adapter?: Pick<Adapter, 'rank' | 'alpha' | 'layers'>,
): number {
  let total = 0
  let count = 0
  for (const { inputIds, labels } of rows) {
    const logits = referenceLogits(model, inputIds, adapter)
    for (let t = 1; t < labels.length; t++) {
      if (labels[t]! < 0) continue
      total -= Math.log(softmax(logits[t - 1]!)[labels[t]!]!)
      count++
    }
  }
  return total / count
}

function product(matrix: Float32Array, rows: number, x: number[]): number[] {
  return Array.from({ length: rows }, (_, r) => {
    let value = 0
    for (let i = 0; i < x.length; i++) value += matrix[r * x.length + i]! * x[i]!
    return value
  })
}

function rotateHeads(x: number[], position: number, headSize: number, theta: number): number[] {
  const half = headSize / 2
  return x.map((value, at) => {
    const i = at % headSize
    const angle = position * theta ** ((-2 * (i % half)) / headSize)
    const other = i < half ? -x[at + half]! : x[at - half]!
    return value * Math.cos(angle) + other * Math.sin(angle)
  })
}

function dot(a: number[], b: number[]): number {
  return a.reduce((total, value, i) => total + value * b[i]!, 0)
}

function sum(a: number[], b: number[]): number[] {
  return a.map((value, i) => value + b[i]!)
}

function softmax(x: number[]): number[] {
  const top = Math.max(...x)
  const powers = x.map((value) => Math.exp(value - top))
  const total = powers.reduce((all, value) => all + value, 0)
  return powers.map((value) => value / total)
}
