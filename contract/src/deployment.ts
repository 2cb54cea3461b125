// Deployments: names of the workspace that answer beside the catalog, what serves each at the moment, and the machines that serving and
// training may use.
import { z } from 'zod'
import { deploymentNameCharactersMax } from './limits.ts'
import { nextCursor, pageQuery, route, text, timestamp, usd } from './route.ts'

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
  /** When the status was last found to be so. */
  checked_at: timestamp,
  /** Why it does not serve; null while it does, and where a member stopped it. */
  detail: z.string().nullable(),
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
  /** Of serving, as deployments on it show it. */
  usd_per_hour: usd,
})
export type Machine = z.infer<typeof machine>

export const createDeploymentBody = z
  .strictObject({
    /** Of the catalog. */
    model: text.min(1).max(200).optional(),
    /** The content hash of what an attempt trained, as versions and deployments show it. */
    checkpoint_id: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be a content hash')
      .optional(),
    name: z
      .string()
      .max(deploymentNameCharactersMax)
      .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be small letters and digits, joined by dashes')
      .optional()
      .describe('What callers name as model; made from the model where it is left out'),
  })
  .refine(({ model, checkpoint_id }) => (model === undefined) !== (checkpoint_id === undefined), {
    message: 'must name either a model or a checkpoint_id',
  })
export type CreateDeployment = z.infer<typeof createDeploymentBody>

const one = z.object({ deployment })

export const deploymentRoutes = [
  route({
    name: 'createDeployment',
    tag: 'Deployments',
    method: 'POST',
    path: '/api/deployments',
    summary: 'Serve a model of the catalog, or what was trained, under a name of the workspace',
    access: { kind: 'caller', scope: 'deployments:write' },
    tool: 'create_deployment',
    sdk: 'deployments.create',
    body: createDeploymentBody,
    status: 201,
    response: one,
    errors: [
      'CHAINED_ADAPTER_NOT_DEPLOYABLE',
      'NOT_FOUND',
      'NO_GPU_FITS',
      'MODEL_REVISION_UNAVAILABLE',
      'CONFLICT',
      'GPU_OPTIONS_UNAVAILABLE',
    ],
  }),
  route({
    name: 'getDeployment',
    tag: 'Deployments',
    method: 'GET',
    path: '/api/deployments/{deployment_id}',
    summary: 'A deployment',
    access: { kind: 'caller', scope: 'deployments:read' },
    tool: 'get_deployment',
    sdk: 'deployments.get',
    status: 200,
    response: one,
    errors: ['NOT_FOUND'],
  }),
  route({
    name: 'startDeployment',
    tag: 'Deployments',
    method: 'POST',
    path: '/api/deployments/{deployment_id}/start',
    summary: 'Start a deployment that does not serve; it answers once its machine has answered',
    access: { kind: 'caller', scope: 'deployments:write' },
    tool: 'start_deployment',
    sdk: 'deployments.start',
    status: 200,
    response: one,
    errors: ['NOT_FOUND', 'NO_GPU_FITS', 'CONFLICT', 'GPU_OPTIONS_UNAVAILABLE'],
  }),
  route({
    name: 'stopDeployment',
    tag: 'Deployments',
    method: 'POST',
    path: '/api/deployments/{deployment_id}/stop',
    summary: 'Stop a deployment; its name answers 503 until it is started again',
    access: { kind: 'caller', scope: 'deployments:write' },
    tool: 'stop_deployment',
    sdk: 'deployments.stop',
    status: 200,
    response: one,
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
  route({
    name: 'deleteDeployment',
    tag: 'Deployments',
    method: 'DELETE',
    path: '/api/deployments/{deployment_id}',
    summary: 'Stop a deployment for good; its name is free again',
    access: { kind: 'caller', scope: 'deployments:write' },
    tool: 'delete_deployment',
    sdk: 'deployments.delete',
    status: 204,
    response: null,
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
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
    errors: ['GPU_OPTIONS_UNAVAILABLE'],
  }),
] as const
