// What tells one route of a model from another for as long as it leads to the same place: how it fares and which
// conversations it has stay with it when routes before it come and go in the catalog, and end when it leads elsewhere.
import type { CatalogModel, CatalogRoute } from '../catalog/catalog-file.ts'

/** Worked out once for each route of a catalog. */
const keys = new WeakMap<CatalogRoute, string>()

/** For this process only: it holds the address. */
export function routeKey(model: CatalogModel, route: CatalogRoute): string {
  const known = keys.get(route)
  if (known !== undefined) return known
  // Of all routes at once, because routes to the same place are told apart by their order.
  const seen = new Map<string, number>()
  for (const other of model.routes) {
    const place = placeOf(other)
    const before = seen.get(place) ?? 0
    seen.set(place, before + 1)
    keys.set(other, `${model.id} ${place} ${before}`)
  }
  return keys.get(route) ?? `${model.id} ${placeOf(route)}`
}

function placeOf(route: CatalogRoute): string {
  const { engine, model } = route
  switch (engine) {
    case 'judge-basic':
      return JSON.stringify([engine, model])
    case 'embedded':
      return JSON.stringify([engine, model, route.model_folder])
    case 'openai-compatible':
      return JSON.stringify([engine, model, route.base_url, route.api_key_env, route.headers])
    case 'anthropic-compatible':
      return JSON.stringify([
        engine,
        model,
        route.base_url,
        route.api_key_env,
        route.key_header,
        route.headers,
      ])
  }
}
