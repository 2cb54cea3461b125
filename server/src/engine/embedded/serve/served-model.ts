// A model folder opened for serving: renders requests, schedules them, and reports what comes out. It runs in
// a thread of its own, but knows nothing of threads.
import { createHash } from 'node:crypto'
import type { StreamPart } from '../../../core/stream-part.ts'
import type { Effort, Sampling } from '../../../core/request.ts'
import { EngineError } from '../../engine.ts'
import { Turn } from '../generate/turn.ts'
import { RuleBook, vocabularyOf } from '../generate/turn-rules.ts'
import type { Vocabulary } from '../generate/turn-rules.ts'
import { readAdapter } from '../llama/adapter.ts'
import { openForward } from '../llama/forward.ts'
import type { Forward } from '../llama/forward.ts'
import { readModelFolder } from '../llama/read-model-folder.ts'
import { takeBegunAnswer } from '../prompt/begun-answer.ts'
import { blockTokens } from '../prompt/block-tokens.ts'
import { openChatTemplate } from '../prompt/chat-template.ts'
import { promptTooLong } from '../prompt/prompt-too-long.ts'
import type { PromptRoom } from '../prompt/prompt-too-long.ts'
import { renderPrompt } from '../prompt/render-prompt.ts'
import type { Prompter } from '../prompt/render-prompt.ts'
import { showsTools } from '../prompt/shows-tools.ts'
import { openTokenizer } from '../prompt/tokenizer.ts'
import { AdapterShelf } from './adapter-shelf.ts'
import { defaultSampling } from './default-sampling.ts'
import { Scheduler } from './scheduler.ts'
import type { WorkerCall, WorkerOptions } from './worker-messages.ts'

export type ServedModelEvents = {
  deliver(id: number, parts: StreamPart[]): void
  fail(id: number, error: EngineError): void
}

/** Fails with a sentence that names the file at fault. */
export async function openServedModel(
  options: WorkerOptions,
  events: ServedModelEvents,
): Promise<ServedModel> {
  const folder = options.modelFolder
  const tokenizer = await openTokenizer(folder)
  const template = await openChatTemplate(folder)
  const model = await readModelFolder(folder)
  const { vocabSize, eosTokenIds } = model.config
  if (tokenizer.vocabSize > vocabSize) {
    throw new Error(
      `tokenizer.json has ${tokenizer.vocabSize} tokens, but the model of config.json knows ${vocabSize}.`,
    )
  }
  if (eosTokenIds.length === 0) {
    throw new Error('config.json names no eos_token_id, so the model could never end its turn.')
  }
  const forward = await openForward(model, { threads: options.threads })
  const adapters: AdapterShelf = new AdapterShelf(
    (path) => readAdapter(path, model),
    options.adaptersMax,
    (adapter) => scheduler.uses(adapter),
  )
  const scheduler = new Scheduler(forward, options, {
    ...events,
    loadAdapter: (path) => loadAdapter(adapters, path),
  })
  const vocabulary = vocabularyOf(tokenizer, eosTokenIds)
  const sampling = await defaultSampling(folder)
  return new ServedModel({ tokenizer, template }, vocabulary, forward, scheduler, sampling)
}

async function loadAdapter(adapters: AdapterShelf, folder: string) {
  try {
    return await adapters.get(folder)
  } catch (cause) {
    const sentence = `The adapter of this model cannot be used: ${withoutPath(cause, folder)}`
    throw new EngineError('broken', sentence, { cause })
  }
}

/** File names help whoever reads the sentence; where the files lie is nobody's business. */
export function withoutPath(error: unknown, folder: string): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.replaceAll(`${folder}/`, '').replaceAll(folder, 'the folder')
}

const keptPromptsMax = 32

type Rendered = { prompt: number[]; tokensPerBlock: readonly number[] | null }

export class ServedModel {
  readonly #prompter: Prompter
  readonly #vocabulary: Vocabulary
  readonly #rules: RuleBook
  readonly #forward: Forward
  readonly #scheduler: Scheduler
  readonly #sampling: Sampling
  readonly #rendered = new Map<string, Rendered>()
  readonly promptRoom: PromptRoom

  constructor(
    prompter: Prompter,
    vocabulary: Vocabulary,
    forward: Forward,
    scheduler: Scheduler,
    sampling: Sampling,
  ) {
    this.#prompter = prompter
    this.#vocabulary = vocabulary
    this.#rules = new RuleBook(vocabulary)
    this.#forward = forward
    this.#scheduler = scheduler
    this.#sampling = sampling
    const { longestTokenBytes } = prompter.tokenizer
    // One token of the window is left for the answer.
    const tokensMax = forward.config.contextWindow - 1
    this.promptRoom = { tokensMax, longestTokenBytes, showsTools: showsTools(prompter.template) }
  }

  /** Throws an EngineError if the request itself cannot be served. */
  call(id: number, call: WorkerCall, credit: number): void {
    const { request, workspaceId, adapterFolder } = call
    // Before the work of reading the request, which is wasted on one that is turned away.
    this.#scheduler.checkRoom(workspaceId)
    const { begun } = takeBegunAnswer(request)
    const { prompt, tokensPerBlock } = this.#render(call)
    const { tokensMax: promptMax } = this.promptRoom
    if (prompt.length > promptMax) throw promptTooLong(promptMax, prompt.length)
    const rules = this.#rules.rulesFor(request, this.#effort(call), call.thinkingBudgetTokens)
    const room = this.#forward.config.contextWindow - prompt.length
    const tokensMax = Math.min(call.maxTokens, room)
    const opened = rules.thinkingBudget !== null && prompt.at(-1) === this.#vocabulary.marks.think
    const turn = new Turn(this.#vocabulary, rules, tokensMax, begun ?? (opened ? 'thought' : null))
    const sampling = { ...this.#sampling, ...request.sampling }
    const job = { id, workspaceId, adapterFolder, prompt, tokensPerBlock, turn, sampling, credit }
    this.#scheduler.submit(job)
  }

  count(call: WorkerCall): number {
    return this.#render(call).prompt.length
  }

  /** Throws an EngineError if the adapter's files are not sound. */
  async load(adapterFolder: string): Promise<void> {
    await this.#scheduler.load(adapterFolder)
  }

  credit(id: number, parts: number): void {
    this.#scheduler.credit(id, parts)
  }

  cancel(id: number): void {
    this.#scheduler.cancel(id)
  }

  async close(): Promise<void> {
    await this.#forward.close()
  }

  /** The effort as far as this model can think at all; null means no thinking. */
  #effort({ effort }: WorkerCall): Effort | null {
    const { think, thinkEnd } = this.#vocabulary.marks
    return think !== null && thinkEnd !== null ? effort : null
  }

  /** A call is usually counted before it is made, so the last few prompts are kept. */
  #render(call: WorkerCall): Rendered {
    const { tools, system, messages, output } = call.request
    const thinking = this.#effort(call) !== null
    const text = JSON.stringify([thinking, output.kind, tools, system, messages])
    const key = createHash('sha256').update(text).digest('base64')
    let rendered = this.#rendered.get(key)
    if (!rendered) {
      const { asked, begun } = takeBegunAnswer(call.request)
      const prompt = renderPrompt(this.#prompter, asked, {
        generationPrompt: true,
        thinking,
        tokensMax: this.promptRoom.tokensMax,
        ...(begun ? { begun: begun.text } : {}),
      })
      rendered = { prompt, tokensPerBlock: null }
      this.#rendered.set(key, rendered)
      const [oldest] = this.#rendered.keys()
      if (this.#rendered.size > keptPromptsMax) this.#rendered.delete(oldest!)
    }
    if (call.countBlocks) {
      const { showsTools } = this.promptRoom
      rendered.tokensPerBlock ??= blockTokens(this.#prompter.tokenizer, call.request, showsTools)
    }
    return rendered
  }
}
