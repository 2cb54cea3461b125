// The loop's samples: recording, imports, lists and searches. A second argument picks one part.
import { run as importRows } from './samples/import.ts'
import { run as record } from './samples/record.ts'
import { run as search } from './samples/search.ts'

const parts: Record<string, () => Promise<void>> = { record, import: importRows, search }

export async function run(wanted: string | undefined): Promise<void> {
  if (wanted !== undefined && !Object.hasOwn(parts, wanted)) {
    console.error(`samples has no part "${wanted}"; use ${Object.keys(parts).join(' or ')}.`)
    process.exit(1)
  }
  for (const [name, part] of Object.entries(parts)) {
    if (wanted === undefined || wanted === name) await part()
  }
}
