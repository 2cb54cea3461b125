// How a model wants to be sampled where the caller says nothing: its folder's generation_config.json, in
// which `do_sample: false` means greedy. Without that file the temperature is 1, and what it cannot mean is passed over.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sampling } from '../../../core/request.ts'

export async function defaultSampling(folder: string): Promise<Sampling> {
  let fields: Record<string, unknown> | null
  try {
    const text = await readFile(join(folder, 'generation_config.json'), 'utf8')
    fields = JSON.parse(text) as Record<string, unknown> | null
  } catch {
    return {}
  }
  const { do_sample: samples, temperature, top_p: topP, top_k: topK } = fields ?? {}
  if (samples === false) return { temperature: 0 }
  return {
    ...(isNumber(temperature, 0, Infinity) ? { temperature } : {}),
    ...(isNumber(topP, 0, 1) ? { topP } : {}),
    ...(isNumber(topK, 0, Infinity) ? { topK } : {}),
  }
}

function isNumber(value: unknown, min: number, max: number): value is number {
  return typeof value === 'number' && value >= min && value <= max
}
