// A sample that an application posts itself, because the call did not go through Hone.
import type { z } from 'zod'
import { recordedRetentionDays, sampleBytesMax, tagsPerSampleMax } from '#contract/limits.ts'
import { type postTraceBody, type Trace, verdictWords } from '#contract/sample.ts'
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import { Refusal } from '../../core/refusal.ts'
import { newId } from '../../lib/id.ts'
import type { CaptureRules } from '../capture/decide-capture.ts'
import { requireSource } from '../capture/require-source.ts'
import { shapeRow } from '../import/shape-row.ts'
import { placeTexts } from '../own-storage/place-texts.ts'
import { readText } from '../own-storage/read-text.ts'
import { dropSamples } from '../retention/erase-samples.ts'
import { describeSample } from './read-trace.ts'
import { giveFeedback } from '../feedback/give-feedback.ts'
import { redactConversations } from './redact-conversation.ts'
import { redactingOrRefusing, type Redaction } from './redaction.ts'
import { requireSample } from './require-sample.ts'
import { requireStorableLabels } from './require-storable-labels.ts'
import { expiryOf, type NewSample, type NewSignal } from './sample.ts'
import { findSample, insertAliases, insertSamples, type SampleRow } from './sample-store.ts'
import { storableName } from './storable-name.ts'

type Body = z.infer<typeof postTraceBody>

export async function postTrace(app: App, caller: Caller, body: Body): Promise<{ trace: Trace }> {
  const workspaceId = caller.workspace.id
  const rules = await requireSource(app, caller, body.deployment_id)
  const conversation = readConversation(body)
  const redaction = redactingOrRefusing(app.redaction)
  const signal = await readSignal(app, caller, body, redaction)
  const [text] = await redactConversations(redaction, [conversation])
  if (!text) throw new Error('a conversation was redacted to none')
  if (text.bytes > sampleBytesMax) {
    throw new Refusal(
      'PAYLOAD_TOO_LARGE',
      `The conversation is larger than the ${sampleBytesMax} bytes a sample may have.`,
    )
  }
  const now = app.clock.now()
  const sample: NewSample = {
    id: newId(now),
    workspaceId,
    origin: 'captured',
    source: body.deployment_id,
    model: modelOf(app, body),
    tags: tagsOf(body, rules),
    requestId: body.request_id ? storableName(body.request_id) : null,
    importId: null,
    rowKey: null,
    shape: null,
    answered: conversation.answer !== null,
    text,
    objectKey: null,
    signal,
    createdAt: now,
    expiresAt: expiryOf(
      now,
      rules.bySource.get(body.deployment_id)?.retentionDays ?? recordedRetentionDays,
    ),
  }
  return { trace: await store(app, caller, sample) }
}

/** A request id that is known already names the sample it became; feedback that comes with it is feedback on that. */
async function store(app: App, caller: Caller, sample: NewSample): Promise<Trace> {
  const { placed, failure } = await placeTexts(app, sample.workspaceId, [sample])
  const [ready] = placed
  if (!ready) {
    throw new Refusal(
      'CONFLICT',
      'The conversation could not be written to your storage just now, and nothing was saved; try again, or look at GET /api/integrations/storage.',
      { extra: { reason: failure } },
    )
  }
  const { row, isNew } = await insertOrFind(app, ready)
  // What was just stored is known, so a bucket that fails from now on does not make it look unsaved.
  const text = isNew ? ready.text.conversation : await readText(app, row)
  const trace = await describeSample(app, row, text)
  const { signal, tags } = ready
  if (!signal || isNew || isSaidAlready(trace, signal)) return trace
  const { verdict, correction } = signal
  await giveFeedback(app, caller, trace.id, { verdict, correction, labels: tags })
  return describeSample(app, await requireSample(app, caller, trace.id), text)
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
    if (row) await dropSamples(app, sample.workspaceId, [row.id])
  }
  throw new Error('a sample was stored and is not there')
}

/** A post that is sent again because its answer was lost adds nothing. */
function isSaidAlready(trace: Trace, { verdict, correction }: NewSignal): boolean {
  return trace.verdict === verdict && trace.correction === correction
}

function modelOf(app: App, { model, deployment_id }: Body): string | null {
  if (model !== undefined && model !== null) return storableName(model)
  return app.catalog.find(deployment_id) ? deployment_id : null
}

function readConversation(body: Body) {
  const { messages, prompt, completion, tools } = body
  try {
    return shapeRow({ messages, prompt, completion, tools }).conversation
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
    throw new Refusal('BAD_REQUEST', 'body field feedback: edited needs a correction.')
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
  const tags = [...new Set([...own, ...(body.labels ?? [])])]
  if (tags.length <= tagsPerSampleMax) return tags
  throw new Refusal(
    'BAD_REQUEST',
    `body field labels: with the pipeline's own tag there are ${tags.length}, and at most ${tagsPerSampleMax} fit.`,
  )
}
