// The loop's samples: recording, imports, lists and searches. A second argument picks one part.
import { run as importRows } from './samples/import.ts'
import { run as record } from './samples/record.ts'
import { run as search } from './samples/search.ts'

const parts: Record<string, () => Promise<void>> = { record, import: importRows, search }

export async function run(): Promise<void> {
  const wanted = process.argv[3]
  for (const [name, part] of Object.entries(parts)) {
    if (wanted === undefined || wanted === name) await part()
  }
}
