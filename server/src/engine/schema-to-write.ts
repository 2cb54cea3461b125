// A schema on its way to a model server: with every digit of its numbers, where they were kept.
import type { Json } from '../lib/json-object.ts'
import { parseToWrite } from '../lib/long-numbers.ts'

export function schemaToWrite(schema: Json, written: string | undefined): Json {
  return written === undefined ? schema : (parseToWrite(written) as Json)
}
