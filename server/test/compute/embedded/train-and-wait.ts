// A server of its own for tests that kill it: trains the job in the file it is given.
import { readFile } from 'node:fs/promises'
import { EmbeddedCompute } from '#server/compute/embedded/embedded-compute.ts'
import type { TrainingJob } from '#server/compute/compute.ts'

const [, , file, root, storeRoot] = process.argv
const job = JSON.parse(await readFile(file!, 'utf8')) as TrainingJob
await new EmbeddedCompute({ root: root!, storeRoot: storeRoot!, threads: 1, niceness: 0 }).train(
  job,
)
