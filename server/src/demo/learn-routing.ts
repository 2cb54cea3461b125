// Teaches the bundled model the routing task from its samples, with the automatic settings, and says how many unseen
// tickets it gets right before and after. The same trainer and engine as everywhere; only the task is made up.
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { TrainingSettings } from '#contract/training.ts'
import type { TrainingOutcome, TrainingRow } from '../compute/compute.ts'
import { EmbeddedCompute } from '../compute/embedded/embedded-compute.ts'
import { writeRowsFile } from '../compute/rows-file.ts'
import { automaticTrainingSettings } from '../compute/training-settings.ts'
import { EmbeddedEngine } from '../engine/embedded/embedded-engine.ts'
import { readModelFolder } from '../engine/embedded/llama/read-model-folder.ts'
import { openChatTemplate } from '../engine/embedded/prompt/chat-template.ts'
import { openTokenizer } from '../engine/embedded/prompt/tokenizer.ts'
import { trainingExample } from '../engine/embedded/prompt/training-example.ts'
import { bundledModel } from '../engine/engines.ts'
import { ModelStore } from '../model-store/model-store.ts'
import { conversationOf, countRight, readTickets, type Ticket } from './routing-task.ts'

export type LearningReport = {
  outcome: TrainingOutcome
  before: Record<'unseen' | 'newWording', number>
  after: Record<'unseen' | 'newWording', number>
  tickets: Record<'unseen' | 'newWording', number>
}

export type LearningOptions = {
  /** Fewer samples and tickets make a quick trial; the demo uses all. */
  samplesMax?: number
  ticketsMax?: number
  /** Over the automatic ones. */
  settings?: Partial<TrainingSettings>
  threads: number
  say: (sentence: string) => void
}

export async function learnRouting(options: LearningOptions): Promise<LearningReport> {
  const { say, threads } = options
  const folder = await mkdtemp(join(tmpdir(), 'hone-demo-'))
  const storeRoot = join(folder, 'objects')
  const engine = new EmbeddedEngine({
    modelFolder: bundledModel,
    threads,
    resolveModel: (name) => (name === 'base' ? {} : { adapterFolder: name }),
  })
  const compute = new EmbeddedCompute({ root: folder, storeRoot, threads, niceness: 0 })
  try {
    const few = (tickets: Ticket[]): Ticket[] => tickets.slice(0, options.ticketsMax)
    const unseen = few(await readTickets('unseen'))
    const newWording = few(await readTickets('new-wording'))
    const measure = async (model: string) => ({
      unseen: await countRight(engine, model, unseen),
      newWording: await countRight(engine, model, newWording),
    })
    const before = await measure('base')
    say(`Before: ${before.unseen} of ${unseen.length} unseen tickets right.`)

    const rows = await trainingRows((await readTickets('train')).slice(0, options.samplesMax))
    const settings = { ...automaticTrainingSettings(rows.length), ...options.settings }
    const id = randomUUID()
    const rowsFile = join(folder, 'rows.jsonl')
    await writeRowsFile(rowsFile, rows)
    const revision = await new ModelStore(storeRoot).modelHash(bundledModel)
    let status = await compute.train({
      id,
      base: { path: bundledModel, revision },
      rowsFile,
      settings,
      seed: 1,
    })
    for (let told = -1; status.state === 'running'; status = await compute.status(id)) {
      const { step, steps, loss } = status.progress
      const tenth = steps > 0 ? Math.floor((10 * step) / steps) : -1
      if (tenth > told) say(`Step ${step} of ${steps}, loss ${loss?.toFixed(3) ?? '-'}`)
      told = Math.max(told, tenth)
      await delay(200)
    }
    if (status.state !== 'ended') throw new Error('the training job was lost')
    const { outcome } = status
    if (outcome.state !== 'succeeded') {
      throw new Error(outcome.state === 'failed' ? outcome.message : 'the training was stopped')
    }
    const after = await measure(outcome.adapterPath)
    say(`After: ${after.unseen} of ${unseen.length} unseen tickets right.`)
    const tickets = { unseen: unseen.length, newWording: newWording.length }
    return { outcome, before, after, tickets }
  } finally {
    await compute.close()
    await engine.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function trainingRows(tickets: Ticket[]): Promise<TrainingRow[]> {
  const prompter = {
    tokenizer: await openTokenizer(bundledModel),
    template: await openChatTemplate(bundledModel),
  }
  const { config } = await readModelFolder(bundledModel)
  return tickets.flatMap((ticket) => {
    const { messages, ...rest } = conversationOf(ticket)
    const answered = {
      ...rest,
      messages: [
        ...messages,
        { role: 'assistant' as const, blocks: [{ type: 'text' as const, text: ticket.code }] },
      ],
    }
    const example = trainingExample(prompter, answered, config.eosTokenIds)
    return 'skipped' in example ? [] : [example]
  })
}
