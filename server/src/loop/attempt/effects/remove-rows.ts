// Removes the rows that no training took.
import { rm } from 'node:fs/promises'
import type { App } from '../../../app.ts'
import type { AttemptRow } from '../attempt.ts'
import { rowsFileOf } from '../training-of.ts'

export async function removeRows(app: App, attempt: AttemptRow): Promise<void> {
  await rm(rowsFileOf(app, attempt), { force: true })
}
