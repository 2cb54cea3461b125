// Versions: the attempts of a pipeline that went live, numbered from v1, and what was live under its name when.
import { z } from 'zod'
import { attemptReasons, lineage } from './attempt.ts'
import { nextCursor, pageQuery, route, timestamp } from './route.ts'

const rate = z.number().nullable()

export const version = z.object({
  version_no: z.number().int(),
  attempt_id: z.uuid(),
  attempt_no: z.number().int(),
  reason: z.enum(attemptReasons),
  candidate_pass_rate: rate,
  incumbent_pass_rate: rate,
  lineage,
  benchmark_scores: z.array(z.looseObject({})),
  live_from: timestamp,
  /** Null while it is live. */
  live_until: timestamp.nullable(),
  rolled_back_at: timestamp.nullable(),
})
export type Version = z.infer<typeof version>

export const movers = ['promotion', 'member', 'rebuild', 'rollback'] as const
/** Why another version went live: its pipeline's rule, a member, a rebuild after a deletion, or a rollback. */
export type MovedBy = (typeof movers)[number]

export const liveEntry = z.object({
  /** Null where nothing was live. */
  version_no: z.number().int().nullable(),
  from: timestamp,
  /** Null while it is so. */
  until: timestamp.nullable(),
  moved_by: z.enum(movers),
  user_id: z.uuid().nullable(),
  attempt_id: z.uuid().nullable(),
})
export type LiveEntry = z.infer<typeof liveEntry>

export const versionRoutes = [
  route({
    name: 'listVersions',
    tag: 'Versions',
    method: 'GET',
    path: '/api/loop/pipelines/{pipeline_id}/versions',
    summary: 'The versions of a pipeline, v1 first',
    access: { kind: 'caller', scope: 'loop:read' },
    tool: 'list_versions',
    sdk: 'loop.pipelines.versions',
    query: pageQuery,
    status: 200,
    response: z.object({ versions: z.array(version), next_cursor: nextCursor }),
    errors: [],
  }),
  route({
    name: 'getLiveHistory',
    tag: 'Versions',
    method: 'GET',
    path: '/api/loop/pipelines/{pipeline_id}/live-history',
    summary: "Which version answered under the pipeline's name, and when, newest first",
    access: { kind: 'caller', scope: 'loop:read' },
    tool: 'get_live_history',
    sdk: 'loop.pipelines.liveHistory',
    query: pageQuery,
    status: 200,
    response: z.object({ entries: z.array(liveEntry), next_cursor: nextCursor }),
    errors: [],
  }),
] as const
