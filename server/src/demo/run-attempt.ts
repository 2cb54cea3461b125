// Trains now: asks first what that would do, starts the attempt, follows it to its end and shows what came of it.
import { setTimeout as delay } from 'node:timers/promises'
import type { Attempt } from '#contract/attempt.ts'
import type { Pipeline } from '#contract/pipeline.ts'
import type { RunPlan } from '#contract/run-plan.ts'
import { goingOn } from './attempt-phases.ts'
import { counted, lasted } from './printout.ts'
import type { Stage } from './stage.ts'

const lookMs = 500

export async function runAttempt(
  { client, paper, signal }: Stage,
  { rule_id: id }: Pipeline,
): Promise<Attempt> {
  const run = `/api/loop/pipelines/${id}/run`
  await client.call<{ plan: RunPlan }>('POST', run, { body: { dry_run: true }, tells: told })
  const { attempt: started } = await client.call<{ attempt: Attempt }>('POST', run, {
    body: {},
    tells: ({ attempt }) => `attempt ${attempt.attempt_no} has started`,
  })
  const read = `/api/loop/training-runs/${started.id}`
  paper.line(`GET ${read} (every half second)`)
  for (;;) {
    const { attempt } = await client.call<{ attempt: Attempt }>('GET', read)
    if (attempt.result !== 'running') {
      paper.over()
      return attempt
    }
    paper.going(goingOn(attempt))
    await delay(lookMs, undefined, { signal })
  }
}

function told({ plan }: { plan: RunPlan }): string {
  const { train_rows, holdout_rows, steps, seconds, cost_usd, test_usd, blocked_by } = plan
  const blocked = blocked_by === null ? '' : `, but blocked by ${blocked_by}`
  return (
    `would train on ${counted(train_rows, 'sample')} and hold ${holdout_rows} back for the test: ` +
    `${counted(steps, 'step')}, about ${lasted(seconds)}, ${cost_usd} USD and for the test ${test_usd}${blocked}`
  )
}
