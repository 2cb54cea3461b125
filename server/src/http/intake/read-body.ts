// Reads the body of a request as text, bounded in every way a body can hurt: bytes, structure, pace, and what all
// bodies hold together. It stops at the first byte too many and leaves the rest on the wire.
import type { IncomingMessage, ServerResponse } from 'node:http'
import * as limits from '#contract/limits.ts'
import { jsonLimits } from '../../core/json-limits.ts'
import { Refusal } from '../../core/refusal.ts'
import { grouped } from '../../lib/grouped.ts'
import { jsonFaultText } from '../../lib/json-fault.ts'
import { type JsonFault, JsonGuard } from '../../lib/json-guard.ts'
import { LoopTurns } from '../../lib/loop-turns.ts'
import { SharedInterval } from '../../lib/shared-interval.ts'
import { Utf8Text } from '../../lib/utf8-text.ts'
import { ByteBudget } from './byte-budget.ts'

export type BodyOptions = {
  bytesMax: number
  bytesInFlightMax: number
  bytesPerOwnerMax: number
  graceMs: number
  bytesPerSecondMin: number
}

export const bodyDefaults: BodyOptions = {
  bytesMax: limits.inferenceBodyBytesMax,
  bytesInFlightMax: limits.bodyBytesInFlightMax,
  bytesPerOwnerMax: limits.bodyBytesPerWorkspaceMax,
  graceMs: limits.bodyGraceSeconds * 1000,
  bytesPerSecondMin: limits.bodyBytesPerSecondMin,
}

/** From here on a body is parsed in a turn of the event loop of its own: below, parsing takes 1 or 2 ms at most. */
const heavyBytes = 256 * 1024
const heavyValues = 1000
const retryAfterSeconds = 2
/** Most bodies are over before it strikes once, so that one for all of them is cheaper than one for each. */
const paced = new SharedInterval(1000)

export class BodyReader {
  readonly budget: ByteBudget
  readonly #options: BodyOptions
  readonly #turns = new LoopTurns()

  constructor(options: Partial<BodyOptions> = {}) {
    this.#options = { ...bodyDefaults, ...options }
    const { bytesInFlightMax, bytesPerOwnerMax } = this.#options
    this.budget = new ByteBudget(bytesInFlightMax, bytesPerOwnerMax)
  }

  /** The text is meant to be parsed right away, in the turn in which it is handed over. */
  async read(request: IncomingMessage, response: ServerResponse, owner: string): Promise<string> {
    this.#refuseByHeaders(request)
    const share = this.budget.share(owner)
    const isHeld = (bytes: number): boolean => {
      if (bytes <= limits.bodyBytesSmall) return true
      // A call holds its body until it is answered.
      if (share.bytes === 0) response.once('close', () => share.giveBack())
      return share.growTo(bytes)
    }
    try {
      if (!isHeld(Number(request.headers['content-length'] ?? 0))) throw noRoom()
      const guard = new JsonGuard(jsonLimits)
      let body = new Utf8Text()
      let received = 0
      let wrong: Refusal | null = null
      const take = (chunk: Buffer): Refusal | null => {
        received += chunk.length
        if (received > this.#options.bytesMax) return tooLarge(this.#options.bytesMax)
        if (wrong !== null) return null
        if (!isHeld(received)) return noRoom()
        wrong = wrongIn(chunk, body, guard)
        if (wrong === null || isDeclared(request)) return wrong
        // Only the end says whether it is too large, which comes first. Until then nothing of it is kept.
        body = new Utf8Text()
        share.giveBack()
        return null
      }
      const present = presentBody(request)
      if (present !== null) {
        const refusal = take(present)
        if (refusal) throw refusal
      } else {
        await eachChunk(request, this.#options, take)
      }
      if (wrong !== null) throw wrong as Refusal
      const heavy = received > heavyBytes || guard.values > heavyValues
      // Joining the pieces and parsing the whole each take tens of milliseconds at 32 MiB.
      if (heavy) await this.#turns.next()
      const text = body.end()
      if (text === null) throw notUtf8()
      if (heavy) await this.#turns.next()
      return text
    } catch (error) {
      share.giveBack()
      throw error
    }
  }

  #refuseByHeaders({ headers }: IncomingMessage): void {
    const encoding = headers['content-encoding']
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
      throw new Refusal('invalid_body', 'The body must be sent without a Content-Encoding.')
    }
    if (Number(headers['content-length'] ?? 0) > this.#options.bytesMax) {
      throw tooLarge(this.#options.bytesMax)
    }
  }
}

/** A small body that is all there, as nearly all are: events would cost more than reading it. Null where there is more to wait for. */
function presentBody(request: IncomingMessage): Buffer | null {
  const { complete, destroyed, readableLength } = request
  if (!complete || destroyed || readableLength === 0) return null
  return readableLength <= limits.bodyBytesSmall ? (request.read() as Buffer | null) : null
}

/** Hands over each chunk until the end; when the taker refuses one, or the body stalls, nothing more is read. */
export function eachChunk(
  request: IncomingMessage,
  { graceMs, bytesPerSecondMin }: BodyOptions,
  take: (chunk: Buffer) => Refusal | null,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = 0
    let stopped = false
    const startedAt = performance.now()
    const declared = Number(request.headers['content-length'] ?? Infinity)
    // A client that left while its key was looked up makes no more events.
    if (request.destroyed) return onGone()
    if (!request.complete) paced.add(checkPace)
    request.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone)

    function onData(chunk: Buffer): void {
      received += chunk.length
      const refusal = take(chunk)
      if (refusal) return giveUp(refusal)
      // One chunk per turn of the event loop, so that many large bodies at once do not starve the rest.
      if (request.complete || received >= declared) return
      request.pause()
      setImmediate(() => {
        if (!stopped) request.resume()
      })
    }

    function onEnd(): void {
      stop()
      resolve()
    }

    function onGone(): void {
      stop()
      reject(new Refusal('invalid_body', 'The connection closed in the middle of the body.'))
    }

    function checkPace(): void {
      const elapsedMs = performance.now() - startedAt
      if (elapsedMs < graceMs || received >= (elapsedMs / 1000) * bytesPerSecondMin) return
      giveUp(
        new Refusal(
          'invalid_body',
          'The body arrived too slowly, so the request was given up; send it again.',
        ),
      )
    }

    function giveUp(refusal: Refusal): void {
      stop()
      request.pause()
      reject(refusal)
    }

    function stop(): void {
      stopped = true
      paced.delete(checkPace)
      request.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone)
    }
  })
}

function isDeclared({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined
}

/** Adds the chunk to the text, or says why that is no body. */
function wrongIn(chunk: Buffer, body: Utf8Text, guard: JsonGuard): Refusal | null {
  if (!body.push(chunk)) return notUtf8()
  const fault = guard.push(chunk)
  return fault === null ? null : faultRefusal(fault)
}

function faultRefusal(fault: JsonFault): Refusal {
  const code = fault === 'malformed' ? 'invalid_json' : 'invalid_body'
  return new Refusal(code, `${jsonFaultText(fault, jsonLimits)}.`)
}

function tooLarge(bytesMax: number): Refusal {
  return new Refusal('request_too_large', `The body is larger than ${grouped(bytesMax)} bytes.`)
}

function noRoom(): Refusal {
  return new Refusal(
    'unavailable',
    'The server has as many large requests as it can hold; try again in a moment.',
    { retryAfterSeconds },
  )
}

function notUtf8(): Refusal {
  return new Refusal('invalid_json', 'The body is not valid JSON: it is not UTF-8.')
}
