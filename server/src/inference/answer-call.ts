// Asks the routes of a model, one after another, until one begins to answer; from then on it is that one or an error. An
// answer that its client gets whole has not begun for it before its end, so that until then another route may be asked.
import type { CatalogModel, CatalogRoute } from '../catalog/catalog-file.ts'
import type { StreamPart } from '../core/stream-part.ts'
import { type Engine, type EngineCall, EngineError } from '../engine/engine.ts'
import { crashPoint } from '../lib/crash-point.ts'
import { AskSmaller } from './ask-smaller.ts'
import { CallFailures } from './call-failures.ts'
import { orderRoutes } from './order-routes.ts'
import { refusalOf } from './refusal-of.ts'
import type { RouteHealth } from './route-health.ts'
import { routeKey } from './route-key.ts'

export type AnswerPorts = {
  engineAt(route: CatalogRoute): Engine
  health: RouteHealth
  monotonicMs(): number
}

/** Parts that came together. */
export type RoutedParts = { parts: readonly StreamPart[]; route: CatalogRoute }

export type AnswerWish = {
  /** Whose call it is. */
  workspaceId: string
  /** The client gets the answer at its end. */
  whole: boolean
  signal: AbortSignal
  /** Told of parts when they come, whether they are handed out now, at the end or never. Fails where they make no sense. */
  heard: (parts: readonly StreamPart[]) => void
}

export async function* answerCall(
  ports: AnswerPorts,
  model: CatalogModel,
  conversation: () => string,
  engineCall: (route: CatalogRoute) => EngineCall,
  { workspaceId, whole, signal, heard }: AnswerWish,
): AsyncGenerator<RoutedParts, void> {
  const keyOf = (route: CatalogRoute): string => routeKey(model, route)
  const { routes } = model
  const failures = new CallFailures(ports, { workspaceId, alone: routes.length === 1 })
  // With one route there is nothing to order, and no conversation to tell from others.
  const ordered = routes.length === 1 ? routes : orderRoutes(routes, keyOf, conversation())
  for (const route of ordered) {
    const key = keyOf(route)
    const restsForOwn = failures.restsForOwn(key)
    const admission = restsForOwn ? 'rests' : ports.health.admit(key, ports.monotonicMs())
    if (admission === 'rests') {
      failures.rests(key)
      continue
    }
    let begun = false
    const held: StreamPart[] = []
    try {
      crashPoint('sent')
      for await (const parts of groupsOf(ports.engineAt(route), engineCall(route), signal)) {
        if (!begun) ports.health.begins(key)
        begun = true
        heard(parts)
        // Here, because whoever reads a stream stops at its end and never comes back for more.
        if (parts.at(-1)?.type === 'finish') failures.succeeded(key)
        if (whole) for (const part of parts) held.push(part)
        else yield { parts, route }
      }
      if (whole) yield { parts: held, route }
      return
    } catch (error) {
      if (!(error instanceof EngineError) || signal.aborted) throw error
      failures.failed(key, error, begun)
      if (error.failure === 'refused') throw refusalOf(error)
      if (begun && !whole) throw error
    } finally {
      // Calls that began before the route failed say nothing of who tries it now.
      if (admission === 'on-trial') ports.health.trialOver(key)
    }
  }
  throw failures.over(model.id)
}

function groupsOf(
  engine: Engine,
  call: EngineCall,
  signal: AbortSignal,
): AsyncIterable<readonly StreamPart[]> {
  return new AskSmaller((asked) => engine.call(asked, signal)[Symbol.asyncIterator](), call)
}

/** A route by its place in the catalog, which says nothing of where it leads. */
export function routeName(model: CatalogModel, route: CatalogRoute): string {
  const index = model.routes.indexOf(route)
  return `${model.id} #${index + 1} ${route.engine}`
}
