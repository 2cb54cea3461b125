// Feedback of a person on a sample: it is added to what there is, and the newest of a person counts (Spec 2, sample).
import type { Transaction } from 'kysely'
import type { z } from 'zod'
import { correctionBytesPerSampleMax, signalsPerSampleMax } from '#contract/limits.ts'
import {
  type Signal,
  type signalBody,
  type TraceSummary,
  type Verdict,
  verdictWords,
} from '#contract/sample.ts'
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import { Refusal } from '../../core/refusal.ts'
import { grouped } from '../../lib/grouped.ts'
import { newId } from '../../lib/id.ts'
import type { Database } from '../../storage/schema.ts'
import { joinLabels } from '../sample/join-labels.ts'
import { requireStorableLabels } from '../sample/require-storable-labels.ts'
import { redactingOrRefusing } from '../sample/redaction.ts'
import { lockSample, summaryOf } from '../sample/sample-store.ts'
import { requireSampleOrWait, sampleNotFound } from '../sample/require-sample.ts'
import { insertSignal, type SignalRow, shownSignal, weighSignals } from './signal-store.ts'

export async function giveFeedback(
  app: App,
  caller: Caller,
  sampleId: string,
  body: z.infer<typeof signalBody>,
): Promise<{ signal: Signal; trace: TraceSummary }> {
  const { id } = await requireSampleOrWait(app, caller, sampleId)
  requireStorableLabels(body.labels ?? [])
  const correction = body.correction ?? null
  const redacted =
    correction === null ? null : await redactingOrRefusing(app.samples.redaction).redact(correction)
  return app.storage.db.transaction().execute(async (tx) => {
    const sample = await lockSample(tx, caller.workspace.id, id)
    // Taken under the lock, so that the order of ids is the order in which feedback came to count.
    const now = app.clock.now()
    if (!sample || sample.expires_at <= now) throw sampleNotFound()
    refuseWithoutAnswer(sample.answered, verdictWords[body.verdict])
    const tags = joinLabels(sample.tags, body.labels ?? [])
    await refuseTooMuch(tx, id, redacted)
    const row: SignalRow = {
      id: newId(now),
      workspace_id: caller.workspace.id,
      sample_id: id,
      verdict: verdictWords[body.verdict],
      correction: redacted,
      given_by: 'person',
      gold: true,
      score: null,
      user_id: caller.user.id,
      key_id: caller.key?.id ?? null,
      created_at: now,
    }
    return {
      signal: shownSignal(row),
      trace: summaryOf(await insertSignal(tx, sample, row, tags)),
    }
  })
}

/** What nobody answered is neither good nor bad; a correction is the right answer to it, as the ground truth of an import is. */
export function refuseWithoutAnswer(answered: boolean, verdict: Verdict): void {
  if (answered || verdict === 'edited') return
  throw new Refusal(
    'BAD_REQUEST',
    `body field verdict: ${verdict} judges an answer, but the sample has none; send the right answer as a correction, with the verdict edited.`,
  )
}

async function refuseTooMuch(
  tx: Transaction<Database>,
  sampleId: string,
  correction: string | null,
): Promise<void> {
  const { signals, correctionBytes } = await weighSignals(tx, sampleId)
  if (signals >= signalsPerSampleMax) {
    throw new Refusal(
      'BAD_REQUEST',
      `The sample already has ${grouped(signals)} entries of feedback, and at most ${grouped(signalsPerSampleMax)} are stored.`,
    )
  }
  if (correctionBytes + Buffer.byteLength(correction ?? '') > correctionBytesPerSampleMax) {
    throw new Refusal(
      'PAYLOAD_TOO_LARGE',
      `body field correction: the corrections of a sample may have ${grouped(correctionBytesPerSampleMax)} bytes in total, and ${grouped(correctionBytes)} are already used.`,
    )
  }
}
