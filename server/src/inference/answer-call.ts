// Asks the routes of a model, one after another, until one begins to answer; from then on it is that one or an error. An
// answer that its client gets whole has not begun for it before its end, so that until then another route may be asked.
import type { CatalogModel, CatalogRoute } from '../catalog/catalog-file.ts'
import { Refusal } from '../core/refusal.ts'
import type { StreamPart } from '../core/stream-part.ts'
import { type Engine, type EngineCall, EngineError } from '../engine/engine.ts'
import type { LeaveSignal } from '../lib/call-signal.ts'
import { crashPoint } from '../lib/crash-point.ts'
import { AskSmaller } from './ask-smaller.ts'
import { CallFailures } from './call-failures.ts'
import { noRetry } from './no-retry.ts'
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
  /** The client gets the answer at its end. */
  whole: boolean
  signal: LeaveSignal
  /** Told of parts when they come, whether they are handed out now, at the end or never. Fails where they make no sense. */
  heard: (parts: readonly StreamPart[]) => void
}

export async function* answerCall(
  ports: AnswerPorts,
  model: CatalogModel,
  conversation: () => string,
  engineCall: (route: CatalogRoute) => EngineCall,
  { whole, signal, heard }: AnswerWish,
): AsyncGenerator<RoutedParts, void> {
  const keyOf = (route: CatalogRoute): string => routeKey(model, route)
  let failure: EngineError | null = null
  let brokeOff: EngineError | null = null
  let failures: CallFailures | null = null
  const { routes } = model
  // With one route there is nothing to order, and no conversation to tell from others.
  const ordered = routes.length === 1 ? routes : orderRoutes(routes, keyOf, conversation())
  for (const route of ordered) {
    const key = keyOf(route)
    const admission = ports.health.admit(key, ports.monotonicMs())
    if (admission === 'rests') {
      failures ??= new CallFailures(ports)
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
        if (parts.at(-1)?.type === 'finish') ports.health.succeeded(key)
        if (whole) for (const part of parts) held.push(part)
        else yield { parts, route }
      }
      if (whole) yield { parts: held, route }
      return
    } catch (error) {
      if (!(error instanceof EngineError) || signal.aborted) throw error
      failures ??= new CallFailures(ports)
      failures.failed(key, error)
      if (error.failure === 'refused') throw refusalOf(error)
      if (begun && !whole) throw error
      if (begun) brokeOff ??= error
      failure = error
    } finally {
      // Calls that began before the route failed say nothing of who tries it now.
      if (admission === 'on-trial') ports.health.trialOver(key)
    }
  }
  failures?.over()
  if (brokeOff) throw brokeOff
  const { retryAfterSeconds = 0, canHeal = false } = failures ?? {}
  throw new Refusal(
    'no_healthy_route',
    `No route to ${model.id} is healthy${failure ? `: ${failure.message}` : '.'}`,
    { retryAfterSeconds, cause: failure, ...(canHeal ? {} : { headers: noRetry }) },
  )
}

function groupsOf(
  engine: Engine,
  call: EngineCall,
  signal: LeaveSignal,
): AsyncIterable<readonly StreamPart[]> {
  const ask = (asked: EngineCall): AsyncIterator<readonly StreamPart[]> => {
    const groups = engine.callInGroups?.(asked, signal) ?? inGroupsOfOne(engine.call(asked, signal))
    return groups[Symbol.asyncIterator]()
  }
  return new AskSmaller(ask, call)
}

async function* inGroupsOfOne(parts: AsyncIterable<StreamPart>): AsyncGenerator<StreamPart[]> {
  for await (const part of parts) yield [part]
}

/** A route by its place in the catalog, which says nothing of where it leads. */
export function routeName(model: CatalogModel, route: CatalogRoute): string {
  const index = model.routes.indexOf(route)
  return `${model.id} #${index + 1} ${route.engine}`
}
