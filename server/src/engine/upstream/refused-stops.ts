// Stop strings that servers refuse: those of white space only (servers of Claude), more than a few of them (OpenAI), or any (models
// of OpenAI that think). Such a server is asked without them and its answers are cut here; one that takes them stops by itself,
// which costs less.
import type { StreamPart } from '../../core/stream-part.ts'
import type { EngineCall } from '../engine.ts'
import { askedOtherwise, remembered } from './asked-otherwise.ts'
import { cutAtStops } from './cut-at-stops.ts'

type Ask = (call: EngineCall) => AsyncIterable<StreamPart[]>

/** No server that takes any takes fewer. */
const takenMax = 4

export class RefusedStops {
  readonly #takesNone: boolean
  /** What of them the servers of models refused, and answered without. */
  readonly #refused = new Set<string>()

  constructor({ takesNone }: { takesNone: boolean }) {
    this.#takesNone = takesNone
  }

  asked(call: EngineCall, ask: Ask): AsyncIterable<StreamPart[]> {
    const { stop } = call.request
    if (stop.length === 0) return ask(call)
    if (this.#takesNone) return cut(call, ask, [])
    const visible = stop.filter((text) => text.trim() !== '')
    const taken = visible.slice(0, takenMax)
    if (taken.length === stop.length) return ask(call)
    const oddity = `${visible.length < stop.length} ${visible.length > takenMax} ${call.engineModel}`
    if (this.#refused.has(oddity)) return cut(call, ask, taken)
    return askedOtherwise(ask(call), ({ failure, tooLong }) => {
      if (failure !== 'refused' || tooLong !== undefined) return null
      return remembered(this.#refused, oddity, cut(call, ask, taken))
    })
  }
}

function cut(call: EngineCall, ask: Ask, taken: string[]): AsyncIterable<StreamPart[]> {
  const { request } = call
  const answer = ask({ ...call, request: { ...request, stop: taken } })
  return cutAtStops(
    answer,
    request.stop.filter((text) => !taken.includes(text)),
  )
}
