// A server of its own for tests that kill it: trains the job in the file it is given.
import { readFile } from 'node:fs/promises'
import { EmbeddedCompute } from '#server/compute/embedded/embedded-compute.ts'
import type { TrainingJob } from '#server/compute/compute.ts'

const job = JSON.parse(await readFile(process.argv[2]!, 'utf8')) as TrainingJob
await new EmbeddedCompute({ threads: 1 }).train(job)
