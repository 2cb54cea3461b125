// Writes down the verdict of the test, and what each sample came to.
import type { App } from '../../../app.ts'
import type { AttemptRow } from '../attempt.ts'
import { decideTest } from '../../test/decide-test.ts'
import { writeOutcomes } from '../../test/test-store.ts'
import type { Done } from './effects.ts'

export async function decide(app: App, attempt: AttemptRow): Promise<Done> {
  const { outcomes, ...changes } = await decideTest(app, attempt)
  return { changes, together: (tx) => writeOutcomes(tx, attempt.id, outcomes) }
}
