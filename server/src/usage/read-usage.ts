// Usage of a workspace, as its people see it.
import type { z } from 'zod'
import type { usageQuery, UsageRow } from '#contract/analytics.ts'
import { usageDaysDefault, usageDaysMax } from '#contract/limits.ts'
import type { Caller } from '../account/caller.ts'
import type { App } from '../app.ts'
import { Refusal } from '../core/refusal.ts'
import { sumUsage } from './usage-store.ts'

const dayMs = 24 * 3600 * 1000

export async function readUsage(
  app: App,
  caller: Caller,
  query: z.infer<typeof usageQuery>,
): Promise<UsageRow[]> {
  await Promise.all([app.usage.flush(), app.wallets.chargesWritten()])
  // The end is not within, but what was written in this very millisecond is.
  const to = query.to === undefined ? new Date(app.clock.now().getTime() + 1) : new Date(query.to)
  const from =
    query.from === undefined
      ? new Date(to.getTime() - usageDaysDefault * dayMs)
      : new Date(query.from)
  if (from >= to) throw new Refusal('BAD_REQUEST', 'from must lie before to.')
  if (to.getTime() - from.getTime() > usageDaysMax * dayMs) {
    throw new Refusal(
      'BAD_REQUEST',
      `The span from..to must not be longer than ${usageDaysMax} days.`,
    )
  }
  const whose = { orgId: caller.org.id, workspaceId: caller.workspace.id }
  return sumUsage(app.storage, whose, { from, to, groupBy: query.group_by })
}
