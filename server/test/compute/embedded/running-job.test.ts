// A job that is stopped while its folder cannot be written.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JobFolder } from '#server/compute/embedded/job-folder.ts'
import { RunningJob } from '#server/compute/embedded/running-job.ts'

test('a stop that fails is tried again by the next one', async () => {
  let isFull = true
  const folder = {
    isKnown: async () => true,
    outcome: async () => null,
    eventReader: () => ({ next: async () => [] }),
    tidy: async () => {},
    end: async () => {
      if (isFull) throw new Error('no space left on device')
      return { state: 'stopped', seconds: 0 }
    },
  }
  const job = (await RunningJob.open(folder as unknown as JobFolder))!
  await assert.rejects(job.stop(), /no space/)
  isFull = false
  await job.stop()
  assert.equal(job.status().state, 'ended')
})
