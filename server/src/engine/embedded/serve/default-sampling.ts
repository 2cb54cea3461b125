// How a model wants to be sampled where the caller says nothing: its folder's generation_config.json, in
// which `do_sample: false` means greedy. Without that file the temperature is 1.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sampling } from '../../../core/request.ts'

export async function defaultSampling(folder: string): Promise<Sampling> {
  let fields: Record<string, unknown>
  try {
    const text = await readFile(join(folder, 'generation_config.json'), 'utf8')
    fields = JSON.parse(text) as Record<string, unknown>
  } catch {
    return {}
  }
  if (fields.do_sample === false) return { temperature: 0 }
  const { temperature, top_p: topP, top_k: topK } = fields
  return {
    ...(typeof temperature === 'number' ? { temperature } : {}),
    ...(typeof topP === 'number' ? { topP } : {}),
    ...(typeof topK === 'number' ? { topK } : {}),
  }
}
