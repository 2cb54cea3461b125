// Datasets: saved selections of samples. A selection is live; it never copies what it selects.
import { z } from 'zod'
import { nameCharactersMax } from './limits.ts'
import { countChoice, nextCursor, pageQuery, route, text, timestamp } from './route.ts'
import { conditionFields } from './sample.ts'

export const conditions = z
  .strictObject(conditionFields)
  .refine(({ from, to }) => !from || !to || Date.parse(from) < Date.parse(to), {
    message: 'must be earlier than to',
    path: ['from'],
  })
export type Conditions = z.infer<typeof conditions>

export const dataset = z.object({
  id: z.uuid(),
  name: z.string(),
  conditions: z.record(z.string(), z.unknown()),
  revision: z.number().int(),
  samples: z.number().int(),
  /** True when counting stopped: there are at least `samples`. */
  samples_is_minimum: z.boolean(),
  created_at: timestamp,
  updated_at: timestamp,
})
export type Dataset = z.infer<typeof dataset>

const name = text.trim().min(1).max(nameCharactersMax)

export const createDatasetBody = z.strictObject({ name, conditions: conditions.default({}) })

export const updateDatasetBody = z.strictObject({
  name: name.optional(),
  conditions: conditions.optional(),
  expected_revision: z.number().int().min(1).optional(),
})

export const datasetRoutes = [
  route({
    name: 'listDatasets',
    tag: 'Datasets',
    method: 'GET',
    path: '/api/loop/datasets',
    summary: 'The datasets of the workspace, newest first',
    access: { kind: 'caller', scope: 'loop:read' },
    tool: 'list_datasets',
    sdk: 'loop.datasets.list',
    query: pageQuery.extend({ count: countChoice }),
    status: 200,
    response: z.object({ datasets: z.array(dataset), next_cursor: nextCursor }),
    errors: ['RATE_LIMITED'],
  }),
  route({
    name: 'createDataset',
    tag: 'Datasets',
    method: 'POST',
    path: '/api/loop/datasets',
    summary: 'Save a selection of samples under a name',
    access: { kind: 'caller', scope: 'loop:write' },
    tool: 'create_dataset',
    sdk: 'loop.datasets.create',
    body: createDatasetBody,
    status: 201,
    response: z.object({ dataset }),
    errors: ['DATASET_NAME_TAKEN'],
  }),
  route({
    name: 'getDataset',
    tag: 'Datasets',
    method: 'GET',
    path: '/api/loop/datasets/{dataset_id}',
    summary: 'One dataset, with how many samples it selects now',
    access: { kind: 'caller', scope: 'loop:read' },
    tool: 'get_dataset',
    sdk: 'loop.datasets.get',
    query: z.strictObject({ count: countChoice }),
    status: 200,
    response: z.object({ dataset }),
    errors: ['RATE_LIMITED'],
  }),
  route({
    name: 'updateDataset',
    tag: 'Datasets',
    method: 'PUT',
    path: '/api/loop/datasets/{dataset_id}',
    summary: 'Rename a dataset or change what it selects',
    access: { kind: 'caller', scope: 'loop:write' },
    tool: 'update_dataset',
    sdk: 'loop.datasets.update',
    body: updateDatasetBody,
    status: 200,
    response: z.object({ dataset }),
    errors: ['DATASET_NAME_TAKEN', 'REVISION_MISMATCH'],
  }),
  route({
    name: 'deleteDataset',
    tag: 'Datasets',
    method: 'DELETE',
    path: '/api/loop/datasets/{dataset_id}',
    summary: 'Delete the selection; the samples stay',
    access: { kind: 'caller', scope: 'loop:write' },
    tool: 'delete_dataset',
    sdk: 'loop.datasets.delete',
    status: 204,
    response: null,
    errors: [],
  }),
] as const
