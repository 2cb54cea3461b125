// Fields of the chat dialect that only some model servers know: checked here, and passed on as they are.
import type { Steering } from '../../core/request.ts'
import type { Json } from '../../lib/json-object.ts'
import { withoutUndefined } from '../../lib/without-undefined.ts'
import * as read from '../read-fields.ts'

/** Undefined where the body has none of them. */
export function parseSteering(body: Json): Steering | undefined {
  const steering = withoutUndefined({
    logitBias: parseLogitBias(body),
    verbosity: parseVerbosity(body),
    prediction: parsePrediction(body),
  })
  return Object.keys(steering).length === 0 ? undefined : steering
}

const biasMax = 100

function parseLogitBias(body: Json): Steering['logitBias'] {
  const biases = read.optionalObject(body, 'logit_bias')
  if (biases === undefined) return undefined
  const all = Object.values(biases)
  if (all.every((bias) => typeof bias === 'number' && Math.abs(bias) <= biasMax)) {
    return all.length === 0 ? undefined : (biases as Record<string, number>)
  }
  throw read.bad('logit_bias', 'logit_bias must be an object of numbers from -100 to 100.')
}

function parseVerbosity(body: Json): Steering['verbosity'] {
  const value = read.field(body, 'verbosity')
  if (value === undefined || value === 'low' || value === 'medium' || value === 'high') return value
  throw read.bad('verbosity', 'verbosity must be low, medium or high.')
}

function parsePrediction(body: Json): Steering['prediction'] {
  const value = read.optionalObject(body, 'prediction')
  if (value === undefined) return undefined
  const content = read.field(value, 'content')
  const isContent = typeof content === 'string' || Array.isArray(content)
  if (read.field(value, 'type') === 'content' && isContent) return { type: 'content', content }
  throw read.bad(
    'prediction',
    'prediction must be an object with type content, and with content that is a string or a list.',
  )
}
