// What the workspace's calls used, by day, model or key.
import { z } from 'zod'
import { usageDaysDefault, usageDaysMax } from './limits.ts'
import { nextCursor, route, usd } from './route.ts'

export const usageGroupings = ['day', 'model', 'key'] as const
export type UsageGrouping = (typeof usageGroupings)[number]

const count = z.number().int()

const middle = 'The median, rounded by at most 5 % from 100 ms on'

export const usageRow = z.object({
  day: z.string().optional(),
  model: z.string().optional(),
  key: z.string().optional(),
  calls: count,
  aborted_calls: count,
  failed_calls: count,
  /** Tokens of completed calls. */
  input_tokens: count,
  cache_read_tokens: count,
  cache_write_5m_tokens: count,
  cache_write_1h_tokens: count,
  output_tokens: count,
  thinking_tokens: count,
  cost_usd: usd,
  latency_ms_p50: count.nullable().describe(middle),
  first_token_ms_p50: count.nullable().describe(middle),
})
export type UsageRow = z.infer<typeof usageRow>

const moment = z.union([z.iso.datetime({ offset: true }), z.iso.date()])

export const usageQuery = z.strictObject({
  from: moment
    .optional()
    .describe(`Default: ${usageDaysDefault} days before \`to\`; at most ${usageDaysMax}`),
  to: moment.optional().describe('Exclusive; default: now'),
  group_by: z.enum(usageGroupings).default('day'),
})

export const analyticsRoutes = [
  route({
    name: 'getUsage',
    tag: 'Analytics',
    method: 'GET',
    path: '/api/analytics/usage',
    summary: 'Calls, tokens and cost of the workspace in a span of time',
    access: { kind: 'caller', scope: 'analytics:read' },
    tool: 'get_usage',
    sdk: 'analytics.usage',
    query: usageQuery,
    status: 200,
    response: z.object({ usage: z.array(usageRow), next_cursor: nextCursor }),
    errors: ['RATE_LIMITED'],
  }),
] as const
