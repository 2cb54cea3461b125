// Rows cannot be selected, because texts in the workspace's own storage cannot be read at the moment.
import type { ReadFailure } from '#contract/own-storage.ts'

export class StorageAway extends Error {
  readonly reason: ReadFailure

  constructor(reason: ReadFailure) {
    super(`the workspace's own storage cannot be read: ${reason}`)
    this.name = 'StorageAway'
    this.reason = reason
  }
}
