// Releases what is still reserved for attempts that have ended.
import { releaseLeftFunds as release } from '../loop/attempt/release-left-funds.ts'
import type { Reconciler } from './driver.ts'

export const releaseLeftFunds: Reconciler = {
  name: 'release-left-funds',
  everyMs: 60_000,
  run: release,
}
