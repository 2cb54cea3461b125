// The engines behind the routes of the catalog, each made on first use and shared by all routes to the same place.
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { KeyHeader } from '../core/server-ways.ts'
import { AnthropicCompatibleEngine } from './anthropic-compatible/anthropic-compatible-engine.ts'
import type { BodyProfile as MessagesProfile } from './anthropic-compatible/build-body.ts'
import { EmbeddedEngine, type ModelSource } from './embedded/embedded-engine.ts'
import type { ModelClient } from './embedded/serve/model-client.ts'
import { ModelMemory } from './embedded/serve/model-memory.ts'
import type { BaseRevisions } from './embedded/serve/open-base.ts'
import { type Engine, EngineError } from './engine.ts'
import { weightsIn } from './engine-name.ts'
import { JudgeBasicEngine } from './judge-basic/judge-basic-engine.ts'
import type { BodyProfile } from './openai-compatible/build-body.ts'
import { OpenAiCompatibleEngine } from './openai-compatible/openai-compatible-engine.ts'

export type EngineAddress =
  | { engine: 'embedded'; model_folder?: string | undefined }
  | { engine: 'judge-basic' }
  | {
      engine: 'openai-compatible'
      base_url: string
      api_key_env?: string | undefined
      headers?: RouteHeaders | undefined
      cache_salt: boolean
      passes_thinking: boolean
      tokenizes: boolean
      continues: boolean
      whole_only: boolean
      max_tokens_field: BodyProfile['maxTokensField']
      thinking: BodyProfile['thinking']
      leaves_out: BodyProfile['leavesOut']
      first_byte_seconds?: number | undefined
    }
  | {
      engine: 'anthropic-compatible'
      base_url: string
      api_key_env?: string | undefined
      headers?: RouteHeaders | undefined
      key_header: KeyHeader
      thinking: MessagesProfile['thinking']
      leaves_out: MessagesProfile['leavesOut']
      first_byte_seconds?: number | undefined
    }

/** A secret stands in a variable of that name. */
type RouteHeaders = Record<string, string | { env: string }>

type UpstreamAddress = Extract<EngineAddress, { base_url: string }>

/** The model that comes with Hone. */
export const bundledModel = fileURLToPath(new URL('../../../models/hone-mini', import.meta.url))
/** More threads than this cost a small model more than they bring. */
const threadsMax = 4

/** One core is left to everything else: on two cores a second thread made answers twice as slow, not faster. */
export function servingThreads(): number {
  return Math.max(1, Math.min(threadsMax, availableParallelism() - 1))
}

/** Where weights are kept by the hash of their content. */
export type WeightFolders = BaseRevisions & {
  modelPath(hash: string): string
  adapterPath(hash: string): string
}

export class Engines {
  readonly #env: Record<string, string | undefined>
  readonly #cacheSaltKey: Uint8Array
  readonly #folders: WeightFolders
  readonly #memory: ModelMemory<ModelClient>
  readonly #engines = new Map<string, Engine>()
  /** The same by the route, which every call has at hand. */
  #byAddress = new WeakMap<EngineAddress, Engine>()

  constructor(
    env: Record<string, string | undefined>,
    cacheSaltKey: Uint8Array,
    folders: WeightFolders,
    modelMemoryBytes: number,
  ) {
    this.#env = env
    this.#cacheSaltKey = cacheSaltKey
    this.#folders = folders
    this.#memory = new ModelMemory(modelMemoryBytes)
  }

  at(address: EngineAddress): Engine {
    const known = this.#byAddress.get(address)
    if (known) return known
    const name = nameOf(address)
    let engine = this.#engines.get(name)
    if (!engine) {
      engine = this.#open(address)
      this.#engines.set(name, engine)
    }
    this.#byAddress.set(address, engine)
    return engine
  }

  /**
   * Closes those that no route leads to any more, once their last call is over. A call that began with a route which is gone
   * by now gets its engine all the same: it is opened again, and closed the next time.
   */
  async keepOnly(addresses: Iterable<EngineAddress>): Promise<void> {
    const named = new Set(Array.from(addresses, nameOf))
    const unused = [...this.#engines].filter(([name, { busy }]) => !named.has(name) && !busy)
    if (unused.length === 0) return
    for (const [name] of unused) this.#engines.delete(name)
    this.#byAddress = new WeakMap()
    await Promise.all(unused.map(([, engine]) => engine.close()))
  }

  async close(): Promise<void> {
    await Promise.all([...this.#engines.values()].map((engine) => engine.close()))
  }

  #open(address: EngineAddress): Engine {
    switch (address.engine) {
      case 'embedded':
        return new EmbeddedEngine({
          modelFolder: address.model_folder ?? bundledModel,
          threads: servingThreads(),
          resolveModel: (engineName) => this.#sourceOf(engineName),
          revisions: this.#folders,
          memory: this.#memory,
        })
      case 'judge-basic':
        return new JudgeBasicEngine()
      default:
        return this.#openUpstream(address)
    }
  }

  /** A name without hashes means the base model. */
  #sourceOf(engineName: string): ModelSource {
    const { baseRevision: revision, adapter } = weightsIn(engineName)
    return {
      ...(revision && { pinned: { revision, folder: this.#folders.modelPath(revision) } }),
      ...(adapter && { adapterFolder: this.#folders.adapterPath(adapter) }),
    }
  }

  #openUpstream(address: UpstreamAddress): Engine {
    const { base_url: baseUrl, first_byte_seconds: seconds } = address
    const options = {
      baseUrl,
      apiKey: address.api_key_env === undefined ? null : this.#secretIn(address.api_key_env),
      headers: this.#headersOf(address.headers ?? {}),
      ...(seconds === undefined ? {} : { firstByteMs: seconds * 1000 }),
    }
    switch (address.engine) {
      case 'openai-compatible':
        return new OpenAiCompatibleEngine({
          ...options,
          profile: {
            cacheSaltKey: address.cache_salt ? this.#cacheSaltKey : null,
            passesThinking: address.passes_thinking,
            tokenizes: address.tokenizes,
            continues: address.continues,
            wholeOnly: address.whole_only,
            maxTokensField: address.max_tokens_field,
            thinking: address.thinking,
            leavesOut: address.leaves_out,
          },
        })
      case 'anthropic-compatible':
        return new AnthropicCompatibleEngine({
          ...options,
          keyHeader: address.key_header,
          profile: { thinking: address.thinking, leavesOut: address.leaves_out },
        })
    }
  }

  #headersOf(headers: RouteHeaders): Record<string, string> {
    const entries = Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : this.#secretIn(value.env),
    ])
    return Object.fromEntries(entries) as Record<string, string>
  }

  #secretIn(variable: string): string {
    // Files and secrets that variables are filled from often end in a line break, with which no header can be sent.
    const secret = this.#env[variable]?.trim() ?? ''
    if (sendable.test(secret)) return secret
    // The name of the variable is the operator's business, not the caller's.
    const problem = secret === '' ? 'is not set' : 'is not one line of ASCII characters'
    throw new EngineError('not-set-up', 'The route to the model is not configured.', {
      cause: new Error(`The environment variable ${variable} ${problem}.`),
    })
  }
}

/** In a header. */
const sendable = /^[\x20-\x7e]+$/

function nameOf(address: EngineAddress): string {
  if (address.engine === 'judge-basic') return address.engine
  if (address.engine === 'embedded') return `embedded ${address.model_folder ?? ''}`
  return JSON.stringify([
    address.engine,
    address.base_url,
    address.api_key_env ?? '',
    address.headers ?? {},
    'key_header' in address && address.key_header,
    'cache_salt' in address && address.cache_salt,
    'passes_thinking' in address && address.passes_thinking,
    'tokenizes' in address && address.tokenizes,
    'continues' in address && address.continues,
    'whole_only' in address && address.whole_only,
    'max_tokens_field' in address && address.max_tokens_field,
    'leaves_out' in address && address.leaves_out,
    'thinking' in address && address.thinking,
    address.first_byte_seconds ?? 0,
  ])
}
