// Serves deployments with the engines of this process: the embedded one, which opens any weights of the store, and model servers that run
// already.
import type { Catalog } from '../catalog/catalog.ts'
import type { CatalogRoute } from '../catalog/catalog-file.ts'
import { type Engine, EngineError } from '../engine/engine.ts'
import { callBriefly } from '../inference/call-briefly.ts'
import type { Clock } from '../lib/clock.ts'
import { type ModelPath, targetRoute } from './deployment.ts'
import type { Serving, ServingStatus, Target } from './serving.ts'

export class EngineServing implements Serving {
  readonly #ports: Ports

  constructor(ports: Ports) {
    this.#ports = ports
  }

  prepare(target: Target, signal: AbortSignal): Promise<ServingStatus> {
    return this.#ask(target, signal, async (engine, model) => {
      await engine.prepare?.(model, signal)
      const answered = await callBriefly(this.#ports.clock, engine, model, signal)
      return answered ? { state: 'ready' } : broken('It ends its answers before they are complete.')
    })
  }

  status(target: Target, signal: AbortSignal): Promise<ServingStatus> {
    return this.#ask(target, signal, async (engine) => {
      const answers = await engine.answers?.(signal)
      if (answers === false) return broken('Its machine does not answer.')
      return { state: answers ? 'ready' : 'unknown' }
    })
  }

  /** Engines close by themselves once no route leads to them, and a server that runs anyway goes on. */
  async stop(): Promise<void> {}

  async #ask(
    target: Target,
    signal: AbortSignal,
    ask: (engine: Engine, model: string) => Promise<ServingStatus>,
  ): Promise<ServingStatus> {
    const { catalog, modelPath, engineAt } = this.#ports
    const [base, machine] = [catalog.find(target.model), catalog.machine(target.machine)]
    const route = base && machine && targetRoute(target, base, machine, modelPath)
    if (!route) {
      const sentence = `No machine in the catalog serves ${target.model}.`
      return { state: 'failed', failure: 'no-gpu', sentence }
    }
    try {
      return await ask(engineAt(route), route.model ?? base.id)
    } catch (error) {
      if (signal.aborted) return { state: 'starting' }
      if (!(error instanceof EngineError)) throw error
      return statusAfter(error)
    }
  }
}

type Ports = {
  catalog: Catalog
  clock: Clock
  modelPath: ModelPath
  engineAt: (route: CatalogRoute) => Engine
}

function statusAfter({ failure, message }: EngineError): ServingStatus {
  // A server that is busy, or that refuses so short a call, is there.
  if (failure === 'refused' || failure === 'overloaded') return { state: 'ready' }
  return broken(message)
}

function broken(sentence: string): ServingStatus {
  return { state: 'failed', failure: 'broken', sentence }
}
