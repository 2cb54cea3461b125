// The optimizer: AdamW with the gradient clipped to a length of 1, and the learning rate over the run.
import type { Parameter } from './lora-parameters.ts'

const beta1 = 0.9
const beta2 = 0.999
const epsilon = 1e-8
const weightDecay = 0.01
const gradientLengthMax = 1

/** Applies the gradients in place; `step` counts from 1. Returns the gradient's length before clipping. */
export function adamStep(parameters: readonly Parameter[], step: number, rate: number): number {
  let squares = 0
  for (const { gradient } of parameters) {
    for (let i = 0; i < gradient.length; i++) squares += gradient[i]! * gradient[i]!
  }
  const length = Math.sqrt(squares)
  const scale = Math.min(1, gradientLengthMax / (length + 1e-6))
  const meanShare = 1 / (1 - beta1 ** step)
  const varianceShare = 1 / (1 - beta2 ** step)
  for (const { data, gradient, mean, variance } of parameters) {
    for (let i = 0; i < data.length; i++) {
      const slope = gradient[i]! * scale
      const m = (mean[i] = beta1 * mean[i]! + (1 - beta1) * slope)
      const v = (variance[i] = beta2 * variance[i]! + (1 - beta2) * slope * slope)
      const move = (m * meanShare) / (Math.sqrt(v * varianceShare) + epsilon)
      data[i]! -= rate * (move + weightDecay * data[i]!)
    }
  }
  return length
}

const warmUpShare = 0.03

/** Rises over the first 3% of the steps, then eases off along a cosine; `step` counts from 1. */
export function learningRateAt(step: number, totalSteps: number, peak: number): number {
  const warmUp = Math.max(1, Math.round(totalSteps * warmUpShare))
  if (step <= warmUp) return (peak * step) / warmUp
  const done = (step - 1 - warmUp) / Math.max(1, totalSteps - warmUp)
  return (peak * (1 + Math.cos(Math.PI * Math.min(1, done)))) / 2
}
