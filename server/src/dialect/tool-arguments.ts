// What a tool may be called with in both dialects: a JSON object, or no text at all for a tool without parameters.
import { isObjectText } from '../lib/json-object.ts'

export function areArguments(text: string): boolean {
  return text.trim() === '' || isObjectText(text)
}
