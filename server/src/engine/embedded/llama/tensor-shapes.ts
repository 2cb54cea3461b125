// The tensors of a Llama by their Hugging Face names, and the seven projections of a layer that an adapter may change.
import type { LlamaConfig } from './llama-config.ts'

export const projections = [
  'q_proj',
  'k_proj',
  'v_proj',
  'o_proj',
  'gate_proj',
  'up_proj',
  'down_proj',
] as const
export type Projection = (typeof projections)[number]

/** Those that share an input. Their weights lie one below the other in memory, so that one product does for all. */
export const projectionGroups: readonly (readonly Projection[])[] = [
  ['q_proj', 'k_proj', 'v_proj'],
  ['o_proj'],
  ['gate_proj', 'up_proj'],
  ['down_proj'],
]

/** `[out, in]`, as the weight of a linear layer stands in the file. */
export function projectionShape(config: LlamaConfig, projection: Projection): [number, number] {
  const { hiddenSize, intermediateSize, heads, kvHeads, headSize } = config
  switch (projection) {
    case 'q_proj':
      return [heads * headSize, hiddenSize]
    case 'k_proj':
    case 'v_proj':
      return [kvHeads * headSize, hiddenSize]
    case 'o_proj':
      return [hiddenSize, heads * headSize]
    case 'gate_proj':
    case 'up_proj':
      return [intermediateSize, hiddenSize]
    case 'down_proj':
      return [hiddenSize, intermediateSize]
  }
}

export function projectionPath(layer: number, projection: Projection): string {
  const block = ['q_proj', 'k_proj', 'v_proj', 'o_proj'].includes(projection) ? 'self_attn' : 'mlp'
  return `model.layers.${layer}.${block}.${projection}`
}

export function normPath(layer: number, which: 'input' | 'post_attention'): string {
  return `model.layers.${layer}.${which}_layernorm.weight`
}

export function tensorShapes(config: LlamaConfig): Map<string, number[]> {
  const shapes = new Map<string, number[]>()
  shapes.set('model.embed_tokens.weight', [config.vocabSize, config.hiddenSize])
  for (let layer = 0; layer < config.layers; layer++) {
    shapes.set(normPath(layer, 'input'), [config.hiddenSize])
    shapes.set(normPath(layer, 'post_attention'), [config.hiddenSize])
    for (const projection of projections) {
      const shape = projectionShape(config, projection)
      shapes.set(`${projectionPath(layer, projection)}.weight`, shape)
    }
  }
  shapes.set('model.norm.weight', [config.hiddenSize])
  if (!config.tiedEmbeddings) {
    shapes.set('lm_head.weight', [config.vocabSize, config.hiddenSize])
  }
  return shapes
}
