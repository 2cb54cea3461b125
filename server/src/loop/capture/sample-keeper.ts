// Stores what was recorded, behind the calls: redacts in groups, puts texts where they belong, writes in groups. What
// waits is bounded in memory; what cannot be stored is counted, with the reason, and never felt by a call.
import { sampleBytesMax } from '#contract/limits.ts'
import type { CaptureOutcome } from '#contract/capture.ts'
import type { Logger } from 'pino'
import type { Block } from '../../core/block.ts'
import type { CallRequest } from '../../core/request.ts'
import type { Storage } from '../../storage/open-storage.ts'
import type { Redaction } from '../sample/redaction.ts'
import { conversationOf } from '../sample/conversation.ts'
import { redactConversations } from '../sample/redact-conversation.ts'
import { expiryOf, type NewSample, type SampleText } from '../sample/sample.ts'
import { insertAliases, insertSamples } from '../sample/sample-store.ts'
import type { CaptureCounter } from './capture-counter.ts'

export type KeptCall = {
  id: string
  workspaceId: string
  source: string
  model: string
  tags: string[]
  requestId: string | null
  request: CallRequest
  answer: Block[]
  /** In characters. */
  weight: number
  createdAt: Date
  retentionDays: number
  /** Told when it was not stored, so that the same request may still be recorded when it comes again. */
  lost?: () => void
}

export type PlaceTexts = (
  workspaceId: string,
  samples: NewSample[],
) => Promise<{ placed: NewSample[]; failed: NewSample[] }>

export type KeeperPorts = {
  storage: Pick<Storage, 'pool'>
  counter: CaptureCounter
  redaction: Redaction
  placeTexts: PlaceTexts
  log: Logger
}

const groupCallsMax = 256
const groupWeightMax = 2 * 1024 * 1024
const waitingCallsMax = 20_000
const waitingWeightMax = 64 * 1024 * 1024
/** A database that is away for longer costs samples, not memory. */
const triesMax = 10
const retryMs = 500

export class SampleKeeper {
  readonly #ports: KeeperPorts
  #waiting: KeptCall[] = []
  #calls = 0
  #weight = 0
  #working: Promise<void> | null = null
  readonly #storing = new Set<Promise<void>>()
  #closing = false

  constructor(ports: KeeperPorts) {
    this.#ports = ports
  }

  keep(call: KeptCall): void {
    if (this.#calls >= waitingCallsMax || this.#weight + call.weight > waitingWeightMax) {
      return this.#count(call, 'overloaded')
    }
    this.#calls += 1
    this.#weight += call.weight
    this.#waiting.push(call)
    // In a later turn, so that whoever delivers an answer is done with it first.
    this.#working ??= new Promise((resolve) => setImmediate(resolve)).then(() => this.#work())
  }

  /** Resolves when everything kept so far was stored or counted; no more waiting for a database that is away. */
  async close(): Promise<void> {
    this.#closing = true
    await this.drained()
  }

  async drained(): Promise<void> {
    while (this.#working || this.#storing.size > 0) {
      await this.#working
      await Promise.all(this.#storing)
    }
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) await this.#keepGroup(this.#nextGroup())
    this.#working = null
  }

  #nextGroup(): KeptCall[] {
    let weight = 0
    let count = 0
    for (const call of this.#waiting) {
      weight += call.weight
      if (count === groupCallsMax || (count > 0 && weight > groupWeightMax)) break
      count += 1
    }
    return this.#waiting.splice(0, count)
  }

  async #keepGroup(group: KeptCall[]): Promise<void> {
    const ready: { call: KeptCall; sample: NewSample }[] = []
    for (const [call, text] of await this.#redact(group)) {
      if (text === null) this.#finish(call, 'not_redacted')
      else if (text.bytes > sampleBytesMax) this.#finish(call, 'too_large')
      else ready.push({ call, sample: newSample(call, text) })
    }
    const byWorkspace = Map.groupBy(ready, ({ call }) => call.workspaceId)
    for (const [workspaceId, members] of byWorkspace) {
      const storing = this.#store(workspaceId, members).catch((error: unknown) => {
        this.#ports.log.error({ err: error }, 'recorded calls could not be stored')
        for (const { call } of members) this.#finish(call, 'storage_unavailable')
      })
      this.#storing.add(storing)
      void storing.then(() => this.#storing.delete(storing))
    }
    // A workspace's slow bucket must not hold up the others, but a database must not be flooded either.
    if (this.#storing.size > 4) await Promise.race(this.#storing)
  }

  /** One conversation that cannot be redacted in time must not take its neighbours along. */
  async #redact(group: KeptCall[]): Promise<[KeptCall, SampleText | null][]> {
    try {
      const texts = await redactConversations(
        this.#ports.redaction,
        group.map((call) => conversationOf(call.request, call.answer)),
      )
      return group.map((call, index) => [call, texts[index] ?? null])
    } catch (error) {
      const [only] = group
      if (group.length === 1 && only) {
        this.#ports.log.warn(
          { err: error },
          'a recorded call could not be redacted and is not kept',
        )
        return [[only, null]]
      }
      const each: [KeptCall, SampleText | null][] = []
      for (const call of group) each.push(...(await this.#redact([call])))
      return each
    }
  }

  async #store(
    workspaceId: string,
    members: { call: KeptCall; sample: NewSample }[],
  ): Promise<void> {
    const callOf = new Map(members.map(({ call }) => [call.id, call]))
    const { placed, failed } = await this.#ports.placeTexts(
      workspaceId,
      members.map(({ sample }) => sample),
    )
    for (const sample of failed) this.#finishOf(callOf, sample, 'own_storage_unavailable')
    if (placed.length === 0) return
    const stored = await this.#insert(placed)
    for (const sample of placed) {
      this.#finishOf(callOf, sample, stored.has(sample.id) ? 'recorded' : 'repeated')
    }
  }

  /** The ids that are in the table now under their own name. */
  async #insert(samples: NewSample[]): Promise<Set<string>> {
    for (let tries = 1; ; tries++) {
      try {
        const stored = await insertSamples(this.#ports.storage, samples)
        const others = samples.filter(({ id }) => !stored.has(id))
        if (others.length === 0) return stored
        // Either the same request came before, or an earlier try did store it and its reply was lost.
        const aliased = await insertAliases(this.#ports.storage, others)
        return new Set(samples.flatMap(({ id }) => (aliased.has(id) ? [] : [id])))
      } catch (error) {
        if (tries === triesMax || this.#closing) throw error
        await new Promise((resolve) => setTimeout(resolve, retryMs * tries))
      }
    }
  }

  #finishOf(
    callOf: ReadonlyMap<string, KeptCall>,
    sample: NewSample,
    outcome: CaptureOutcome,
  ): void {
    const call = callOf.get(sample.id)
    if (call) this.#finish(call, outcome)
  }

  #finish(call: KeptCall, outcome: CaptureOutcome): void {
    this.#calls -= 1
    this.#weight -= call.weight
    this.#count(call, outcome)
  }

  #count({ workspaceId, source, tags, lost }: KeptCall, outcome: CaptureOutcome): void {
    const recorded = outcome === 'recorded'
    if (!recorded && outcome !== 'repeated') lost?.()
    this.#ports.counter.count({ workspaceId, source, tags: recorded ? [] : tags }, outcome)
  }
}

function newSample(call: KeptCall, text: SampleText): NewSample {
  return {
    id: call.id,
    workspaceId: call.workspaceId,
    origin: 'captured',
    source: call.source,
    model: call.model,
    tags: call.tags,
    requestId: call.requestId,
    importId: null,
    rowKey: null,
    shape: null,
    answered: true,
    text,
    objectKey: null,
    signal: null,
    createdAt: call.createdAt,
    expiresAt: expiryOf(call.createdAt, call.retentionDays),
  }
}
