// What a tool was called with, as servers take it: one JSON object. Models write other things too, and an answer that was cut
// has half of one.
import { isObject, type Json } from '../lib/json-object.ts'
import { parseToWrite } from '../lib/long-numbers.ts'

/** Null where the text is no JSON object. */
export function argumentsIn(text: string): Json | null {
  try {
    const value = parseToWrite(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}
