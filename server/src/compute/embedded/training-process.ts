// The process in which one job trains: `node training-process.ts <job folder> <threads> <niceness>`. It ends itself when its
// parent is gone, so that no two processes ever train the same job for long.
import { lowerProcessPriority } from '../../lib/thread-priority.ts'
import type { Ending } from './child-process.ts'
import { JobFolder } from './job-folder.ts'
import { trainLora } from './train-lora.ts'
import type { TrainingEvent } from './training-event.ts'

/** Steps of a large model may be far apart, and a process that is killed has used what is on record. */
const aliveMs = 5000

const [, , folderPath, threads, niceness] = process.argv
lowerProcessPriority(Number(niceness))
const stopping = new AbortController()
let recordTime = (): void => {}
const leave = (): void => {
  recordTime()
  process.exit(1)
}
process.on('message', (ending: Ending) => {
  recordTime()
  if (ending === 'stop') stopping.abort()
  else leave()
})
process.on('disconnect', leave)
// The parent may have gone before anything listened.
if (process.connected === false) leave()

const folder = new JobFolder(folderPath!)
await folder.lock()
// Another may have ended the job while this one waited.
if (await folder.outcome()) process.exit(0)
const job = await folder.job()
const events = await folder.openEvents()
const report = (event: TrainingEvent): void => void events.write(event)
recordTime = () => report({ event: 'alive' })
recordTime()
const alive = setInterval(recordTime, aliveMs)

const end = await trainLora(job, {
  folder,
  threads: Number(threads),
  signal: stopping.signal,
  report,
})
clearInterval(alive)
await folder.end(end, events.seconds)
process.exit(0)
