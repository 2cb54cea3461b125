// The clock of a job, over the processes that trained it.
import assert from 'node:assert/strict'
import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  EventFile,
  EventReader,
  readEvents,
  secondsIn,
} from '#server/compute/embedded/event-file.ts'
import { ProgressFold } from '#server/compute/embedded/training-event.ts'
import { temporaryFolder } from './training-fixture.ts'

test('time after the checkpoint that a killed training goes on from counts once', async () => {
  const path = join(await temporaryFolder(), 'events.jsonl')
  const killed = [
    { event: 'check', step: 0, checkLoss: 9, seconds: 50 },
    { event: 'check', step: 20, checkLoss: 1, seconds: 1000 },
    { event: 'alive', seconds: 1600 },
  ]
  await writeFile(path, killed.map((event) => JSON.stringify(event) + '\n').join(''))

  const next = await EventFile.open(path)
  assert.ok(next.write({ event: 'phase', phase: 'preparing' }).seconds >= 1600)
  const { seconds } = next.write({ event: 'resumed', step: 20, tokens: 1 })
  assert.ok(1000 <= seconds && seconds < 1600, `${seconds}`)
  const events = await readEvents(path)
  assert.equal(secondsIn(events), seconds)
  const fold = new ProgressFold()
  for (const event of events) fold.add(event)
  assert.equal(fold.progress.seconds, seconds)

  const anew = await EventFile.open(path)
  assert.ok(anew.write({ event: 'resumed', step: 0, tokens: 0 }).seconds < 50, 'from the start')
})

test('a reader gets each event once, when its line is whole', async () => {
  const path = join(await temporaryFolder(), 'events.jsonl')
  const reader = new EventReader(path)
  assert.deepEqual(await reader.next(), [])
  await writeFile(path, '\n{"event":"alive","seconds":1}\n{"event":"ali')
  assert.deepEqual(await reader.next(), [{ event: 'alive', seconds: 1 }])
  assert.deepEqual(await reader.next(), [])
  await appendFile(path, 've","seconds":2}\n')
  assert.deepEqual(await reader.next(), [{ event: 'alive', seconds: 2 }])
  // A process was killed in the line before.
  await appendFile(path, '{"event":\n{"event":"alive","seconds":3}\n')
  assert.deepEqual(await reader.next(), [{ event: 'alive', seconds: 3 }])
})
