// The engines behind the routes of the catalog, each made on first use and shared by all routes to the same
// place.
import { StartupProblem } from '../lib/startup-problem.ts'
import type { Engine } from './engine.ts'
import { OpenAiCompatibleEngine } from './openai-compatible/openai-compatible-engine.ts'

export type EngineAddress = {
  engine: 'openai-compatible'
  base_url: string
  api_key_env?: string | undefined
}

export class Engines {
  readonly #env: Record<string, string | undefined>
  readonly #engines = new Map<string, Engine>()

  constructor(env: Record<string, string | undefined>) {
    this.#env = env
  }

  at(address: EngineAddress): Engine {
    const name = `${address.engine} ${address.base_url} ${address.api_key_env ?? ''}`
    let engine = this.#engines.get(name)
    if (!engine) {
      engine = this.#open(address)
      this.#engines.set(name, engine)
    }
    return engine
  }

  async close(): Promise<void> {
    await Promise.all([...this.#engines.values()].map((engine) => engine.close()))
  }

  #open(address: EngineAddress): Engine {
    const apiKey = address.api_key_env === undefined ? null : this.#env[address.api_key_env]
    if (apiKey === undefined) {
      throw new StartupProblem(
        `The catalog takes a key from ${address.api_key_env}, which is not set in the environment.`,
      )
    }
    return new OpenAiCompatibleEngine({ baseUrl: address.base_url, apiKey })
  }
}
