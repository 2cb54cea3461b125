// Where a run stood at its last check: parameters, what the optimizer remembers, the best adapter so far and the
// place in the run. The order of rows follows from the seed, so the step is all there is to know of it.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readSafetensors } from '../../engine/embedded/llama/read-safetensors.ts'
import type { Tensor } from '../../engine/embedded/llama/read-safetensors.ts'
import { writeFolderAside } from '../../lib/write-aside.ts'
import { writeSafetensors } from '../../engine/embedded/llama/write-safetensors.ts'
import type { Parameter } from './lora-parameters.ts'
import { isRunState, type RunState } from './run-state.ts'

const parts = ['data', 'mean', 'variance', 'best'] as const
type Part = (typeof parts)[number]
const formatVersion = 3
const tensorsFile = 'tensors.safetensors'
const stateFile = 'state.json'

/** `best` holds the parameters of the best check, in the order of `parameters`. */
export async function saveCheckpoint(
  folder: string,
  parameters: readonly Parameter[],
  best: readonly Float32Array[],
  state: RunState,
): Promise<void> {
  await mkdir(folder, { recursive: true })
  const tensors = new Map<string, Tensor>()
  parameters.forEach((parameter, i) => {
    for (const part of parts) {
      const data = part === 'best' ? best[i]! : parameter[part]
      tensors.set(`${part}.${parameter.name}`, { shape: parameter.shape, data })
    }
  })
  await writeFolderAside(join(folder, String(state.step)), async (path) => {
    await mkdir(path)
    await writeSafetensors(join(path, tensorsFile), tensors)
    const tensorsHash = await hashOf(join(path, tensorsFile))
    const text = JSON.stringify({ version: formatVersion, tensorsHash, ...state })
    await writeFile(join(path, stateFile), text, { flush: true })
  })
  for (const step of await savedSteps(folder)) {
    if (step !== state.step) await rm(join(folder, String(step)), { recursive: true, force: true })
  }
}

/** Fills the parameters from the latest whole checkpoint; null if there is none, and the run starts anew. */
export async function loadCheckpoint(
  folder: string,
  parameters: readonly Parameter[],
): Promise<{ state: RunState; best: Float32Array[] } | null> {
  for (const step of (await savedSteps(folder)).sort((a, b) => b - a)) {
    try {
      return await loadStep(join(folder, String(step)), parameters)
    } catch {
      // Cut or changed by a crash or the disk: an older one, or none, is still right.
    }
  }
  return null
}

async function loadStep(path: string, parameters: readonly Parameter[]) {
  const { version, tensorsHash, ...state } = JSON.parse(
    await readFile(join(path, stateFile), 'utf8'),
  ) as RunState & { version: number; tensorsHash: string }
  if (version !== formatVersion) throw new Error(`Checkpoint version ${version} is not read.`)
  if (!isRunState(state)) throw new Error('The state of the checkpoint is damaged.')
  if ((await hashOf(join(path, tensorsFile))) !== tensorsHash) {
    throw new Error('The tensors of the checkpoint are damaged.')
  }
  const tensors = await readSafetensors(join(path, tensorsFile))
  const take = (part: Part, { name, shape }: Parameter): Float32Array => {
    const tensor = tensors.get(`${part}.${name}`)
    if (tensor?.shape.join() === shape.join()) return tensor.data
    throw new Error(`${part}.${name} does not fit.`)
  }
  // All are looked up before any is written, so a broken file leaves the parameters as they were.
  const found = parameters.map((parameter) => ({
    data: take('data', parameter),
    mean: take('mean', parameter),
    variance: take('variance', parameter),
    best: take('best', parameter),
  }))
  parameters.forEach((parameter, i) => {
    parameter.data.set(found[i]!.data)
    parameter.mean.set(found[i]!.mean)
    parameter.variance.set(found[i]!.variance)
  })
  return { state, best: found.map(({ best }) => best) }
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const bytes of createReadStream(file)) hash.update(bytes as Buffer)
  return hash.digest('hex')
}

async function savedSteps(folder: string): Promise<number[]> {
  const names = await readdir(folder).catch(() => [])
  return names.filter((name) => /^\d+$/.test(name)).map(Number)
}
