// One sample with its conversation and the newest feedback on it.
import type { Trace } from '#contract/sample.ts'
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import { listSignals } from '../feedback/signal-store.ts'
import { readText } from '../own-storage/read-text.ts'
import { requireSample } from '../sample/require-sample.ts'
import { type SampleRow, summaryOf } from '../sample/sample-store.ts'
import { readStoredText } from '../sample/stored-text.ts'
import { wireConversation } from '../sample/wire-conversation.ts'

export async function readTrace(
  app: App,
  caller: Caller,
  sampleId: string,
): Promise<{ trace: Trace }> {
  const row = await requireSample(app, caller, sampleId)
  try {
    return { trace: await describeSample(app, row, await readText(app, row)) }
  } catch (error) {
    // The text of a sample that was deleted meanwhile is not missing.
    await requireSample(app, caller, sampleId)
    throw error
  }
}

export async function describeSample(app: App, row: SampleRow, text: string): Promise<Trace> {
  const { signals, total, correction } = await listSignals(app.storage.db, row.id, row.signal_id)
  return {
    ...summaryOf(row),
    ...wireConversation(readStoredText(text)),
    correction,
    signals,
    signals_total: total,
  }
}
