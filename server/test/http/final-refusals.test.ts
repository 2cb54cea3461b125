// Which refusals of the platform keep clients from repeating the request. Written out by hand, because the answers are derived
// from the table of codes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inferenceErrors, type PlatformErrorCode, platformErrors } from '#contract/errors.ts'
import { Refusal } from '#server/core/refusal.ts'
import { refusalHeaders } from '#server/http/surface.ts'

const final: PlatformErrorCode[] = [
  'PIPELINE_NAME_TAKEN',
  'OWN_TAG_TAKEN',
  'DATASET_NAME_TAKEN',
  'REVISION_MISMATCH',
  'LAST_OWNER',
  'IDEMPOTENCY_KEY_REUSED',
  'TRAINING_NOT_ENABLED',
]
const codes = Object.keys(platformErrors) as PlatformErrorCode[]

test('a conflict that stays says that a retry is in vain, and every other refusal leaves it to the client', () => {
  const silenced = codes.filter(
    (code) => refusalHeaders(new Refusal(code, 'No.'))['x-should-retry'] === 'false',
  )
  assert.deepEqual(silenced, final)
})

test('what does not pass by itself is said of the platform alone; a call says it where it is refused', () => {
  for (const code of Object.keys(inferenceErrors) as (keyof typeof inferenceErrors)[]) {
    assert.equal(refusalHeaders(new Refusal(code, 'No.'))['x-should-retry'], undefined, code)
  }
})
