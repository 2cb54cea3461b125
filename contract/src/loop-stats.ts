// What a workspace's loop holds and what became of its calls.
import { z } from 'zod'
import { captureOutcomes } from './capture.ts'
import { storageUse } from './pipeline.ts'
import { route, timestamp } from './route.ts'

export const captureCount = z.object({
  source: z.string(),
  /** Empty where the call named no tag, and for calls that were recorded: samples say what theirs are. */
  tag: z.string(),
  outcome: z.enum(captureOutcomes),
  calls: z.number().int(),
  last_at: timestamp,
})

export const loopStats = z.object({
  samples: z.object({
    total: z.number().int(),
    captured: z.number().int(),
    imported: z.number().int(),
    accepted: z.number().int(),
    edited: z.number().int(),
    rejected: z.number().int(),
    unreviewed: z.number().int(),
  }),
  capture: z.object({
    recorded: z.number().int(),
    /** Calls; one with several tags is one here, and in the counts one under each of them. */
    not_recorded: z.number().int(),
    counts: z.array(captureCount),
  }),
  storage: storageUse,
})
export type LoopStats = z.infer<typeof loopStats>

export const loopStatsRoutes = [
  route({
    name: 'getLoopStats',
    tag: 'Recording',
    method: 'GET',
    path: '/api/loop/stats',
    summary:
      'Count samples and feedback by kind and calls that were not recorded by reason, and show the storage used',
    access: { kind: 'caller', scope: 'loop:read' },
    tool: 'get_loop_stats',
    sdk: 'loop.stats',
    status: 200,
    response: loopStats,
    errors: ['RATE_LIMITED'],
  }),
] as const
