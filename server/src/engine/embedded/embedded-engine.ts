// The engine that runs models in this process: one thread per set of base weights, adapters on top of them. Which of them are open at
// once is decided by the memory that all engines share.
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { StreamPart } from '../../core/stream-part.ts'
import type { CallRequest } from '../../core/request.ts'
import { EngineError } from '../engine.ts'
import type { Engine, EngineCall } from '../engine.ts'
import { answerSchema, checkSchemaLimits, toolSchema } from './grammar/schema-limits.ts'
import { hasBegunAnswer } from './prompt/begun-answer.ts'
import { imageRefusal } from './prompt/template-messages.ts'
import { ModelClient } from './serve/model-client.ts'
import type { Lease, ModelMemory } from './serve/model-memory.ts'
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
  /** Shared with the other engines of this process. */
  memory: ModelMemory<ModelClient>
  limits?: Partial<EmbeddedLimits>
}

export type EmbeddedLimits = Omit<WorkerOptions, 'modelFolder' | 'threads'>

const defaultLimits: EmbeddedLimits = {
  rowsMax: 16,
  waitingMax: 256,
  // A smaller piece would take longer in all, a larger one would be no faster.
  promptPiece: 192,
  cacheBytes: 256 * 2 ** 20,
  adaptersMax: 16,
}

export class EmbeddedEngine implements Engine {
  readonly #options: EmbeddedEngineOptions
  readonly #limits: EmbeddedLimits
  readonly #base: OpenBase
  #underWay = 0
  #closed = false

  constructor(options: EmbeddedEngineOptions) {
    this.#options = options
    this.#limits = { ...defaultLimits, ...options.limits }
    this.#base = new OpenBase(options)
  }

  /** Opens the base model now, and says what is wrong with its files if it cannot be opened. */
  async ready(): Promise<void> {
    await this.#using(this.#leaseOf({}, never), (model) => model.ready())
  }

  async prepare(engineModel: string, signal: AbortSignal): Promise<void> {
    const source = await this.#sourceOf(engineModel)
    const { adapterFolder } = source
    await this.#using(this.#leaseOf(source, signal), async (model) => {
      await model.ready()
      if (adapterFolder !== undefined) await model.load(adapterFolder, signal)
    })
  }

  async *call(call: EngineCall, signal: AbortSignal): AsyncGenerator<StreamPart[], void> {
    if (signal.aborted) return
    this.#underWay++
    let lease: Lease<ModelClient> | undefined
    try {
      const { source, workerCall } = await this.#settle(call)
      lease = await this.#leaseOf(source, signal)
      for await (const part of lease.model.call(workerCall, signal)) yield [part]
    } finally {
      lease?.release()
      this.#underWay--
    }
  }

  async countPromptTokens(call: EngineCall, signal: AbortSignal): Promise<number> {
    const { source, workerCall } = await this.#settle(call)
    return this.#using(this.#leaseOf(source, signal), (model) => model.count(workerCall, signal))
  }

  get busy(): boolean {
    return this.#underWay > 0
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#options.memory.closeAllOf(this, closedError())
  }

  async #using<Result>(
    leased: Promise<Lease<ModelClient>>,
    act: (model: ModelClient) => Promise<Result>,
  ): Promise<Result> {
    this.#underWay++
    let lease: Lease<ModelClient> | undefined
    try {
      lease = await leased
      return await act(lease.model)
    } finally {
      lease?.release()
      this.#underWay--
    }
  }

  async #settle(call: EngineCall): Promise<{ source: ModelSource; workerCall: WorkerCall }> {
    const { engineModel, requestId: _, adjusted, ...settled } = call
    const { request } = settled
    refuseImages(request)
    refuseLargeSchemas(request)
    const source = await this.#sourceOf(engineModel)
    const workerCall = { ...settled, adapterFolder: source.adapterFolder ?? null }
    // A thought comes before the answer, and it is too late for one where the answer has begun.
    if (settled.effort === null || !hasBegunAnswer(request)) return { source, workerCall }
    if (request.reasoning.kind !== 'default') adjusted?.push('reasoning_effort')
    return { source, workerCall: { ...workerCall, effort: null } }
  }

  async #sourceOf(engineModel: string): Promise<ModelSource> {
    const { resolveModel } = this.#options
    const source = resolveModel ? await resolveModel(engineModel) : {}
    if (!source) throw new EngineError('refused', 'The embedded engine has no such model.')
    return source
  }

  /** The base model's own folder, unless it is not, or no longer, the base that is needed. */
  async #leaseOf(source: ModelSource, signal: AbortSignal): Promise<Lease<ModelClient>> {
    const { mergedFolder, pinned } = source
    const { modelFolder, memory } = this.#options
    if (mergedFolder !== undefined) return this.#leaseFolder(mergedFolder, signal)
    if (!pinned) return this.#leaseFolder(modelFolder, signal)
    const open = memory.find(this, modelFolder)
    const revision = await (open ? this.#base.revisionOf(open) : this.#base.revisionNow())
    if (revision === pinned.revision) {
      const lease = await this.#leaseFolder(modelFolder, signal)
      // It may have been opened from other files by now.
      if ((await this.#base.revisionOf(lease.model)) === pinned.revision) return lease
      lease.release()
    }
    return this.#leaseFolder(pinned.folder, signal)
  }

  #leaseFolder(folder: string, signal: AbortSignal): Promise<Lease<ModelClient>> {
    const { memory } = this.#options
    const bytes = async () => (await weightBytes(folder)) + this.#limits.cacheBytes
    return memory.lease({ owner: this, folder, bytes, open: () => this.#open(folder) }, signal)
  }

  #open(folder: string): ModelClient {
    if (this.#closed) throw closedError()
    const { modelFolder, threads } = this.#options
    const model = new ModelClient({ ...this.#limits, modelFolder: folder, threads })
    if (folder === modelFolder) this.#base.opened(model)
    return model
  }
}

const never = new AbortController().signal

function closedError(): EngineError {
  return new EngineError('broken', 'The embedded engine is closed.')
}

/** 0 where they cannot be read: the model's thread says what is wrong with them. */
async function weightBytes(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => [])
  const files = names.filter((name) => name.endsWith('.safetensors'))
  const sizes = files.map((name) =>
    stat(join(folder, name)).then(
      ({ size }) => size,
      () => 0,
    ),
  )
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
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
