// Deployments: names of the workspace that answer beside the catalog, what serves each at the moment, and the machines that serving and
// training may use.
import { z } from 'zod'
import { nextCursor, pageQuery, route, timestamp, usd } from './route.ts'

export const deploymentStatuses = [
  'serving',
  'starting',
  'stopped',
  'paused_for_funds',
  /** Resumes by itself. */
  'paused_by_platform',
  'failed',
  'deleted',
] as const
export type DeploymentStatus = (typeof deploymentStatuses)[number]

export const deployment = z.object({
  id: z.uuid(),
  /** What callers name as model. */
  name: z.string(),
  /** The base model. */
  model: z.string(),
  /** The content hash of what was trained; null for the base model as it is. */
  checkpoint_id: z.string().nullable(),
  status: z.enum(deploymentStatuses).exclude(['deleted']),
  machine: z.string(),
  /** Null where the machine has left the catalog. */
  usd_per_hour: usd.nullable(),
  /** The pipeline whose live version it serves, or the attempt for whose test it is there; null where nothing uses it. */
  in_use_by: z
    .object({
      rule_id: z.uuid(),
      version_no: z.number().int().nullable(),
      attempt_id: z.uuid().nullable(),
    })
    .nullable(),
  created_at: timestamp,
  /** When it began to serve what it serves now. */
  started_at: timestamp.nullable(),
})
export type Deployment = z.infer<typeof deployment>

export const machine = z.object({
  name: z.string(),
  engine: z.enum(['embedded', 'local', 'slurm', 'kubernetes', 'static']),
  accelerators: z.number().int().nullable(),
  memory_gb: z.number().nullable(),
  training_usd_per_hour: usd,
  serving_usd_per_hour: usd,
})
export type Machine = z.infer<typeof machine>

export const deploymentRoutes = [
  route({
    name: 'listDeployments',
    tag: 'Deployments',
    method: 'GET',
    path: '/api/deployments',
    summary: 'The deployments of the workspace, newest first',
    access: { kind: 'caller', scope: 'deployments:read' },
    tool: 'list_deployments',
    sdk: 'deployments.list',
    query: pageQuery,
    status: 200,
    response: z.object({ deployments: z.array(deployment), next_cursor: nextCursor }),
    errors: [],
  }),
  route({
    name: 'listMachines',
    tag: 'Deployments',
    method: 'GET',
    path: '/api/machines',
    summary: 'What training and serving may run on, with prices',
    access: { kind: 'caller', scope: 'deployments:read' },
    tool: 'list_machines',
    sdk: 'machines.list',
    status: 200,
    response: z.object({ machines: z.array(machine), next_cursor: nextCursor }),
    errors: [],
  }),
] as const
