// The process in which one job trains: `node training-process.ts <job folder> <threads>`. It ends itself when its
// parent is gone, so that no two processes ever train the same job for long.
import { setPriority } from 'node:os'
import { JobFolder } from './job-folder.ts'
import { trainLora } from './train-lora.ts'
import type { TrainingEvent } from './training-event.ts'

/** Below the server that started it: answers come before training. */
const niceness = 5

const stopping = new AbortController()
process.on('message', () => stopping.abort())
process.on('disconnect', () => process.exit(1))
setPriority(niceness)

const folder = new JobFolder(process.argv[2]!)
await folder.lock()
// Another may have ended the job while this one waited.
if (await folder.outcome()) process.exit(0)
const job = await folder.job()
const events = folder.openEvents()
const outcome = await trainLora(job, {
  folder,
  threads: Number(process.argv[3]),
  signal: stopping.signal,
  report: (event: TrainingEvent) => {
    events.write(event)
    process.send?.(event)
  },
})
await folder.end(outcome)
events.close()
process.exit(0)
