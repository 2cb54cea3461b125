// The main thread's part of recording: writes delivered calls out, hands them to the thread that records, many at a time,
// and counts what became of each. What waits is bounded in memory; what cannot be stored is counted, with the reason, and
// never felt by a call.
import type { CaptureOutcome } from '#contract/capture.ts'
import type { Logger } from 'pino'
import type { CallRequest } from '../../core/request.ts'
import type { Clock } from '../../lib/clock.ts'
import { writeAround } from '../../lib/json-in-json.ts'
import type { WrittenAnswer } from './answer-collector.ts'
import type { CaptureCounter } from './capture-counter.ts'
import { giveWayMs } from './give-way.ts'
import { type Death, type LinkOptions, RecordingLink } from './recording-link.ts'
import type {
  FromRecordingThread,
  HandedCall,
  HandedText,
  RecordingSettings,
} from './recording-messages.ts'
import { TextArena } from './text-arena.ts'

export type KeptCall = {
  id: string
  workspaceId: string
  source: string
  model: string
  versionNo: number | null
  tags: string[]
  requestId: string | null
  request: Pick<CallRequest, 'tools' | 'system' | 'messages'>
  answer: WrittenAnswer
  /** In characters. */
  weight: number
  createdAt: Date
  retentionDays: number
}

export type KeeperPorts = {
  settings: RecordingSettings
  counter: CaptureCounter
  clock: Clock
  log: Logger
  /** How much of its time the thread that serves calls has something to do, 0 to 1. */
  busyShare(): number
}

/** A call on its way, without what its text holds already. */
type Passing = Pick<KeptCall, 'workspaceId' | 'source' | 'tags' | 'weight'> & {
  number: number
  text: HandedText
  sinceMs: number
  /** It was being redacted when a thread died, and goes alone to the next. */
  isSuspect: boolean
  /** Of threads that died for no known reason. */
  deaths: number
}

const waitingCallsMax = 80_000
const waitingWeightMax = 128 * 1024 * 1024
/** Calls that are delivered meanwhile go together. */
const lingerMs = 100
const handoverCallsMax = 256
const handoverWeightMax = 512 * 1024
/** What the thread has no room for yet; more would only wait there instead of here. */
const untakenMax = 2
const deathsMax = 3
const restMs = 250
const restMsMax = 10_000
const numberMax = 0x7fff_ffff

export class SampleKeeper {
  readonly #ports: KeeperPorts
  readonly #link: RecordingLink
  #arena = new TextArena()
  #waiting: Passing[] = []
  #waitingWeight = 0
  readonly #handed = new Map<number, Passing>()
  #untaken = 0
  #numbers = 0
  #calls = 0
  #weight = 0
  #timer: { handle: NodeJS.Timeout; soon: boolean } | null = null
  #lingerUntilMs = 0
  #givesWay = false
  #restUntilMs = 0
  #deathsInARow = 0
  #closing = false
  #drained: PromiseWithResolvers<void> | null = null

  constructor(ports: KeeperPorts, options: Partial<LinkOptions> = {}) {
    this.#ports = ports
    this.#link = new RecordingLink(
      {
        settings: ports.settings,
        texts: () => this.#arena.memory,
        receive: (message) => this.#receive(message),
        died: (death) => this.#goOnAfter(death),
      },
      options,
    )
  }

  keep(call: KeptCall): void {
    if (this.#calls >= waitingCallsMax || this.#weight + call.weight > waitingWeightMax) {
      return this.#count(call, 'overloaded')
    }
    const text = writtenOut(call)
    if (text === null) return this.#count(call, 'not_redacted')
    const { workspaceId, source, tags } = call
    const place = this.#arena.write(text)
    // What has to be escaped grows when it is written out. A string in the heap may take two bytes for a character.
    const weight = Math.max(call.weight, place ? place.bytes : 2 * text.length)
    this.#numbers = (this.#numbers % numberMax) + 1
    this.#calls += 1
    this.#weight += weight
    this.#waitingWeight += weight
    this.#waiting.push({
      number: this.#numbers,
      text: place ?? text,
      sinceMs: this.#ports.clock.monotonicMs(),
      workspaceId,
      source,
      tags,
      weight,
      isSuspect: false,
      deaths: 0,
    })
    this.#schedule()
  }

  /** The buckets of a workspace, or of any, may be others now. */
  ownStorageChanged(workspaceId: string | null): void {
    this.#link.tell({ type: 'own-storage-changed', workspaceId })
  }

  /** Resolves when everything kept so far was stored or counted; no more waiting for a database that is away. */
  async close(): Promise<void> {
    this.#closing = true
    this.#link.tell({ type: 'hurry' })
    if (this.#timer) clearTimeout(this.#timer.handle)
    this.#timer = null
    this.#schedule()
    await this.drained()
    await this.#link.end()
  }

  async drained(): Promise<void> {
    if (this.#calls === 0) return
    this.#drained ??= Promise.withResolvers()
    await this.#drained.promise
  }

  /** The first call after a pause goes at once, later ones in groups, and never in the turn that delivers an answer. */
  #schedule(): void {
    if (this.#waiting.length === 0 || this.#untaken >= untakenMax) return
    const fillsGroup =
      this.#waiting.length >= handoverCallsMax || this.#waitingWeight >= handoverWeightMax
    const soon = this.#closing || (fillsGroup && !this.#givesWay)
    if (this.#timer && (this.#timer.soon || !soon)) return
    if (this.#timer) clearTimeout(this.#timer.handle)
    const now = performance.now()
    const rest = this.#closing ? 0 : this.#restUntilMs - now
    const waitMs = Math.max(soon ? 0 : this.#lingerUntilMs - now, rest, 0)
    this.#timer = { handle: setTimeout(() => this.#handOverOrWait(), waitMs), soon }
  }

  #handOverOrWait(): void {
    this.#timer = null
    const waitMs = this.#closing ? 0 : this.#giveWayMs()
    this.#givesWay = waitMs > 0
    if (!this.#givesWay) return this.#handOver()
    this.#lingerUntilMs = performance.now() + waitMs
    this.#schedule()
  }

  #giveWayMs(): number {
    const oldest = this.#waiting[0]
    return giveWayMs({
      busyShare: this.#ports.busyShare(),
      filledShare: Math.max(this.#calls / waitingCallsMax, this.#weight / waitingWeightMax),
      oldestMs: oldest ? this.#ports.clock.monotonicMs() - oldest.sinceMs : 0,
    })
  }

  #handOver(): void {
    const group = this.#nextGroup()
    for (const call of group) this.#handed.set(call.number, call)
    this.#untaken += 1
    this.#lingerUntilMs = performance.now() + lingerMs
    this.#link.send({
      type: 'calls',
      calls: group.map(({ number, text }) => ({ number, text })),
      nowMs: this.#ports.clock.now().getTime(),
    })
    if (this.#closing) this.#link.tell({ type: 'hurry' })
    this.#link.busy(true)
    this.#schedule()
  }

  #nextGroup(): Passing[] {
    let weight = 0
    let count = 0
    for (const call of this.#waiting) {
      const fits = weight + call.weight <= handoverWeightMax && !call.isSuspect
      if (count === handoverCallsMax || (count > 0 && !fits)) break
      weight += call.weight
      count += 1
      if (call.isSuspect) break
    }
    this.#waitingWeight -= weight
    return this.#waiting.splice(0, count)
  }

  #receive(message: FromRecordingThread): void {
    switch (message.type) {
      case 'taken':
        this.#untaken = Math.max(0, this.#untaken - 1)
        return this.#schedule()
      case 'outcomes':
        this.#deathsInARow = 0
        for (const { number, outcome } of message.outcomes) this.#finish(number, outcome)
        if (this.#handed.size === 0) this.#link.busy(false)
        return
      case 'warning':
        this.#ports.log.warn(message.about, message.sentence)
    }
  }

  /**
   * Whatever the thread had not answered for goes to another one. A call that was too slow is given up, and so is one
   * over which two threads died; nobody else is lost with them. What was stored already is not stored twice, because its id
   * is its name.
   */
  #goOnAfter({ call: suspect, why }: Death): void {
    this.#ports.log.warn({ why }, 'the thread that records calls is replaced')
    this.#untaken = 0
    this.#deathsInARow += 1
    if (this.#deathsInARow > 1) {
      const pauseMs = Math.min(restMsMax, restMs * 2 ** (this.#deathsInARow - 2))
      this.#restUntilMs = performance.now() + pauseMs
    }
    const again: Passing[] = []
    const nobodyKnown = !this.#handed.has(suspect)
    for (const call of this.#handed.values()) {
      const isSuspect = call.number === suspect
      if (nobodyKnown) call.deaths += 1
      if (isSuspect && (why === 'late' || call.isSuspect)) this.#finish(call.number, 'not_redacted')
      else if (call.deaths === deathsMax) this.#finish(call.number, 'storage_unavailable')
      else again.push({ ...call, isSuspect: isSuspect || call.isSuspect })
    }
    this.#handed.clear()
    this.#waiting = [...again, ...this.#waiting]
    for (const { weight } of again) this.#waitingWeight += weight
    if (this.#closing && nobodyKnown && this.#deathsInARow >= deathsMax) return this.#giveUp()
    if (why === 'late') this.#moveTexts()
    this.#schedule()
  }

  /** No thread lives for long enough to be told anything, and a stop does not wait for hundreds of them. */
  #giveUp(): void {
    const lost = this.#waiting
    this.#waiting = []
    this.#waitingWeight = 0
    for (const call of lost) this.#handed.set(call.number, call)
    for (const { number } of lost) this.#finish(number, 'storage_unavailable')
  }

  /** A thread that is being ended may read on for a moment, and must not find there what comes next. */
  #moveTexts(): void {
    const before = this.#arena
    this.#arena = new TextArena()
    for (const call of this.#waiting) {
      if (typeof call.text === 'string') continue
      const text = before.read(call.text)
      call.text = this.#arena.write(text) ?? text
    }
  }

  #finish(number: number, outcome: CaptureOutcome): void {
    const call = this.#handed.get(number)
    if (!call) return
    this.#handed.delete(number)
    if (typeof call.text !== 'string') this.#arena.free(call.text)
    this.#calls -= 1
    this.#weight -= call.weight
    this.#count(call, outcome)
    if (this.#calls > 0) return
    this.#drained?.resolve()
    this.#drained = null
  }

  #count(
    { workspaceId, source, tags }: Pick<Passing, 'workspaceId' | 'source' | 'tags'>,
    outcome: CaptureOutcome,
  ): void {
    const recorded = outcome === 'recorded'
    this.#ports.counter.count({ workspaceId, source, tags: recorded ? [] : tags }, outcome)
  }
}

/** Null for what is nested too deeply to be written. */
function writtenOut(call: KeptCall): string | null {
  const handed: HandedCall = {
    id: call.id,
    workspaceId: call.workspaceId,
    source: call.source,
    model: call.model,
    versionNo: call.versionNo,
    tags: call.tags,
    requestId: call.requestId,
    createdAtMs: call.createdAt.getTime(),
    retentionDays: call.retentionDays,
    tools: call.request.tools,
    system: call.request.system,
    messages: call.request.messages,
    answer: call.answer.blocks,
  }
  try {
    return writeAround(handed, call.answer.text === null ? [] : [call.answer.text])
  } catch {
    return null
  }
}
