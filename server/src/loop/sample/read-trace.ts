// One sample with its conversation and all feedback on it.
import type { Trace } from '#contract/sample.ts'
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import { listSignals } from '../feedback/signal-store.ts'
import { readText } from '../own-storage/read-text.ts'
import type { Conversation } from './conversation.ts'
import { requireSample } from './require-sample.ts'
import { type SampleRow, summaryOf } from './sample-store.ts'
import { wireConversation } from './wire-conversation.ts'

export async function readTrace(
  app: App,
  caller: Caller,
  sampleId: string,
): Promise<{ trace: Trace }> {
  return { trace: await describeSample(app, await requireSample(app, caller, sampleId)) }
}

export async function describeSample(app: App, row: SampleRow): Promise<Trace> {
  const [text, signals] = await Promise.all([
    readText(app, row),
    listSignals(app.storage.db, row.id),
  ])
  const counts = signals.find((signal) => signal.id === row.signal_id)
  return {
    ...summaryOf(row),
    ...wireConversation(JSON.parse(text) as Conversation),
    correction: counts?.correction ?? null,
    signals,
  }
}
