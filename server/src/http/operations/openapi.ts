// The contract as an OpenAPI 3.1 document, made from the route records and nothing else.
import type { z } from 'zod'
import type { Access, Route } from '#contract/route.ts'
import { routes } from '#contract/routes.ts'
import type { Json } from '../../lib/json-object.ts'
import { errorSchemas, responseHeaders, responses } from './openapi-responses.ts'
import { schema } from './openapi-schema.ts'

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
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: errorSchemas,
      headers: responseHeaders,
      parameters: sessionParameters,
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

/** Where an access token acts; a key knows by itself. */
const sessionParameters: Json = {
  OrgId: headerOfSession('X-Org-ID'),
  WorkspaceId: headerOfSession('X-Workspace-ID'),
}

function headerOfSession(name: string): Json {
  return {
    name,
    in: 'header',
    required: false,
    description: 'With an access token, and not with a key',
    schema: { type: 'string', format: 'uuid' },
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
    ...(record.access.kind === 'caller' && record.access.orScope
      ? { 'x-or-scope': record.access.orScope }
      : {}),
    ...(record.access.kind === 'caller' && record.access.permission
      ? { 'x-permission': record.access.permission }
      : {}),
    parameters: parameters(record),
    ...(record.body ? { requestBody: { required: true, content: bodies(record) } } : {}),
    responses: responses(record),
  }
}

function bodies({ body, rows }: Route): Json {
  if (!body) return {}
  if (!rows) return { 'application/json': { schema: schema(body) } }
  const lines = { schema: { type: 'string', description: 'One row per line' } }
  return {
    'application/json': { schema: { anyOf: [schema(body), schema(rows)] } },
    'application/x-ndjson': lines,
    'application/jsonl': lines,
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

/** What a path names by something else than an id. */
const namedOtherwise = new Set(['model', 'deployment_id'])

function parameters(record: Route): Json[] {
  const inPath = [...record.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', ...(namedOtherwise.has(name) ? {} : { format: 'uuid' }) },
  }))
  const described = (object: z.ZodObject | undefined, where: string): Json[] =>
    Object.entries(object?.shape ?? {}).map(([name, field]) =>
      parameter(name, where, field as z.ZodType),
    )
  const ofSession = record.access.kind === 'caller' ? Object.keys(sessionParameters) : []
  return [
    ...inPath,
    ...described(record.query, 'query'),
    ...described(record.headers, 'header'),
    ...ofSession.map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ]
}

function parameter(name: string, where: string, type: z.ZodType): Json {
  const { description, ...rest } = schema(type)
  return {
    name,
    in: where,
    required: !type.safeParse(undefined).success,
    ...(description === undefined ? {} : { description }),
    schema: rest,
  }
}
