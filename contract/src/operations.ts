// What an operator looks at: liveness, readiness, metrics and this description itself.
import { z } from 'zod'
import { route } from './route.ts'

const text = z.string()
const ok = z.object({ status: z.literal('ok') })

export const operationRoutes = [
  route({
    name: 'healthz',
    tag: 'Operations',
    method: 'GET',
    path: '/healthz',
    summary: 'The process is running',
    access: { kind: 'public' },
    status: 200,
    response: ok,
    errors: [],
  }),
  route({
    name: 'readyz',
    tag: 'Operations',
    method: 'GET',
    path: '/readyz',
    summary: 'The process can serve: its database answers and it is not shutting down',
    access: { kind: 'public' },
    status: 200,
    response: ok,
    errors: ['UNAVAILABLE'],
  }),
  route({
    name: 'metrics',
    tag: 'Operations',
    method: 'GET',
    path: '/metrics',
    summary: 'Prometheus metrics',
    access: { kind: 'public' },
    status: 200,
    contentType: 'text/plain',
    response: text,
    errors: [],
  }),
  route({
    name: 'openapi',
    tag: 'Operations',
    method: 'GET',
    path: '/openapi.json',
    summary: 'This API as an OpenAPI 3.1 document',
    access: { kind: 'public' },
    status: 200,
    response: z.looseObject({ openapi: z.string() }),
    errors: [],
  }),
  route({
    name: 'docs',
    tag: 'Operations',
    method: 'GET',
    path: '/docs',
    summary: 'This API as a page to read',
    access: { kind: 'public' },
    status: 200,
    contentType: 'text/html',
    response: text,
    errors: [],
  }),
] as const
