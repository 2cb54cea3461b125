// Finds out in the background whether routes that failed are back, so that no caller's request has to.
import type { App } from '../app.ts'
import type { CatalogModel, CatalogRoute } from '../catalog/catalog-file.ts'
import { EngineError } from '../engine/engine.ts'
import { routeName } from './answer-call.ts'
import { callBriefly } from './call-briefly.ts'
import { routeKey } from './route-key.ts'

const answerMsMax = 5_000

/** Looks at the routes whose rest is over so soon that the next look would be too late. */
export async function probeRoutes(app: App, aheadMs: number): Promise<void> {
  const { health } = app.calls.answerPorts
  const resting = new Set(health.takeResting(app.calls.answerPorts.monotonicMs() + aheadMs))
  if (resting.size === 0) return
  const probes: Promise<void>[] = []
  for (const model of app.catalog.models) {
    for (const route of model.routes) {
      const key = routeKey(model, route)
      if (resting.delete(key)) probes.push(probe(app, key, model, route))
    }
  }
  // The catalog has changed under these.
  for (const key of resting) health.succeeded(key)
  await Promise.all(probes)
}

async function probe(
  app: App,
  key: string,
  model: CatalogModel,
  route: CatalogRoute,
): Promise<void> {
  const answers = await tryRoute(app, model, route)
  app.calls.answerPorts.health.probed(key, answers, app.calls.answerPorts.monotonicMs())
  if (!answers) return
  app.log.info({ route: routeName(model, route) }, 'a route that had failed answers again')
}

/** Never throws: what cannot be asked does not answer. */
async function tryRoute(
  app: App,
  model: CatalogModel,
  route: CatalogRoute,
): Promise<boolean | null> {
  if (!('probe' in route) || route.probe === 'none') return null
  const signal = AbortSignal.timeout(answerMsMax)
  try {
    const engine = app.calls.answerPorts.engineAt(route)
    if (route.probe === 'models') return (await engine.answers?.(signal)) ?? null
    return await callBriefly(app.clock, engine, route.model ?? model.id, signal)
  } catch (error) {
    // A server that does not like so short a call is there to say so.
    return error instanceof EngineError && error.failure === 'refused'
  }
}
