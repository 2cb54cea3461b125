// What versions cost beside their base: an adapter on top of it and a merged model of its own, alone and eight at once, on the bundled
// model. Ratios are against the base in the same rounds.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomSource } from '../server/src/engine/embedded/generate/random-source.ts'
import type { Adapter } from '../server/src/engine/embedded/llama/adapter.ts'
import { writeAdapter } from '../server/src/engine/embedded/llama/adapter.ts'
import { mergeAdapter } from '../server/src/engine/embedded/llama/merge-adapter.ts'
import {
  type ModelFolder,
  readModelFolder,
} from '../server/src/engine/embedded/llama/read-model-folder.ts'
import { projections, projectionShape } from '../server/src/engine/embedded/llama/tensor-shapes.ts'
import { engineNameOf } from '../server/src/engine/engine-name.ts'
import { bundledModel, type EngineAddress, Engines } from '../server/src/engine/engines.ts'
import { readConfig } from '../server/src/config.ts'
import { ModelStore } from '../server/src/model-store/model-store.ts'
import { callOf, type Measured, measure, never, textOf } from './engine-calls.ts'
import { median } from './median.ts'
import { measureSwitching } from './switching.ts'

const versionsAtOnce = 8
const roundsOf = { alone: 21, together: 5 }
const rank = 16
const outputTokens = 96

/** A name that an engine knows, and the route to it. */
type Version = { address: EngineAddress; engineModel: string }
type Kind = 'base' | 'adapter' | 'merged model'

export async function run(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'hone-bench-'))
  const store = new ModelStore(join(folder, 'objects'))
  const { modelMemoryBytes } = readConfig({})
  const engines = new Engines({}, new Uint8Array(32), store, modelMemoryBytes)
  // The first of a kind also opens what all of its kind share, so it is left out of the first calls.
  const written = await writeVersions(folder, store, versionsAtOnce + 1)
  const base: Version = { address: { engine: 'embedded' }, engineModel: 'base' }
  await call(engines, base)
  console.log(
    `hone-mini, adapters of rank ${rank}, ${(modelMemoryBytes / 1e9).toFixed(1)} GB for models`,
  )

  for (const kind of ['adapter', 'merged model'] as const) {
    await firstCalls(engines, kind, written[kind])
  }
  const last = <T>(all: T[]): T[] => all.slice(-versionsAtOnce)
  const versions: Record<Kind, Version[]> = {
    base: Array.from({ length: versionsAtOnce }, () => base),
    adapter: last(written.adapter),
    'merged model': last(written['merged model']),
  }
  await compare(engines, versions, 1, roundsOf.alone)
  await compare(engines, versions, versionsAtOnce, roundsOf.together)
  await engines.close()
  await measureSwitching()
  await rm(folder, { recursive: true, force: true })
}

/** Further ones, one after the other: what the first call takes beside the second, and what each adds to the memory. */
async function firstCalls(engines: Engines, kind: Kind, versions: Version[]): Promise<void> {
  const [first, ...further] = versions
  await call(engines, first!)
  const [cold, warm, prepared]: number[][] = [[], [], []]
  const before = process.memoryUsage.rss()
  for (const [index, version] of further.entries()) {
    const isPrepared = index % 2 === 1
    if (isPrepared) await engines.at(version.address).prepare!(version.engineModel, never)
    ;(isPrepared ? prepared! : cold!).push((await call(engines, version)).firstMs)
    warm!.push((await call(engines, version)).firstMs)
  }
  const bytes = (process.memoryUsage.rss() - before) / further.length
  const [ms, later] = [median(cold!), median(warm!)]
  console.log(
    `first token of the first call to a further ${kind}: ${ms.toFixed(1)} ms, prepared ${median(prepared!).toFixed(1)} ms, ` +
      `later ${later.toFixed(1)} ms, ratio ${(ms / later).toFixed(1)}; each takes ${(bytes / 1e6).toFixed(1)} MB`,
  )
}

/** One kind after the other in each round, so that a slow moment of the machine falls on all of them. */
async function compare(
  engines: Engines,
  versions: Record<Kind, Version[]>,
  atOnce: number,
  rounds: number,
): Promise<void> {
  const kinds = Object.keys(versions) as Kind[]
  type Series = Record<'firstMs' | 'perSecond', number[]>
  const measured = new Map(
    kinds.map((kind): [Kind, Series] => [kind, { firstMs: [], perSecond: [] }]),
  )
  for (let round = 0; round < rounds; round++) {
    for (const kind of kinds) {
      const start = performance.now()
      const chosen = versions[kind].slice(0, atOnce)
      const calls = await Promise.all(chosen.map((version) => call(engines, version)))
      const tokens = calls.reduce((sum, { outputTokens }) => sum + outputTokens, 0)
      measured.get(kind)!.firstMs.push(median(calls.map(({ firstMs }) => firstMs)))
      measured.get(kind)!.perSecond.push((tokens * 1000) / (performance.now() - start))
    }
  }
  const of = measured.get('base')!
  for (const [kind, { firstMs, perSecond }] of measured) {
    const name = atOnce === 1 || kind === 'base' ? kind : `${atOnce} different ${kind}s`
    const ratio = (own: number[], ofBase: number[]): string =>
      (median(own) / median(ofBase)).toFixed(2)
    console.log(
      `${atOnce} at once, ${name}: first token ${median(firstMs).toFixed(1)} ms (ratio ${ratio(firstMs, of.firstMs)}), ` +
        `${median(perSecond).toFixed(0)} tokens/s (ratio ${ratio(perSecond, of.perSecond)})`,
    )
  }
}

/** A thought has no end mark but its own, so it runs to the ceiling. */
function call(engines: Engines, { address, engineModel }: Version): Promise<Measured> {
  const asked = callOf(textOf(40), { engineModel, effort: 'max', maxTokens: outputTokens })
  return measure(engines.at(address), asked)
}

async function writeVersions(
  folder: string,
  store: ModelStore,
  count: number,
): Promise<Record<Exclude<Kind, 'base'>, Version[]>> {
  const model = await readModelFolder(bundledModel)
  const versions: Record<Exclude<Kind, 'base'>, Version[]> = { adapter: [], 'merged model': [] }
  for (let seed = 0; seed < count; seed++) {
    const adapter = randomAdapter(model, seed)
    const path = join(folder, `adapter-${seed}`)
    await writeAdapter(path, model, adapter, 'hone-mini')
    const hash = await store.keepAdapter(path, { link: true })
    versions.adapter.push({
      address: { engine: 'embedded' },
      engineModel: engineNameOf('base', { baseRevision: null, adapter: hash }),
    })
    await mergeAdapter(model, adapter, join(folder, `merged-${seed}`))
    const merged = await store.keepModel(join(folder, `merged-${seed}`), { link: true })
    versions['merged model'].push({
      address: { engine: 'embedded', model_folder: store.modelPath(merged) },
      engineModel: `merged:${merged}`,
    })
  }
  return versions
}

function randomAdapter(model: ModelFolder, seed: number): Adapter {
  const random = randomSource(seed)
  const numbers = (length: number): Float32Array =>
    Float32Array.from({ length }, () => (random() - 0.5) / 50)
  const layers = Array.from(
    { length: model.config.layers },
    () =>
      new Map(
        projections.map((name) => {
          const [out, into] = projectionShape(model.config, name)
          return [name, { a: numbers(rank * into), b: numbers(out * rank) }] as const
        }),
      ),
  )
  return { rank, alpha: 2 * rank, layers }
}
