// Usage of a workspace, as its people see it.
import type { z } from 'zod'
import type { usageQuery, UsageRow } from '#contract/analytics.ts'
import { usageDaysDefault, usageDaysMax } from '#contract/limits.ts'
import type { Caller } from '../account/caller.ts'
import type { App } from '../app.ts'
import { Refusal } from '../core/refusal.ts'
import { isCancelled } from '../storage/storage-unavailable.ts'
import { sumUsage } from './usage-sums.ts'

const dayMs = 24 * 3600 * 1000

export async function readUsage(
  app: App,
  caller: Caller,
  query: z.infer<typeof usageQuery>,
): Promise<UsageRow[]> {
  await Promise.all([app.money.usage.flush(), app.money.wallets.chargesWritten()])
  // Without an end, what was billed by a clock that is ahead of this one is within: the balance shows it too.
  const to = query.to === undefined ? null : new Date(query.to)
  const end = to ?? new Date(app.clock.now().getTime() + 1)
  const from =
    query.from === undefined
      ? new Date(end.getTime() - usageDaysDefault * dayMs)
      : new Date(query.from)
  if (from >= end) throw new Refusal('BAD_REQUEST', 'from must be earlier than to.')
  if (end.getTime() - from.getTime() > usageDaysMax * dayMs) {
    throw new Refusal(
      'BAD_REQUEST',
      `The span from..to must not be longer than ${usageDaysMax} days.`,
    )
  }
  const whose = { orgId: caller.org.id, workspaceId: caller.workspace.id }
  try {
    return await app.samples.longReads.run(caller.workspace.id, () =>
      sumUsage(app.storage, whose, { from, to }, query.group_by),
    )
  } catch (error) {
    throw isCancelled(error) ? tooMany() : error
  }
}

function tooMany(): Refusal {
  return new Refusal(
    'UNAVAILABLE',
    'There are too many calls between from and to for adding them up in time; ask for a shorter span, or for one that begins and ends at midnight UTC.',
    { retryAfterSeconds: 2 },
  )
}
