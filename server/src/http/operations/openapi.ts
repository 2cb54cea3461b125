// The contract as an OpenAPI 3.1 document, made from the route records and nothing else.
import { z } from 'zod'
import { type ErrorCode, platformErrors, statusOf } from '#contract/errors.ts'
import type { Access, Route } from '#contract/route.ts'
import { routes } from '#contract/routes.ts'
import type { Json } from '../../lib/json-object.ts'

export function openapiDocument(version: string): Json {
  const paths: Record<string, Json> = {}
  for (const record of routes as readonly Route[]) {
    const path = (paths[record.path] ??= {})
    path[record.method.toLowerCase()] = operation(record)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Hone',
      version,
      description: 'Inference in two dialects, accounts, keys and an exact wallet.',
    },
    paths,
    components: {
      securitySchemes: {
        inferenceKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'A key with the scope serverless',
        },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        session: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'An access token; send X-Org-ID and X-Workspace-ID with it',
        },
      },
    },
  }
}

function operation(record: Route): Json {
  return {
    operationId: record.name,
    tags: [record.tag],
    summary: record.summary,
    security: security(record.access),
    ...(record.access.kind === 'caller' && record.access.scope
      ? { 'x-scope': record.access.scope }
      : {}),
    ...(record.access.kind === 'caller' && record.access.permission
      ? { 'x-permission': record.access.permission }
      : {}),
    parameters: parameters(record),
    ...(record.body
      ? {
          requestBody: {
            required: true,
            content: {
              'application/json': { schema: schema(record.body) },
              ...(record.streamed ? { 'application/x-ndjson': {} } : {}),
            },
          },
        }
      : {}),
    responses: responses(record),
  }
}

function security(access: Access): Json[] {
  switch (access.kind) {
    case 'public':
      return []
    case 'inference':
      return [{ inferenceKey: [] }]
    case 'caller':
      return [{ apiKey: [] }, { session: [] }]
    case 'session':
      return [{ session: [] }]
  }
}

function parameters(record: Route): Json[] {
  const inPath = [...record.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const described = (object: z.ZodObject | undefined, where: string): Json[] =>
    Object.entries(object?.shape ?? {}).map(([name, field]) => ({
      name,
      in: where,
      required: !(field as z.ZodType).safeParse(undefined).success,
      schema: schema(field as z.ZodType),
    }))
  return [...inPath, ...described(record.query, 'query'), ...described(record.headers, 'header')]
}

function responses(record: Route): Json {
  const success =
    record.response === null
      ? { description: 'Done' }
      : {
          description: 'Success',
          content: {
            [record.contentType ?? 'application/json']: {
              schema: schema(record.response, 'output'),
            },
          },
        }
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of [...commonErrors(record), ...record.errors]) {
    byStatus.set(statusOf(code), [...(byStatus.get(statusOf(code)) ?? []), code])
  }
  const failures = [...byStatus].map(([status, codes]) => [
    status,
    { description: codes.join(', ') },
  ])
  return { [record.status]: success, ...(Object.fromEntries(failures) as Json) }
}

/** What any route of its kind may give, beside its own codes. */
export function commonErrors(record: Route): ErrorCode[] {
  if (record.access.kind === 'inference') {
    return [
      'missing_bearer_token',
      'invalid_api_key',
      'insufficient_scope',
      'request_too_large',
      'invalid_json',
      'invalid_body',
      'missing_required_parameter',
      'unsupported_parameter',
      'invalid_value',
      'unavailable',
      'internal_error',
    ]
  }
  if (!record.path.startsWith('/api/')) return []
  const codes = Object.keys(platformErrors) as (keyof typeof platformErrors)[]
  const fitting: Partial<Record<keyof typeof platformErrors, boolean>> = {
    UNAUTHORIZED: record.name === 'login' || record.access.kind !== 'public',
    FORBIDDEN: record.access.kind === 'caller',
    PAYLOAD_TOO_LARGE: record.body !== undefined,
    BAD_REQUEST: true,
    NOT_FOUND: record.access.kind === 'caller',
    UNAVAILABLE: true,
    INTERNAL_ERROR: true,
  }
  return codes.filter((code) => fitting[code])
}

function schema(type: z.ZodType, io: 'input' | 'output' = 'input'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(type, { io, unrepresentable: 'any' })
  return rest
}
