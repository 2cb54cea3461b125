// What is said of a body that the JSON guard refuses; the caller ends the sentence.
import { grouped } from './grouped.ts'
import type { JsonFault, JsonLimits } from './json-guard.ts'

export function jsonFaultText(fault: JsonFault, limits: JsonLimits): string {
  switch (fault) {
    case 'depth':
      return `The body is nested deeper than ${limits.depthMax} levels`
    case 'values':
      return `The body holds more than ${grouped(limits.valuesMax)} values`
    case 'shapes':
      return `The body holds more than ${grouped(limits.shapesMax)} different combinations of keys in its objects`
    case 'key-bytes':
      return `The body holds more than ${grouped(limits.keyBytesMax)} bytes of keys`
    case 'number-bytes':
      return `The body holds more than ${grouped(limits.numberBytesMax)} characters in numbers`
    case 'escapes':
      return `The body holds more than ${grouped(limits.escapesMax)} escaped characters`
    case 'malformed':
      return 'The body is not valid JSON'
  }
}
