// Deployments for the test of an attempt: what it trained, and the live model that it is compared with. Each has a name of its own, which only the
// scoring key of the pipeline resolves, and is there from the start of the test until its end.
import * as store from './deployment-store.ts'
import type { DeploymentRow } from './deployment-store.ts'

const testSides = ['candidate', 'live'] as const

export type TestSide = (typeof testSides)[number]

export type TestDeployment = {
  /** Of the row, if there is none yet. */
  id: string
  at: Date
  workspaceId: string
  pipelineId: string
  attemptId: string
  side: TestSide
  /** Slug of the base model. */
  model: string
  baseRevision: string
  /** One of these, or neither for the base model as it is. */
  adapter: string | null
  merged: string | null
  machine: string
}

export function testDeploymentName(side: TestSide, attemptId: string): string {
  return `${side}-${attemptId}`
}

export function isForTest({ attempt_id }: DeploymentRow): boolean {
  return attempt_id !== null
}

/** The name by which it answers. Where it is there already it stays as it is. */
export async function serveForTest(db: store.Writer, test: TestDeployment): Promise<string> {
  const name = testDeploymentName(test.side, test.attemptId)
  await store.insertDeploymentOnce(db, {
    id: test.id,
    workspace_id: test.workspaceId,
    name,
    model: test.model,
    base_revision: test.baseRevision,
    adapter: test.adapter,
    merged: test.merged,
    pipeline_id: test.pipelineId,
    version_no: null,
    attempt_id: test.attemptId,
    // The embedded engine serves any weights of the store from their first call on.
    status: 'serving',
    machine: test.machine,
    created_at: test.at,
    started_at: test.at,
  })
  return name
}

/** Their names are unknown from then on. Without any, nothing changes. */
export async function endTestDeployments(db: store.Writer, attemptId: string): Promise<void> {
  await store.deleteDeploymentsOfAttempt(db, attemptId)
}

/** Those that were not ended. */
export async function listTestDeployments(
  db: store.Writer,
  attemptId: string,
): Promise<Pick<DeploymentRow, 'name' | 'status'>[]> {
  return store.listDeploymentsOfAttempt(db, attemptId)
}

/** `incomplete`: one of the two is missing, so the test cannot begin. */
export async function findServing(
  db: store.Writer,
  attemptId: string,
): Promise<'none' | 'incomplete' | 'starting' | 'serving'> {
  const rows = await listTestDeployments(db, attemptId)
  if (rows.length === 0) return 'none'
  const names = new Set(rows.map(({ name }) => name))
  if (!testSides.every((side) => names.has(testDeploymentName(side, attemptId)))) {
    return 'incomplete'
  }
  return rows.every(({ status }) => status === 'serving') ? 'serving' : 'starting'
}
