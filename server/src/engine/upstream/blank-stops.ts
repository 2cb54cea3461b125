// Stop strings of white space only, which servers of Claude refuse. One that did is asked without them, and its answers are cut here;
// one that takes them stops by itself, which costs less.
import type { StreamPart } from '../../core/stream-part.ts'
import type { EngineCall } from '../engine.ts'
import { askedOtherwise, remembered } from './asked-otherwise.ts'
import { cutAtStops } from './cut-at-stops.ts'

type Ask = (call: EngineCall) => AsyncIterable<StreamPart[]>

export class BlankStops {
  /** Models whose server refused them, and answered without. */
  readonly #refused = new Set<string>()

  asked(call: EngineCall, ask: Ask): AsyncIterable<StreamPart[]> {
    if (!call.request.stop.some(isBlank)) return ask(call)
    if (this.#refused.has(call.engineModel)) return cut(call, ask)
    return askedOtherwise(ask(call), ({ failure, tooLong }) => {
      if (failure !== 'refused' || tooLong !== undefined) return null
      return remembered(this.#refused, call.engineModel, cut(call, ask))
    })
  }
}

function cut(call: EngineCall, ask: Ask): AsyncIterable<StreamPart[]> {
  const { request } = call
  const stop = request.stop.filter((text) => !isBlank(text))
  const answer = ask({ ...call, request: { ...request, stop } })
  return cutAtStops(answer, request.stop.filter(isBlank))
}

function isBlank(text: string): boolean {
  return text.trim() === ''
}
