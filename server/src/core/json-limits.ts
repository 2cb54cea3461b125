// What the JSON of a request may hold, for whoever guards it.
import * as limits from '#contract/limits.ts'
import type { JsonLimits } from '../lib/json-guard.ts'

export const jsonLimits: JsonLimits = {
  depthMax: limits.jsonDepthMax,
  valuesMax: limits.jsonValuesMax,
  shapesMax: limits.jsonShapesMax,
  keyBytesMax: limits.jsonKeyBytesMax,
  numberBytesMax: limits.jsonNumberBytesMax,
  escapesMax: limits.jsonEscapesMax,
}
