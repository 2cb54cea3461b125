// Cosines and sines of every position and frequency, computed to f32 in the order other implementations do.
import type { Graph } from '../graph/graph.ts'
import type { RotaryTables } from '../graph/llama-operators.ts'
import type { LlamaConfig, RopeScaling } from './llama-config.ts'

export function rotaryTables(g: Graph, config: LlamaConfig): RotaryTables {
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
  const shape = [positions, half]
  return {
    cos: g.constant(cos, shape),
    sin: g.constant(sin, shape),
    minusSin: g.constant(
      sin.map((number) => -number),
      shape,
    ),
  }
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
