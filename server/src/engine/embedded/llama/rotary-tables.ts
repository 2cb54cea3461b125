// Cosines and sines of every position and frequency, computed to f32 in the order other implementations do.
import type { Graph, Value } from '../graph/graph.ts'
import type { RotaryTables } from '../graph/llama-operators.ts'
import type { LlamaConfig, RopeScaling } from './llama-config.ts'

/** All graphs of a model share the same two arrays, which are long for models with long windows. */
const known = new WeakMap<LlamaConfig, { cos: Float32Array; sin: Float32Array }>()

export function rotaryTables(g: Graph, config: LlamaConfig): RotaryTables {
  let arrays = known.get(config)
  if (!arrays) known.set(config, (arrays = rotaryArrays(config)))
  const shape = [config.contextWindow, config.headSize / 2]
  const cos = g.weight('rotary_cos', arrays.cos, shape)
  const sin = g.weight('rotary_sin', arrays.sin, shape)
  let negated: Value | null = null
  return { cos, sin, minusSin: () => (negated ??= g.node('Neg', [sin], shape)) }
}

function rotaryArrays(config: LlamaConfig): { cos: Float32Array; sin: Float32Array } {
  const half = config.headSize / 2
  const positions = config.contextWindow
  const cos = new Float32Array(positions * half)
  const sin = new Float32Array(positions * half)
  for (let i = 0; i < half; i++) {
    const frequency = Math.fround(config.ropeTheta ** ((-2 * i) / config.headSize))
    const stretched = config.ropeScaling ? stretch(frequency, config.ropeScaling) : frequency
    for (let position = 0; position < positions; position++) {
      const angle = Math.fround(position * stretched)
      cos[position * half + i] = Math.cos(angle)
      sin[position * half + i] = Math.sin(angle)
    }
  }
  return { cos, sin }
}

/** Slow frequencies are stretched by the factor, fast ones kept, those between eased from one to the other. */
function stretch(frequency: number, scaling: RopeScaling): number {
  const { factor, lowFrequencyFactor, highFrequencyFactor, originalContext } = scaling
  const turns = (originalContext * frequency) / (2 * Math.PI)
  if (turns < lowFrequencyFactor) return Math.fround(frequency / factor)
  if (turns > highFrequencyFactor) return frequency
  const kept = (turns - lowFrequencyFactor) / (highFrequencyFactor - lowFrequencyFactor)
  return Math.fround(((1 - kept) * frequency) / factor + kept * frequency)
}
