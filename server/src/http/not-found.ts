// What a request is told when no route takes it: that its method is the wrong one, or that there is nothing.
import type { Route } from '#contract/route.ts'
import { routes } from '#contract/routes.ts'
import { Refusal } from '../core/refusal.ts'
import { requestPath } from './request-path.ts'
import type { Surface } from './surface.ts'

const patterns = (routes as readonly Route[]).map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${path.replace('{model}', '.+').replace(/\{\w+\}/g, '[^/]+')}$`),
}))

export function notFound(url: string, method: string, surface: Surface): Refusal {
  const platform = surface === 'platform'
  const path = requestPath(url)
  const allow = patterns.filter(({ pattern }) => pattern.test(path)).map((route) => route.method)
  if (allow.length > 0) {
    return new Refusal(
      platform ? 'METHOD_NOT_ALLOWED' : 'method_not_allowed',
      `${method} is not allowed here; use ${allow.join(' or ')}.`,
      { allow },
    )
  }
  const hint =
    path === '/v1/responses'
      ? ' The responses dialect is not served; use POST /v1/chat/completions.'
      : ''
  return new Refusal(platform ? 'NOT_FOUND' : 'not_found', `There is nothing at this path.${hint}`)
}
