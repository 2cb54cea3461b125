// Fields that only some servers take, such as `verbosity`: a server that refuses a request with them is asked without. That is not
// remembered, because it may refuse what one caller put into them and take what another does.
import type { Steering } from '../../core/request.ts'
import type { StreamPart } from '../../core/stream-part.ts'
import type { EngineCall } from '../engine.ts'
import { askedOtherwise } from '../upstream/asked-otherwise.ts'

const fieldOf: Record<keyof Steering, string> = {
  logitBias: 'logit_bias',
  verbosity: 'verbosity',
  prediction: 'prediction',
}

export function askedSteering(
  call: EngineCall,
  ask: (call: EngineCall) => AsyncIterable<StreamPart[]>,
): AsyncIterable<StreamPart[]> {
  const { steering, ...request } = call.request
  if (steering === undefined) return ask(call)
  return askedOtherwise(ask(call), ({ failure, tooLong }) => {
    if (failure !== 'refused' || tooLong !== undefined) return null
    const names = Object.keys(steering) as (keyof Steering)[]
    call.adjusted?.push(...names.map((name) => fieldOf[name]))
    return ask({ ...call, request })
  })
}
