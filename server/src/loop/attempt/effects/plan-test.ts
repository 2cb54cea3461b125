// Fixes what the attempt is tested on, what it is compared with, who judges, and what that can cost at most.
import type { App } from '../../../app.ts'
import { testDeploymentName } from '../../../deployment/serve-for-test.ts'
import type { AttemptRow } from '../attempt.ts'
import { isStorageAwaited, stillUnreadable } from '../../test/storage-wait.ts'
import { fixTest } from '../../test/plan-test.ts'
import { fixTested } from '../../test/test-store.ts'
import { readScoringCap } from '../../test/judge/read-scoring-cap.ts'
import { findPipeline } from '../../pipeline/pipeline-store.ts'
import { testMoney } from '../../test/test-money.ts'
import { findLiveVersion } from '../../version/version-store.ts'
import type { Done } from './effects.ts'

export async function planTest(app: App, attempt: AttemptRow): Promise<Done | void> {
  const { id, state, workspace_id: workspaceId, pipeline_id: pipelineId } = attempt
  if (state.phase !== 'starting_machine' && state.phase !== 'waiting_for_storage') return
  const pipeline = await findPipeline(app.storage.db, workspaceId, pipelineId)
  // The deletion of the pipeline stops the attempt.
  if (!pipeline) return
  const judge = app.catalog.find(pipeline.judge_model)
  if (!judge) throw new Error(`the judge ${pipeline.judge_model} is not in the catalog any more`)
  const now = app.clock.now()
  const live = await findLiveVersion(app.storage.db, pipelineId)
  const version = live?.version_no ?? null
  const { amount: money, limit } = testMoney(await readScoringCap(app, pipelineId, now))
  const fixed = await fixTest(app, attempt, {
    judge,
    rubric: pipeline.use_case,
    live: { version, model: live?.model ?? attempt.model },
    money,
    waits: isStorageAwaited(state.unreadable, now),
  })
  if ('unreadable' in fixed) {
    const unreadable = stillUnreadable(state.unreadable, fixed.unreadable, now)
    return { changes: { state: { ...state, unreadable } } }
  }
  const { asked, leftOut, missing, most } = fixed
  return {
    changes: {
      test: {
        candidate: testDeploymentName('candidate', id),
        live: testDeploymentName('compared', id),
        compared_with: version,
        judge: judge.id,
        rubric: pipeline.use_case,
        asked,
        missing: missing.length,
        left_out: leftOut,
        limited_by: limit,
        most: most.toString(),
      },
    },
    together: (tx) => fixTested(tx, id, fixed),
  }
}
