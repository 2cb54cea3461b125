// Turns calls into samples: decides when a call begins, collects its answer, and hands both to the keeper once the answer
// was delivered. Nothing here waits for a database or a redaction.
import { sampleBytesMax } from '#contract/limits.ts'
import type { Caller } from '../../account/caller.ts'
import type { CallRequest } from '../../core/request.ts'
import type { StreamPart } from '../../core/stream-part.ts'
import {
  notRecorded,
  type RecordedCall,
  type Recorder,
  type Recording,
} from '../../inference/recorder.ts'
import { newId } from '../../lib/id.ts'
import { storableTag } from '../sample/storable-name.ts'
import { weigh } from '../sample/weigh.ts'
import { AnswerCollector } from './answer-collector.ts'
import type { CaptureBook } from './capture-book.ts'
import type { CaptureCounter } from './capture-counter.ts'
import { type CaptureRules, decideCapture } from './decide-capture.ts'
import type { SampleKeeper } from './sample-keeper.ts'

export type RecorderPorts = {
  book: CaptureBook
  counter: CaptureCounter
  keeper: SampleKeeper
  /** False while the platform has the loop switched off. */
  loopOn: boolean
}

/** How many tags of one call are counted by name when none of them is a pipeline's. */
const tagsCountedMax = 100

export class LoopRecorder implements Recorder {
  readonly #ports: RecorderPorts

  constructor(ports: RecorderPorts) {
    this.#ports = ports
  }

  async begin(caller: Caller, request: CallRequest, call: RecordedCall): Promise<Recording> {
    if (call.wish.off || !this.#ports.loopOn) return notRecorded
    try {
      const rules = await this.#ports.book.rulesOf(caller.workspace.id)
      return this.#begin(caller, request, call, rules)
    } catch {
      const { tags } = call.wish
      // Only who asked to be recorded is known to have missed it.
      if (tags.length > 0) {
        this.#count(caller, call.source.name, storableTags(tags), 'storage_unavailable')
      }
      return notRecorded
    }
  }

  #begin(caller: Caller, request: CallRequest, call: RecordedCall, rules: CaptureRules): Recording {
    const { model, wish, startedAt } = call
    const source = call.source.name
    const workspaceId = caller.workspace.id
    const { keep, unknownTags } = decideCapture(rules, {
      wish,
      source: call.source,
      chance: Math.random(),
    })
    if (unknownTags.length > 0) {
      const about = { workspaceId, source, tags: storableTags(unknownTags) }
      this.#ports.counter.count(about, 'unknown_tag', { missed: keep === null })
    }
    if (!keep) return notRecorded
    if (keep.leftOut.length > 0) {
      const about = { workspaceId, source, tags: storableTags(keep.leftOut) }
      this.#ports.counter.count(about, 'too_many_tags', { missed: false })
    }

    const sampleId = newId(startedAt)
    return new CallRecording(sampleId, request, (answer, weight) => {
      if (weight > sampleBytesMax) return this.#count(caller, source, keep.tags, 'too_large')
      this.#ports.keeper.keep({
        id: sampleId,
        workspaceId,
        source,
        model,
        versionNo: call.source.versionNo,
        tags: keep.tags,
        // Whether it is a repetition is for the database to say, which also knows what was deleted.
        requestId: wish.requestId,
        request,
        answer: answer.written(),
        weight,
        createdAt: startedAt,
        retentionDays: keep.retentionDays,
      })
    })
  }

  #count(
    caller: Caller,
    source: string,
    tags: readonly string[],
    outcome: Parameters<CaptureCounter['count']>[1],
  ): void {
    this.#ports.counter.count({ workspaceId: caller.workspace.id, source, tags }, outcome)
  }
}

function storableTags(tags: readonly string[]): string[] {
  return tags.slice(0, tagsCountedMax).map(storableTag)
}

/** Collects an answer. What the call weighs is asked only once it was delivered, when nobody waits any more. */
class CallRecording implements Recording {
  readonly sampleId: string
  readonly #request: CallRequest
  readonly #kept: (answer: AnswerCollector, weight: number) => void
  readonly #answer = new AnswerCollector()

  constructor(
    sampleId: string,
    request: CallRequest,
    kept: (answer: AnswerCollector, weight: number) => void,
  ) {
    this.sampleId = sampleId
    this.#request = request
    this.#kept = kept
  }

  take(part: StreamPart): void {
    if (this.#answer.characters <= sampleBytesMax) this.#answer.take(part)
  }

  keep(): void {
    this.#kept(this.#answer, this.#answer.characters + weigh(this.#request))
  }

  void(): void {}
}
