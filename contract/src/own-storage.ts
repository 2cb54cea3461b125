// A workspace's own S3-compatible bucket, where the texts of its samples go instead of the platform's database.
import { z } from 'zod'
import {
  accessKeyCharactersMax,
  endpointCharactersMax,
  storagePrefixCharactersMax,
} from './limits.ts'
import { route, text, timestamp } from './route.ts'

const keyText = z
  .string()
  .regex(
    new RegExp(`^[\\x21-\\x7e]{1,${accessKeyCharactersMax}}$`),
    'must be printable characters without spaces',
  )

/** Folders that no reader of paths can take for another place. */
const prefix = text
  .max(storagePrefixCharactersMax)
  .transform((value) => value.replace(/^\/+|\/+$/g, ''))
  .refine(
    (value) => value === '' || value.split('/').every((part) => /^(?!\.+$)[\w.=-]+$/.test(part)),
    'must be a path of folders named with letters, digits, dots, dashes, underscores and equal signs',
  )

export const connectStorageBody = z.strictObject({
  endpoint: text.trim().min(1).max(endpointCharactersMax),
  region: z.string().regex(/^[a-z0-9-]{1,64}$/, 'must be a region such as us-east-1 or auto'),
  bucket: z
    .string()
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/,
      'must be a bucket name of 3 to 63 letters, digits, dots, dashes and underscores',
    ),
  prefix: prefix.nullish(),
  access_key_id: keyText,
  /** May be left out where endpoint, bucket and access key stay as they are. */
  secret_access_key: keyText.optional(),
  /** `endpoint/bucket/key` instead of `bucket.endpoint/key`; every store but a few understands it. */
  force_path_style: z.boolean().default(true),
})
export type ConnectStorageBody = z.infer<typeof connectStorageBody>

export const ownStorage = z.object({
  endpoint: z.string(),
  region: z.string(),
  bucket: z.string(),
  prefix: z.string().nullable(),
  /** The last four characters; the secret is never shown. */
  access_key_id_ending: z.string(),
  force_path_style: z.boolean(),
  samples: z.number().int(),
  bytes: z.number().int(),
  /** Objects of deleted samples that still have to leave this bucket or an earlier one; counted up to 1,000. */
  erasures_waiting: z.number().int(),
  connected_at: timestamp,
  updated_at: timestamp,
})
export type OwnStorage = z.infer<typeof ownStorage>

/** Why a bucket cannot be connected; the error's `reason`. */
export const connectFailures = ['unreachable', 'credentials', 'no_such_bucket', 'refused'] as const
export type ConnectFailure = (typeof connectFailures)[number]

/** Why a text in the workspace's own storage cannot be read; the error's `reason`. */
export const readFailures = [
  'missing',
  'changed',
  'credentials',
  'unreachable',
  'disconnected',
] as const
export type ReadFailure = (typeof readFailures)[number]

export const ownStorageRoutes = [
  route({
    name: 'getStorage',
    tag: 'Own storage',
    method: 'GET',
    path: '/api/integrations/storage',
    summary: "The workspace's own bucket, or null when texts are kept on the platform",
    access: { kind: 'caller', scope: 'integrations:read' },
    tool: 'get_storage',
    sdk: 'integrations.storage.get',
    status: 200,
    response: z.object({ storage: ownStorage.nullable() }),
    errors: [],
  }),
  route({
    name: 'connectStorage',
    tag: 'Own storage',
    method: 'PUT',
    path: '/api/integrations/storage',
    summary:
      'Connect a bucket for new samples; a test object is written, read back and deleted before anything is saved',
    access: { kind: 'caller', scope: 'integrations:write' },
    sdk: 'integrations.storage.connect',
    body: connectStorageBody,
    status: 200,
    response: z.object({ storage: ownStorage }),
    errors: ['CONFLICT'],
  }),
  route({
    name: 'disconnectStorage',
    tag: 'Own storage',
    method: 'DELETE',
    path: '/api/integrations/storage',
    summary: 'Forget the credentials of all buckets of the workspace; what is in them stays there',
    access: { kind: 'caller', scope: 'integrations:write' },
    sdk: 'integrations.storage.disconnect',
    status: 204,
    response: null,
    errors: [],
  }),
] as const
