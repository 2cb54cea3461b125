// Turns calls into samples: decides when a call begins, collects its answer, and hands both to the keeper once the answer
// was delivered. Nothing here waits for a database or a redaction.
import { sampleBytesMax } from '#contract/limits.ts'
import type { Caller } from '../../account/caller.ts'
import type { CallRequest } from '../../core/request.ts'
import type { StreamPart } from '../../core/stream-part.ts'
import {
  notRecorded,
  type Recorder,
  type Recording,
  type RecordingWish,
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

type BegunCall = { model: string; startedAt: Date; wish: RecordingWish }

const repeatsRemembered = 10_000

export class LoopRecorder implements Recorder {
  readonly #ports: RecorderPorts
  /** Which sample a request id of a client became, so that a repetition names the same one. */
  readonly #repeats = new Map<string, string>()

  constructor(ports: RecorderPorts) {
    this.#ports = ports
  }

  begin(caller: Caller, request: CallRequest, call: BegunCall): Recording | Promise<Recording> {
    if (call.wish.off || !this.#ports.loopOn) return notRecorded
    const rules = this.#ports.book.rulesOf(caller.workspace.id)
    if (!(rules instanceof Promise)) return this.#begin(caller, request, call, rules)
    return rules.then(
      (read) => this.#begin(caller, request, call, read),
      () => {
        const { tags } = call.wish
        // Only who asked to be recorded is known to have missed it.
        if (tags.length > 0) {
          this.#count(caller, call.model, tags.map(storableTag), 'storage_unavailable')
        }
        return notRecorded
      },
    )
  }

  #begin(caller: Caller, request: CallRequest, call: BegunCall, rules: CaptureRules): Recording {
    const { model, wish, startedAt } = call
    const { keep, unknownTags } = decideCapture(rules, { wish, model, chance: Math.random() })
    if (unknownTags.length > 0) {
      this.#count(caller, model, unknownTags.map(storableTag), 'unknown_tag')
    }
    if (!keep) return notRecorded

    const { requestId } = wish
    const workspaceId = caller.workspace.id
    const repeatKey = requestId === null ? null : `${workspaceId} ${requestId}`
    const before = repeatKey === null ? undefined : this.#repeats.get(repeatKey)
    if (before !== undefined) {
      const count = (): void => this.#count(caller, model, keep.tags, 'repeated')
      return { sampleId: before, take() {}, keep: count, void() {} }
    }
    const sampleId = newId(startedAt)
    return new CallRecording(sampleId, request, (answer, weight) => {
      if (weight > sampleBytesMax) return this.#count(caller, model, keep.tags, 'too_large')
      if (repeatKey !== null) this.#remember(repeatKey, sampleId)
      this.#ports.keeper.keep({
        id: sampleId,
        workspaceId,
        source: model,
        model,
        tags: keep.tags,
        requestId,
        request,
        answer: answer.blocks(),
        weight,
        createdAt: startedAt,
        retentionDays: keep.retentionDays,
        ...(repeatKey === null ? {} : { lost: () => this.#repeats.delete(repeatKey) }),
      })
    })
  }

  #remember(repeatKey: string, sampleId: string): void {
    if (this.#repeats.size >= repeatsRemembered) {
      const oldest = this.#repeats.keys().next().value
      if (oldest !== undefined) this.#repeats.delete(oldest)
    }
    this.#repeats.set(repeatKey, sampleId)
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
