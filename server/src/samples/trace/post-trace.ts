// A sample that an application posts itself, because the call did not go through Hone.
import type { z } from 'zod'
import { recordedRetentionDays, sampleBytesMax } from '#contract/limits.ts'
import { type postTraceBody, type Trace, verdictWords } from '#contract/sample.ts'
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import { Refusal } from '../../core/refusal.ts'
import { grouped } from '../../lib/grouped.ts'
import { newId } from '../../lib/id.ts'
import type { CaptureRules } from '../capture/decide-capture.ts'
import { requireSource } from '../capture/require-source.ts'
import { shapeRow } from '../import/shape-row.ts'
import { writeFailureSentence } from '../own-storage/failure-reason.ts'
import { placeTexts } from '../own-storage/place-texts.ts'
import { readText } from '../own-storage/read-text.ts'
import { dropSamples } from '../retention/erase-samples.ts'
import { describeSample } from './read-trace.ts'
import { addLabels } from '../feedback/add-labels.ts'
import { giveFeedback, refuseWithoutAnswer } from '../feedback/give-feedback.ts'
import { joinLabels } from '../sample/join-labels.ts'
import { redactConversations } from '../sample/redact-conversation.ts'
import { redactingOrRefusing, type Redaction } from '../sample/redaction.ts'
import { requireSample, sampleNotFound } from '../sample/require-sample.ts'
import { requireStorableLabels } from '../sample/require-storable-labels.ts'
import { expiryOf, type NewSample, type NewSignal } from '../sample/sample.ts'
import { findSample, insertAliases, insertSamples, type SampleRow } from '../sample/sample-store.ts'
import { storableName } from '../sample/storable-name.ts'

type Body = z.infer<typeof postTraceBody>

export async function postTrace(app: App, caller: Caller, body: Body): Promise<{ trace: Trace }> {
  const workspaceId = caller.workspace.id
  const { source, rules } = await requireSource(app, caller, body.deployment_id)
  const conversation = readConversation(body)
  const redaction = redactingOrRefusing(app.samples.redaction)
  const signal = await readSignal(app, caller, body, redaction)
  if (signal) refuseWithoutAnswer(conversation.answer !== null, signal.verdict)
  const [text] = await redactConversations(redaction, [conversation])
  if (!text) throw new Error('a conversation was redacted to none')
  if (text.bytes > sampleBytesMax) {
    throw new Refusal(
      'PAYLOAD_TOO_LARGE',
      `The conversation is larger than the ${grouped(sampleBytesMax)} bytes that a sample may have.`,
    )
  }
  const now = app.clock.now()
  const sample: NewSample = {
    id: newId(now),
    workspaceId,
    origin: 'captured',
    source,
    model: modelOf(app, body),
    tags: tagsOf(body, rules),
    requestId: body.request_id ? storableName(body.request_id) : null,
    importId: null,
    versionNo: null,
    rowKey: null,
    shape: null,
    answered: conversation.answer !== null,
    text,
    objectKey: null,
    signal,
    createdAt: now,
    expiresAt: expiryOf(now, rules.bySource.get(source)?.retentionDays ?? recordedRetentionDays),
  }
  return { trace: await store(app, caller, sample) }
}

/** A request id that is known already names the sample it became; feedback that comes with it is feedback on that. */
async function store(app: App, caller: Caller, sample: NewSample): Promise<Trace> {
  const { placed, failure } = await placeTexts(app, sample.workspaceId, [sample])
  const [ready] = placed
  if (!ready) {
    const reason = failure ?? 'unreachable'
    throw new Refusal(
      'CONFLICT',
      `${writeFailureSentence(reason)}, and nothing was saved; try again, or look at GET /api/integrations/storage.`,
      { extra: { reason } },
    )
  }
  for (let tries = 1; ; tries++) {
    const { row, isNew } = await insertOrFind(app, ready)
    // What was just stored is known, so a bucket that fails from now on does not make it look unsaved.
    if (isNew) return describeSample(app, row, ready.text.conversation)
    try {
      return await addTo(app, caller, row, ready)
    } catch (error) {
      // One that was deleted meanwhile is not the sample of this request id any more.
      const isThere = await findSample(app.storage.db, row.workspace_id, row.id)
      if (!(error instanceof Refusal) || isThere || tries === triesMax) throw error
    }
  }
}

/** What a repeated post brings beside the conversation: labels are added, and feedback that was not given yet. */
async function addTo(
  app: App,
  caller: Caller,
  row: SampleRow,
  { signal, tags }: NewSample,
): Promise<Trace> {
  const text = await readText(app, row)
  const trace = await describeSample(app, row, text)
  if (signal && !isSaidAlready(trace, signal)) {
    const { verdict, correction } = signal
    await giveFeedback(app, caller, row.id, { verdict, correction, labels: tags })
  } else if (tags.some((tag) => !row.tags.includes(tag))) {
    await addLabels(app, { workspaceId: row.workspace_id, id: row.id }, tags)
  } else return trace
  return describeSample(app, await requireSample(app, caller, row.id), text)
}

/** How often it may happen that a sample goes between two statements. */
const triesMax = 3

/** The sample itself, or the one that its request id became; one of these whose time is over makes room at once. */
async function insertOrFind(
  app: App,
  sample: NewSample,
): Promise<{ row: SampleRow; isNew: boolean }> {
  for (let tries = 0; tries < triesMax; tries++) {
    const isNew = (await insertSamples(app.storage, [sample])).has(sample.id)
    if (!isNew) await insertAliases(app.storage, [sample])
    const row = await findSample(app.storage.db, sample.workspaceId, sample.id)
    if (row && row.expires_at > app.clock.now()) return { row, isNew }
    if (isNew) throw sampleNotFound()
    if (row) await dropSamples(app, sample.workspaceId, [row.id])
  }
  throw new Refusal(
    'CONFLICT',
    'The sample with this request_id was deleted while it was stored; try again.',
  )
}

/** A post that is sent again because its answer was lost adds nothing. What a judge said alike is not said by a person yet. */
function isSaidAlready(trace: Trace, { verdict, correction, givenBy }: NewSignal): boolean {
  return (
    trace.verdict === verdict && trace.correction === correction && trace.verdict_by === givenBy
  )
}

function modelOf(app: App, { model, deployment_id }: Body): string | null {
  if (model !== undefined && model !== null) return storableName(model)
  return app.catalog.find(deployment_id) ? deployment_id : null
}

function readConversation(body: Body) {
  const { messages, prompt, completion, system, tools, functions } = body
  try {
    return shapeRow({ messages, prompt, completion, system, tools, functions }).conversation
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new Refusal('BAD_REQUEST', error.message.replace(/^The row\b/, 'The body'))
  }
}

async function readSignal(
  app: App,
  caller: Caller,
  { feedback }: Body,
  redaction: Redaction,
): Promise<NewSignal | null> {
  if (feedback === undefined || feedback === null) return null
  const given = typeof feedback === 'string' ? { verdict: feedback, correction: null } : feedback
  const correction = given.correction ?? null
  if (verdictWords[given.verdict] === 'edited' && correction === null) {
    throw new Refusal(
      'BAD_REQUEST',
      'body field feedback: edited needs a correction; send {"verdict": "edited", "correction": "..."}.',
    )
  }
  return {
    id: newId(app.clock.now()),
    verdict: verdictWords[given.verdict],
    correction: correction === null ? null : await redaction.redact(correction),
    givenBy: 'person',
    gold: true,
    userId: caller.user.id,
    keyId: caller.key?.id ?? null,
  }
}

/** A pipeline's own source puts its tag on what comes from it. */
function tagsOf(body: Body, rules: CaptureRules): string[] {
  requireStorableLabels(body.labels ?? [])
  const own = rules.tags.has(body.deployment_id) ? [body.deployment_id] : []
  return joinLabels(own, body.labels ?? [])
}
