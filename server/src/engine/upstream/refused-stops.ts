// Stop strings that servers refuse: those of white space only (servers of Claude), more than a few of them (OpenAI), or any (models
// of OpenAI that think). Such a server is asked without them. Every answer is cut here: also one of a server that took them,
// because some take what they do not keep to (LiteLLM), or leave the stop string in the text (transformers). One that keeps to
// them stops by itself, which costs less.
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
    return stop.length === 0 ? ask(call) : cutAtStops(this.#answer(call, ask), stop)
  }

  #answer(call: EngineCall, ask: Ask): AsyncIterable<StreamPart[]> {
    const { stop } = call.request
    if (this.#takesNone) return ask(stoppedAt(call, []))
    const visible = stop.filter((text) => text.trim() !== '')
    const taken = visible.slice(0, takenMax)
    if (taken.length === stop.length) return ask(call)
    const oddity = `${visible.length < stop.length} ${visible.length > takenMax} ${call.engineModel}`
    if (this.#refused.has(oddity)) return ask(stoppedAt(call, taken))
    return askedOtherwise(ask(call), ({ failure, tooLong }) => {
      if (failure !== 'refused' || tooLong !== undefined) return null
      return remembered(this.#refused, oddity, ask(stoppedAt(call, taken)))
    })
  }
}

function stoppedAt(call: EngineCall, stop: string[]): EngineCall {
  return { ...call, request: { ...call.request, stop } }
}
