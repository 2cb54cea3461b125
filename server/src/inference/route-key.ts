// What tells one route of a model from another for as long as it leads to the same place: how it fares and which
// conversations it has stay with it when routes before it come and go in the catalog, and end when it leads elsewhere.
import type { CatalogModel, CatalogRoute } from '../catalog/catalog-file.ts'

/** Worked out once for each route of a catalog. */
const keys = new WeakMap<CatalogRoute, string>()

/** For this process only: it holds the address. */
export function routeKey(model: CatalogModel, route: CatalogRoute): string {
  const known = keys.get(route)
  if (known !== undefined) return known
  const place = placeOf(route)
  const samePlace = model.routes.filter((other) => placeOf(other) === place)
  const key = `${model.id} ${place} ${samePlace.indexOf(route)}`
  keys.set(route, key)
  return key
}

function placeOf(route: CatalogRoute): string {
  const { engine, model } = route
  switch (engine) {
    case 'judge-basic':
      return JSON.stringify([engine, model])
    case 'embedded':
      return JSON.stringify([engine, model, route.model_folder])
    case 'openai-compatible':
      return JSON.stringify([engine, model, route.base_url, route.api_key_env])
    case 'anthropic-compatible':
      return JSON.stringify([engine, model, route.base_url, route.api_key_env, route.key_header])
  }
}
