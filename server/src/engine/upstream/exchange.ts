// One request to a model server and its answer, as the parts that came together. What arrives waits here as bytes until
// somebody asks, and beyond a bound the server is made to wait; who leaves early cancels, and who has read to the end
// gives the connection back.
import { type Dispatcher, errors } from 'undici'
import type { StreamPart } from '../../core/stream-part.ts'
import { SharedInterval } from '../../lib/shared-interval.ts'
import { SseReader, SseTooLarge } from '../../lib/sse.ts'
import { TickBatch } from '../../lib/tick-batch.ts'
import { Utf8Text } from '../../lib/utf8-text.ts'
import { failureOfError, failureOfStatus } from './failures.ts'
import { isLossOfKept } from './kept-connections.ts'
import { notAnAnswer } from './read-json.ts'
import { failureOfRefusal, isRefusal } from './refusals.ts'
import { tellForm } from './tell-form.ts'

/** What a dialect makes of an answer. It adds parts to a list, so that those before an error are not lost. */
export interface AnswerReader {
  /** One record of a stream; true once it was the last that counts. */
  record(data: string, into: StreamPart[]): boolean
  /** An answer that came as one text. */
  whole(text: string, into: StreamPart[]): void
  /** The stream ended, and no record had said so. */
  end(into: StreamPart[]): void
}

const recordBytesMax = 1024 * 1024
const wholeBytesMax = 1024 * 1024
/** Of a stream in all, however few tokens were asked for, and for each of them: some servers say so much around every one. */
const streamBytesMin = 64 * 1024 * 1024
const streamBytesPerToken = 1024
/** From here on the server waits until somebody reads. */
const waitingBytesMax = 64 * 1024
/** What may follow the end of an answer before the connection is closed instead of kept. */
const afterBytesMax = 16 * 1024
const afterMs = 1000
/** What is read of a refusal before it is decided by what came. */
const refusalBytesMax = 16 * 1024
const refusalMs = 1000

/** Some gateways have created an answer; the last is Portkey's, for one that its guardrails let pass under protest. */
const answers = [200, 201, 246]

/** Most answers have come with their head, so that one timer for all is cheaper than one for each. */
const untilFirstWords = new SharedInterval(250)

/** Answers whose servers said something in the same tick are read together. */
const heard = new TickBatch()

type Controller = Dispatcher.DispatchController

/** How long a server may send nothing that says anything, until its first words and from then on, and the tokens it was asked for. */
export type Patience = { firstMs: number; silenceMs: number; maxTokens: number }

export interface Sender {
  send(request: Dispatcher.DispatchOptions, exchange: Exchange): void
  /** Once more, on a connection of its own. */
  sendAgain(request: Dispatcher.DispatchOptions, exchange: Exchange): void
  /** With that head, whatever its status. */
  answered(head: Record<string, string | string[] | undefined>): void
}

export class Exchange implements Dispatcher.DispatchHandler, AsyncIterableIterator<StreamPart[]> {
  readonly #reader: AnswerReader
  readonly #signal: AbortSignal
  readonly #wantsWhole: boolean
  /** Kept until something came back. */
  #request: Dispatcher.DispatchOptions | null
  readonly #sender: Sender
  #sent = false
  #controller: Controller | null = null
  /** Null while the answer is read as one text. */
  #sse: SseReader | null = null
  #knowsForm = false
  #pieces: Buffer[] = []
  #waitingBytes = 0
  #answerBytes = 0
  /** The status of a refusal while its reason is read. */
  #refusing: number | null = null
  #refusalTimer: NodeJS.Timeout | null = null
  /** The server has said all. */
  #ended = false
  #failure: Error | null = null
  /** Nobody reads any more. */
  #over = false
  #afterBytes = 0
  #afterTimer: NodeJS.Timeout | null = null
  #wake: (() => void) | null = null
  readonly #patience: Patience
  /** When its first words are late, counted from the head of the answer. */
  #lateMs = Infinity
  #isLate = false
  #saidSomething = false
  /** Since when it sends comments and the like between its words. */
  #idleSinceMs: number | null = null

  constructor(
    reader: AnswerReader,
    signal: AbortSignal,
    wantsWhole: boolean,
    request: Dispatcher.DispatchOptions,
    sender: Sender,
    patience: Patience,
  ) {
    this.#patience = patience
    this.#reader = reader
    this.#signal = signal
    this.#wantsWhole = wantsWhole
    this.#request = request
    this.#sender = sender
    signal.addEventListener('abort', this.#onAbort)
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<StreamPart[], undefined>> {
    if (!this.#sent) this.#send()
    for (;;) {
      if (this.#over) return { done: true, value: undefined }
      if (this.#signal.aborted) this.#fail(this.#signal.reason as Error)
      else if (this.#canRead()) {
        const group = this.#read()
        if (group.length > 0) {
          this.#saidSomething = true
          this.#idleSinceMs = null
          this.#stopFirst()
          return { done: false, value: group }
        }
        this.#checkPatience()
        continue
      }
      if (this.#failure !== null) {
        this.#leave()
        throw this.#failure
      }
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  /** Proxies keep a connection open with comments, also before a model that is gone. */
  #checkPatience(): void {
    if (this.#over || this.#ended) return
    if (!this.#saidSomething) {
      if (this.#isLate) this.#giveUp()
      return
    }
    const now = performance.now()
    this.#idleSinceMs ??= now
    if (now - this.#idleSinceMs >= this.#patience.silenceMs) this.#giveUp()
  }

  /** Some servers send the head of an answer at once, and are gone before its first word. */
  readonly #checkFirst = (): void => {
    if (performance.now() < this.#lateMs) return
    this.#stopFirst()
    // After a turn that took long its first words may be there, and unread.
    setImmediate(() => {
      this.#isLate = true
      const isSilent = !this.#saidSomething && this.#pieces.length === 0
      if (isSilent && !this.#over && !this.#ended) this.#giveUp()
    })
  }

  #giveUp(): void {
    this.#fail(failureOfError(new errors.BodyTimeoutError()))
    this.#cancel()
  }

  /** Cancels what is still to come; nothing when all was read. */
  return(): Promise<IteratorResult<StreamPart[], undefined>> {
    if (!this.#over) {
      this.#leave()
      if (!this.#ended) this.#cancel()
    }
    return Promise.resolve({ done: true, value: undefined })
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller
    if (this.#over || this.#failure !== null) this.#cancel()
  }

  onResponseStart(
    _controller: Controller,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#request = null
    if (status < 200) return
    this.#sender.answered(headers)
    if (isRefusal(status)) return this.#startRefusal(status)
    if (!answers.includes(status)) {
      return this.#fail(failureOfStatus(status, headers['retry-after']))
    }
    if (!this.#wantsWhole) this.#sse = new SseReader(recordBytesMax)
    this.#lateMs = performance.now() + this.#patience.firstMs
    untilFirstWords.add(this.#checkFirst)
  }

  onResponseData(controller: Controller, piece: Buffer): void {
    if (this.#over || this.#failure !== null) {
      this.#afterBytes += piece.length
      if (this.#afterBytes > afterBytesMax) this.#cancel()
      return
    }
    if (!this.#knowsForm && this.#refusing === null) this.#learnForm(piece)
    this.#answerBytes += piece.length
    if (this.#answerBytes > (this.#sse ? this.#streamBytesMax() : wholeBytesMax)) {
      this.#fail(failureOfError(new SseTooLarge()))
      return this.#cancel()
    }
    this.#pieces.push(piece)
    this.#waitingBytes += piece.length
    if (this.#refusing !== null && this.#waitingBytes >= refusalBytesMax) this.#refuse()
    if (!this.#sse) return
    if (this.#waitingBytes >= waitingBytesMax) controller.pause()
    this.#tell()
  }

  onResponseEnd(): void {
    this.#refuse()
    this.#ended = true
    this.#stopAfter()
    this.#tell()
  }

  onResponseError(_controller: Controller, error: Error): void {
    if (this.#askAgain(error)) return
    this.#refuse()
    this.#ended = true
    this.#stopAfter()
    this.#fail(failureOfError(error))
  }

  readonly #onAbort = (): void => {
    this.#fail(this.#signal.reason as Error)
    this.#cancel()
  }

  #send(): void {
    this.#sent = true
    if (this.#over || this.#signal.aborted || this.#request === null) return
    this.#sender.send(this.#request, this)
  }

  #streamBytesMax(): number {
    return Math.max(streamBytesMin, this.#patience.maxTokens * streamBytesPerToken)
  }

  /** Servers that cannot stream answer whole although a stream was asked for, and some only stream. */
  #learnForm(piece: Buffer): void {
    const form = tellForm(piece)
    if (form === null) return
    this.#knowsForm = true
    if (form === 'whole') this.#sse = null
    else this.#sse ??= new SseReader(recordBytesMax)
  }

  /** Only while nothing came back, and once. */
  #askAgain(error: Error): boolean {
    const request = this.#request
    this.#request = null
    if (request === null || this.#over || this.#failure !== null) return false
    if (!isLossOfKept(error)) return false
    this.#controller = null
    this.#sender.sendAgain(request, this)
    return true
  }

  #canRead(): boolean {
    if (this.#failure !== null && this.#pieces.length === 0) return false
    return this.#ended || (this.#sse !== null && this.#pieces.length > 0)
  }

  /** All that came so far. An error behind it is kept for whoever asks next. */
  #read(): StreamPart[] {
    const group: StreamPart[] = []
    const bytes = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces)
    this.#pieces = []
    this.#waitingBytes = 0
    try {
      const done = this.#sse
        ? this.#readRecords(this.#sse, bytes, group)
        : this.#readWhole(bytes, group)
      const cut = !done && this.#ended && this.#failure === null
      if (cut) this.#reader.end(group)
      if (done || cut) this.#leave()
      else this.#controller?.resume()
    } catch (error) {
      this.#fail(failureOfError(error))
      if (!this.#ended) this.#cancel()
    }
    return group
  }

  #readRecords(sse: SseReader, bytes: Buffer, group: StreamPart[]): boolean {
    let done = false
    try {
      sse.feed(bytes, (data) => {
        done ||= this.#reader.record(data, group)
      })
    } catch (error) {
      // What follows the end need not make sense.
      if (!done) throw error
    }
    return done
  }

  #readWhole(bytes: Buffer, group: StreamPart[]): boolean {
    if (this.#failure !== null) return false
    const body = new Utf8Text()
    const text = body.push(bytes) ? body.end() : null
    if (text === null) throw notAnAnswer()
    // All or nothing: nobody has been given any of it, so that another server may still be asked.
    const parts: StreamPart[] = []
    this.#reader.whole(text, parts)
    group.push(...parts)
    return true
  }

  #startRefusal(status: number): void {
    this.#refusing = status
    this.#refusalTimer = setTimeout(() => this.#refuse(), refusalMs).unref()
  }

  /** By what came of its reason, if any; nothing where no refusal is being read. */
  #refuse(): void {
    if (this.#refusing === null) return
    const text = Buffer.concat(this.#pieces).toString('utf8', 0, refusalBytesMax)
    const failure = failureOfRefusal(this.#refusing, text)
    this.#stopRefusal()
    this.#fail(failure)
  }

  #stopRefusal(): void {
    if (this.#refusalTimer) clearTimeout(this.#refusalTimer)
    this.#refusalTimer = null
    this.#refusing = null
    this.#pieces = []
    this.#waitingBytes = 0
  }

  #fail(why: Error): void {
    this.#failure ??= why
    this.#tell()
  }

  #tell(): void {
    const wake = this.#wake
    this.#wake = null
    if (wake) heard.join(wake)
  }

  /** What the server still says is dropped, and if it is little the connection can be used again. */
  #leave(): void {
    this.#over = true
    this.#stopFirst()
    if (this.#refusing !== null) this.#stopRefusal()
    this.#signal.removeEventListener('abort', this.#onAbort)
    if (this.#ended || !this.#controller) return
    this.#afterTimer = setTimeout(() => this.#cancel(), afterMs).unref()
    this.#controller.resume()
  }

  #stopFirst(): void {
    untilFirstWords.delete(this.#checkFirst)
  }

  #stopAfter(): void {
    if (this.#afterTimer) clearTimeout(this.#afterTimer)
    this.#afterTimer = null
  }

  #cancel(): void {
    this.#stopAfter()
    this.#controller?.abort(new Error('nobody reads the answer any more'))
  }
}
