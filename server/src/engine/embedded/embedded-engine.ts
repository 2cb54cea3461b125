// The engine that runs models in this process: one thread per set of base weights, adapters on top of them.
import type { StreamPart } from '../../core/stream-part.ts'
import type { CallRequest } from '../../core/request.ts'
import { EngineError } from '../engine.ts'
import type { Engine, EngineCall } from '../engine.ts'
import { answerSchema, checkSchemaLimits, toolSchema } from './grammar/schema-limits.ts'
import { hasBegunAnswer } from './prompt/begun-answer.ts'
import { imageRefusal } from './prompt/template-messages.ts'
import { ModelClient } from './serve/model-client.ts'
import { type BaseRevisions, OpenBase } from './serve/open-base.ts'
import type { WorkerCall, WorkerOptions } from './serve/worker-messages.ts'

/** Where the weights of an engine model lie: base weights alone, with an adapter, or a whole folder. */
export type ModelSource = {
  adapterFolder?: string | undefined
  mergedFolder?: string | undefined
  /** The base that it needs, by content hash, and the folder that has it even if the base model's folder was changed. */
  pinned?: { revision: string; folder: string } | undefined
}

export type EmbeddedEngineOptions = {
  /** The base model: a Hugging Face folder of the Llama family. */
  modelFolder: string
  /** Cores that one model computes on. */
  threads: number
  /** Undefined where there is no such model; without this, every name means the base model. */
  resolveModel?: (engineModel: string) => ModelSource | undefined | Promise<ModelSource | undefined>
  /** Without them, a pinned base is always opened from its own folder. */
  revisions?: BaseRevisions
  limits?: Partial<EmbeddedLimits>
}

export type EmbeddedLimits = Omit<WorkerOptions, 'modelFolder' | 'threads'> & {
  /** Sets of base weights in memory at once, the base model included. */
  modelsMax: number
}

const defaultLimits: EmbeddedLimits = {
  rowsMax: 16,
  waitingMax: 256,
  // A smaller piece would take longer in all, a larger one would be no faster.
  promptPiece: 192,
  cacheBytes: 256 * 2 ** 20,
  adaptersMax: 16,
  modelsMax: 3,
}

export class EmbeddedEngine implements Engine {
  readonly #options: EmbeddedEngineOptions
  readonly #limits: EmbeddedLimits
  /** By folder, the least recently used first. */
  readonly #models = new Map<string, ModelClient>()
  readonly #base: OpenBase
  #closed = false

  constructor(options: EmbeddedEngineOptions) {
    this.#options = options
    this.#limits = { ...defaultLimits, ...options.limits }
    this.#base = new OpenBase(options)
  }

  /** Opens the base model now, and says what is wrong with its files if it cannot be opened. */
  async ready(): Promise<void> {
    await this.#model(this.#options.modelFolder).ready()
  }

  async *call(call: EngineCall, signal: AbortSignal): AsyncGenerator<StreamPart[], void> {
    if (signal.aborted) return
    const { model, workerCall } = await this.#prepare(call)
    for await (const part of model.call(workerCall, signal)) yield [part]
  }

  async countPromptTokens(call: EngineCall, signal: AbortSignal): Promise<number> {
    const { model, workerCall } = await this.#prepare(call)
    return model.count(workerCall, signal)
  }

  get busy(): boolean {
    return [...this.#models.values()].some((model) => !model.idle)
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#models.values()].map((model) => model.close()))
    this.#models.clear()
  }

  async #prepare(call: EngineCall): Promise<{ model: ModelClient; workerCall: WorkerCall }> {
    const { engineModel, requestId: _, adjusted, ...settled } = call
    const { request } = settled
    refuseImages(request)
    refuseLargeSchemas(request)
    const source = this.#options.resolveModel ? await this.#options.resolveModel(engineModel) : {}
    if (!source) throw new EngineError('refused', 'The embedded engine has no such model.')
    const model = this.#model(source.mergedFolder ?? (await this.#baseFolder(source)))
    const adapterFolder = source.adapterFolder ?? null
    const workerCall = { ...settled, adapterFolder }
    // A thought comes before the answer, and it is too late for one where the answer has begun.
    if (settled.effort === null || !hasBegunAnswer(request)) return { model, workerCall }
    if (request.reasoning.kind !== 'default') adjusted?.push('reasoning_effort')
    return { model, workerCall: { ...workerCall, effort: null } }
  }

  /** The base model's own folder, unless it is not, or no longer, the base that is needed. */
  async #baseFolder({ pinned }: ModelSource): Promise<string> {
    const { modelFolder } = this.#options
    if (!pinned) return modelFolder
    const isOpen = this.#models.has(modelFolder)
    if (!isOpen && (await this.#base.revisionNow()) !== pinned.revision) return pinned.folder
    const revision = await this.#base.revisionOf(this.#model(modelFolder))
    return revision === pinned.revision ? modelFolder : pinned.folder
  }

  #model(folder: string): ModelClient {
    if (this.#closed) throw new EngineError('broken', 'The embedded engine is closed.')
    let model = this.#models.get(folder)
    this.#models.delete(folder)
    if (!model || model.dead) {
      this.#makeRoom()
      const { threads } = this.#options
      model = new ModelClient({ ...this.#limits, modelFolder: folder, threads })
      if (folder === this.#options.modelFolder) this.#base.opened(model)
    }
    this.#models.set(folder, model)
    return model
  }

  /** The base model stays; of the others, one that nobody uses gives way. */
  #makeRoom(): void {
    for (const [folder, model] of this.#models) {
      if (this.#models.size < this.#limits.modelsMax) return
      if (folder === this.#options.modelFolder || !model.idle) continue
      this.#models.delete(folder)
      void model.close()
    }
    if (this.#models.size >= this.#limits.modelsMax) {
      throw new EngineError('overloaded', 'All model slots are in use; try again shortly.')
    }
  }
}

/** Checked before a request is copied to the model's thread, as copying a hostile depth would fail. */
function refuseLargeSchemas({ tools, output }: CallRequest): void {
  for (const { name, parameters } of tools) checkSchemaLimits(parameters, toolSchema(name))
  if (output.kind === 'json-schema') checkSchemaLimits(output.schema, answerSchema)
}

function refuseImages(request: CallRequest): void {
  for (const block of request.messages.flatMap((message) => message.blocks)) {
    const parts = block.type === 'tool-result' ? block.content : [block]
    if (parts.some((part) => part.type === 'image')) throw imageRefusal()
  }
}
