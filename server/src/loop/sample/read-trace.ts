// One sample with its conversation and the newest feedback on it.
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
  const row = await requireSample(app, caller, sampleId)
  return { trace: await describeSample(app, row, await readText(app, row)) }
}

export async function describeSample(app: App, row: SampleRow, text: string): Promise<Trace> {
  const { signals, total, correction } = await listSignals(app.storage.db, row.id, row.signal_id)
  return {
    ...summaryOf(row),
    ...wireConversation(JSON.parse(text) as Conversation),
    correction,
    signals,
    signals_total: total,
  }
}
