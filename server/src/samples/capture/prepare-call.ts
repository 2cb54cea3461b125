// A call that was handed over, as the sample it becomes: redacted and measured. Says the outcome where it becomes none.
import type { CaptureOutcome } from '#contract/capture.ts'
import { sampleBytesMax } from '#contract/limits.ts'
import { conversationOf } from '../sample/conversation.ts'
import { redactConversation, type RedactNow } from '../sample/redact-conversation.ts'
import { expiryOf, type NewSample, type SampleText } from '../sample/sample.ts'
import { storableName } from '../sample/storable-name.ts'
import type { HandedCall } from './recording-messages.ts'

export function prepareCall(text: string, redact: RedactNow): NewSample | CaptureOutcome {
  try {
    const call = JSON.parse(text) as HandedCall
    const redacted = redactConversation(conversationOf(call, call.answer), redact)
    return redacted.bytes > sampleBytesMax ? 'too_large' : newSample(call, redacted)
  } catch {
    // The message of an error could hold a piece of the conversation.
    return 'not_redacted'
  }
}

function newSample(call: HandedCall, text: SampleText): NewSample {
  const createdAt = new Date(call.createdAtMs)
  return {
    id: call.id,
    workspaceId: call.workspaceId,
    origin: 'captured',
    source: call.source,
    model: call.model,
    versionNo: call.versionNo,
    tags: call.tags,
    requestId: call.requestId === null ? null : storableName(call.requestId),
    importId: null,
    rowKey: null,
    shape: null,
    answered: true,
    text,
    objectKey: null,
    signal: null,
    createdAt,
    expiresAt: expiryOf(createdAt, call.retentionDays),
  }
}
