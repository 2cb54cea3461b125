// What a request is told when no route takes it: that its method is the wrong one, or that there is nothing.
import type { IncomingHttpHeaders } from 'node:http'
import type { Route } from '#contract/route.ts'
import { routes } from '#contract/routes.ts'
import { Refusal } from '../core/refusal.ts'
import { requestPath } from './request-path.ts'
import type { Surface } from './surface.ts'

const patterns = (routes as readonly Route[]).map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${path.replace('{model}', '.+').replace(/\{\w+\}/g, '[^/]+')}$`),
}))

/** Of somebody who opens the address that Hone prints. There is no console yet, so the documentation is what they can see. */
export function isBrowserAtRoot({
  url,
  method,
  headers,
}: {
  url: string
  method: string
  headers: IncomingHttpHeaders
}): boolean {
  const isRead = method === 'GET' || method === 'HEAD'
  return isRead && requestPath(url) === '/' && (headers.accept ?? '').includes('text/html')
}

export function notFound(url: string, method: string, surface: Surface): Refusal {
  const platform = surface === 'platform'
  const path = requestPath(url)
  const taken = patterns.filter(({ pattern }) => pattern.test(path)).map((route) => route.method)
  // Whatever can be got can be asked for without its body.
  const allow = taken.flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name]))
  if (allow.length > 0) {
    return new Refusal(
      platform ? 'METHOD_NOT_ALLOWED' : 'method_not_allowed',
      `${method} is not allowed here; use ${taken.join(' or ')}.`,
      { allow },
    )
  }
  return new Refusal(
    platform ? 'NOT_FOUND' : 'not_found',
    `There is nothing at this path.${hintFor(path)}`,
  )
}

/** What clients of either vendor may ask for, and is nowhere here. */
const unserved =
  /^\/v1\/(messages\/batches|embeddings|files|batches|images|audio|moderations|fine_tuning|assistants|threads|realtime|rerank)(?:\/|$)/

/** Of clients that were told another base address: some want the version in it, and some bring it themselves. */
const endpointEnd = /\/(chat\/completions|messages(?:\/count_tokens)?|models)$/

function hintFor(path: string): string {
  const dialect = /^\/v1\/(responses|completions)$/.exec(path)?.[1]
  if (dialect) return ` The ${dialect} dialect is not served; use POST /v1/chat/completions.`
  const part = unserved.exec(path)?.[1]
  if (part) return ` /v1/${part} is not served; GET /docs shows what is.`
  const endpoint = endpointEnd.exec(path)?.[1]
  if (!endpoint) return ''
  const method = endpoint === 'models' ? 'GET' : 'POST'
  return ` Set the base URL of the client so that it calls ${method} /v1/${endpoint}.`
}
